// Small files of our own, as JSON objects. Losing one costs little: nothing here is ever an error.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../units/monitor-error.ts";
import { formatWriteError } from "./named-file.ts";
import { makeOwnersFolder } from "./own-file.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** Empty if there is none, or something else. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> {
  try {
    const facts = statSync(path);
    // A device has no end.
    if (!facts.isFile() || facts.size > MAX_BYTES) return {};
    const value = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Replaces it whole; only its owner can read it. @returns why that could not be */
export function writeJsonFile(path: string, value: object): string | undefined {
  const part = `${path}.${process.pid}.part`;
  try {
    makeOwnersFolder(dirname(path));
    // Created anew, so that nobody's link is written through.
    rmSync(part, { force: true });
    writeFileSync(part, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(part, path);
    return undefined;
  } catch (error) {
    return errorText(formatWriteError(error, path, ""));
  }
}
