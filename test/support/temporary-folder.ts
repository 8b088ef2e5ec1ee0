// A folder for the files of a test, which is removed with what is in it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

function create(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "monitor-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** For all tests of a file, or of a group: called outside of them. */
export function folderOfFile(): string {
  const { path, remove } = create();
  afterAll(remove);
  return path;
}

/** For the test that runs. */
export function folderOfTest(): string {
  const { path, remove } = create();
  onTestFinished(remove);
  return path;
}
