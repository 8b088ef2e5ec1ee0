// Writes a picture to a file named by the user: completely or not at all, and replacing nothing but a picture.
import { closeSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import { createWriteError, openInPlace, resolveOutputPath } from "./named-file.ts";

const EXPECTED = "expected: a file of its own, as in: screen.svg";
const BEGINNING = "<svg";

/** @throws {MonitorError} if the file exists but is not a picture, or cannot be written */
export function writePicture(name: string, svg: string): void {
  try {
    const { kind, path } = resolveOutputPath(name, EXPECTED);
    if (kind === "inPlace") writeInPlace(path, svg);
    else if (isOurs(path)) replace(path, svg);
    else throw new UsageError(`${name} is there, and is no picture`, EXPECTED);
  } catch (error) {
    throw error instanceof MonitorError ? error : createWriteError(name, EXPECTED, error);
  }
}

function writeInPlace(path: string, svg: string): void {
  const fd = openInPlace(path);
  try {
    writeFileSync(fd, svg);
  } finally {
    closeSync(fd);
  }
}

function replace(path: string, svg: string): void {
  const part = `${path}.${process.pid}.part`;
  try {
    writeFileSync(part, svg, { flag: "wx" });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function isOurs(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    const count = readSync(fd, bytes, 0, bytes.length, 0);
    return count === 0 || bytes.toString("latin1", 0, count) === BEGINNING;
  } finally {
    closeSync(fd);
  }
}
