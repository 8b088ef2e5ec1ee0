// The log file: appended, one JSON object a line, readable by its owner only, without control characters or header values.
import { closeSync, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { Clock } from "../units/clock.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import { openInPlace, resolveOutputPath } from "./named-file.ts";

type LogLevel = "debug" | "info" | "warn" | "error";
type Facts = Readonly<Record<string, string | number | undefined>>;

/** An open log. Only opening it throws: later write errors are ignored. */
export interface Log {
  write(level: LogLevel, what: string, facts?: Facts): void;
  close(): void;
}

/** Permissions of others: the log contains no secrets, but may contain accounts. */
const OPEN_TO_OTHERS = 0o077;
/** A longer first line is not that of a log. */
const FIRST_LINE_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** @throws {UsageError} if the file exists but is not a log, or cannot be written */
export function openLog(path: string, level: "debug" | "info", clock: Clock): Log {
  let { fd, named } = openLogFile(path);
  let hasFailed = false;
  /** Whoever rotates logs gives the file another name: what comes now belongs into a new one, if that can be opened. */
  const follow = () => {
    if (named === undefined || inodeOf(named) === fstatSync(fd).ino) return;
    try {
      const fresh = openRegular(named);
      closeSync(fd);
      fd = fresh;
    } catch {}
  };
  return {
    write(at, what, facts = {}) {
      // A failing log must not end the program.
      if (hasFailed || (at === "debug" && level !== "debug")) return;
      const time = formatIsoMs(clock.wall());
      try {
        follow();
        writeSync(fd, `${JSON.stringify({ level: at, time, ...clean({ what, ...facts }) })}\n`);
      } catch (error) {
        // A full pipe loses a line, but may accept the next one.
        hasFailed = (error as NodeJS.ErrnoException).code !== "EAGAIN";
      }
    },
    close: () => closeSync(fd),
  };
}

/** @returns also its path, where another file may come to be under it */
function openLogFile(name: string): { fd: number; readonly named: string | undefined } {
  try {
    const { kind, path } = resolveOutputPath(name, "expected: --log FILE");
    return kind === "file"
      ? { fd: openRegular(path), named: resolve(path) }
      : { fd: openInPlace(path), named: undefined };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `the log cannot be written: ${(error as Error).message}`,
      "name a file in a folder of yours",
    );
  }
}

/** Creates the file, or appends to a log; permissions of others are removed if the file is ours. */
function openRegular(path: string): number {
  const fd = openSync(path, "a+", 0o600);
  try {
    const { size, mode, uid } = fstatSync(fd);
    if (!isLog(fd, size)) {
      throw new UsageError(`${path} is no log of monitor`, "name a new file for --log");
    }
    const isOwn = process.getuid === undefined || uid === process.getuid();
    if (isOwn && (mode & OPEN_TO_OTHERS) !== 0) fchmodSync(fd, 0o600);
    // Terminates a line that was cut off by a kill or a full disk.
    if (size > 0 && readAt(fd, size - 1, 1)[0] !== LINE_END) writeSync(fd, "\n");
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function isLog(fd: number, size: number): boolean {
  if (size === 0) return true;
  const [first = ""] = readAt(fd, 0, FIRST_LINE_BYTES).toString().split("\n", 1);
  return /^\{.*"what":/.test(first);
}

const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

function readAt(fd: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(fd, buffer, 0, bytes, position));
}

function clean(facts: Facts) {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, typeof value === "string" ? visible(value) : value]),
  );
}
