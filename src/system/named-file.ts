// Resolves files that the user names for writing; every writer starts here. A device, pipe or terminal is written in place,
// never replaced and its mode never changed; a link is followed to its target and stays.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
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
const MAX_LINKS = 40;

/**
 * @param expected the expected form, for the message
 * @throws {UsageError} for a folder, a disk, a socket, and circular links
 */
export function resolveOutputPath(name: string, expected: string): NamedFile {
  if (OPEN_FILE.test(name)) return { kind: "inPlace", path: name };
  const path = followLinks(name, expected);
  const facts = orNothing(() => statSync(path));
  if (facts === undefined || facts.isFile()) return { kind: "file", path };
  if (facts.isFIFO() || facts.isCharacterDevice()) return { kind: "inPlace", path };
  throw new UsageError(`${name} is ${getKind(facts)}`, expected);
}

function getKind(facts: Stats): string {
  if (facts.isDirectory()) return "a folder";
  return facts.isBlockDevice() ? "a disk" : "no regular file";
}

/** The target of a link, which need not exist. */
function followLinks(name: string, expected: string): string {
  let path = name;
  for (let links = 0; links < MAX_LINKS; links++) {
    const facts = orNothing(() => lstatSync(path));
    if (facts?.isSymbolicLink() !== true) return path;
    path = orNothing(() => realpathSync(path)) ?? resolve(dirname(path), readlinkSync(path));
  }
  throw new UsageError(`${name} is one of links that lead in a circle`, expected);
}

/**
 * Opens for appending, without waiting for the reader of a pipe. @returns a file descriptor
 * @throws {UsageError} if the pipe has no reader, or was replaced by a file; otherwise what Node throws
 */
export function openInPlace(path: string): number {
  const isPipe = orNothing(() => statSync(path))?.isFIFO() === true;
  const flags = O_WRONLY | O_APPEND | O_NOCTTY | (isPipe ? O_NONBLOCK : 0);
  let fd: number;
  try {
    fd = openSync(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENXIO") throw error;
    throw new UsageError(
      isPipe ? `nobody reads the pipe ${path}` : `${path} cannot be opened for writing`,
      isPipe ? "start its reader first" : "name a file, a pipe or a terminal",
    );
  }
  const facts = fstatSync(fd);
  if (OPEN_FILE.test(path) || facts.isFIFO() || facts.isCharacterDevice()) return fd;
  closeSync(fd);
  throw new UsageError(`${path} has become a file meanwhile`, "try again");
}

/**
 * Checks that all files written by one command differ.
 * @param named file names by option, the output of an export before others
 * @throws {UsageError} when two name the same file, or one names a file that an export keeps beside its own
 */
export function requireDistinctFiles(named: Readonly<Record<string, string | undefined>>): void {
  const files = Object.entries(named).flatMap(([flag, name]) => {
    if (name === undefined || OPEN_FILE.test(name)) return [];
    const { kind, path } = resolveOutputPath(name, `expected: ${flag} FILE`);
    return kind === "file" ? [{ flag, path: realPath(path) }] : [];
  });
  for (const [i, { flag, path }] of files.entries()) {
    for (const other of files.slice(0, i)) {
      const expected = `expected: ${flag} FILE, a file of its own`;
      if (path === other.path)
        throw new UsageError(`${flag} and ${other.flag} name the same file`, expected);
      if (other.flag === "-o" && path.startsWith(`${other.path}.part`)) {
        throw new UsageError(`${flag} names a file that -o keeps beside its own`, expected);
      }
    }
  }
}

/** With the folder resolved, so that two paths to one file compare equal. */
function realPath(path: string): string {
  const folder = orNothing(() => realpathSync(dirname(path))) ?? resolve(dirname(path));
  return join(folder, basename(path));
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
