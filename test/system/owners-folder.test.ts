import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeOwnersFolder } from "../../src/system/own-file.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

describe("a folder for its owner", () => {
  test("is made with those above it, and nobody else can read it; once more is none", () => {
    const path = join(folderOfTest(), "a", "b");
    makeOwnersFolder(path);
    makeOwnersFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test("is not made in the place of a file, or of a link to nothing", () => {
    const folder = folderOfTest();
    writeFileSync(join(folder, "file"), "");
    symlinkSync("nothing", join(folder, "link"));
    expect(() => makeOwnersFolder(join(folder, "file"))).toThrow("EEXIST");
    expect(() => makeOwnersFolder(join(folder, "file", "a"))).toThrow(/EEXIST|ENOTDIR/);
    expect(() => makeOwnersFolder(join(folder, "link", "a"))).toThrow("EEXIST");
  });

  test.runIf(existsSync("/proc/self"))(
    "that its parent refuses as if it were not there is refused at once",
    () => {
      expect(() => makeOwnersFolder("/proc/no/such/folder")).toThrow("ENOENT");
    },
  );
});
