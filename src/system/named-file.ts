// Resolves files that the user names for writing; every writer starts here. A device, pipe or terminal is written in place,
// never replaced and its mode never changed; a link is followed to its target and stays.
import { constants, lstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { MonitorError, UsageError } from "../units/monitor-error.ts";

/** `file`: a regular file, or nothing there yet; `inPlace`: a device, a pipe or an open file of a process. */
export interface NamedFile {
  readonly kind: "file" | "inPlace";
  readonly path: string;
}

/** Windows lacks the last two. */
const { O_WRONLY, O_APPEND, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
/** An open file of a process, of whatever kind: the shell or a parent opened it for writing. */
const OPEN_FILE = /^\/(?:dev\/(?:stdout|stderr|fd\/[0-9]+)|proc\/(?:self|[0-9]+)\/fd\/[0-9]+)$/;

/**
 * @param expected the expected form, for the message
 * @throws {UsageError} for a folder, a disk and a socket
 */
export function resolveOutputPath(name: string, expected: string): NamedFile {
  if (OPEN_FILE.test(name)) return { kind: "inPlace", path: name };
  const path = followLink(name);
  const facts = orNothing(() => statSync(path));
  if (facts === undefined || facts.isFile()) return { kind: "file", path };
  if (facts.isFIFO() || facts.isCharacterDevice()) return { kind: "inPlace", path };
  throw new UsageError(`${name} is ${facts.isDirectory() ? "a folder" : "no file"}`, expected);
}

/** The target of a link, which need not exist. */
function followLink(name: string): string {
  if (orNothing(() => lstatSync(name))?.isSymbolicLink() !== true) return name;
  return orNothing(() => realpathSync(name)) ?? resolve(dirname(name), readlinkSync(name));
}

/** Opens for appending, without waiting for the reader of a pipe. @returns a file descriptor. @throws {UsageError} if there is none; otherwise what Node throws */
export function openInPlace(path: string): number {
  const isPipe = orNothing(() => statSync(path))?.isFIFO() === true;
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_NOCTTY | (isPipe ? O_NONBLOCK : 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
    throw new UsageError(`nobody reads ${path}`, "start its reader first");
  }
}

/**
 * Checks that all files written by one command differ.
 * @param named file names by option
 * @throws {UsageError} when two name the same file
 */
export function requireDistinctFiles(named: Readonly<Record<string, string | undefined>>): void {
  const flags = new Map<string, string>();
  for (const [flag, name] of Object.entries(named)) {
    if (name === undefined || OPEN_FILE.test(name)) continue;
    const { kind, path } = resolveOutputPath(name, `expected: ${flag} FILE`);
    // Two paths may lead to one folder.
    const folder = orNothing(() => realpathSync(dirname(path))) ?? resolve(dirname(path));
    const whole = join(folder, basename(path));
    const other = flags.get(whole);
    if (other !== undefined && kind === "file")
      throw new UsageError(`${flag} and ${other} name the same file`, "give each its own");
    flags.set(whole, flag);
  }
}

/** Undefined on any error; opening the file will report it. */
function orNothing<T>(operation: () => T): T | undefined {
  try {
    return operation();
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  ENOTDIR: "no such folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file grew larger than is allowed",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  EPIPE: "whoever reads it has gone",
};

/** Says what the system refused; any other error is returned as it is. */
export function formatWriteError(error: unknown, path: string, advice: string): unknown {
  const { code = "", syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || syscall === undefined) return error;
  const what = `cannot write ${path}: ${REASONS[code] ?? error.message} (${code})`;
  return new MonitorError("file", "failed", what, { advice, cause: error });
}

/** A regular file. */
export function isThere(path: string): boolean {
  return orNothing(() => lstatSync(path))?.isFile() ?? false;
}
