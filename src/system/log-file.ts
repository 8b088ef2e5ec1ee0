// The log file: appended, one JSON object a line, readable by its owner only, without control characters or header values.
import { closeSync, openSync, writeSync } from "node:fs";
import type { Clock } from "../units/clock.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import { openInPlace, resolveOutputPath } from "./named-file.ts";

type LogLevel = "debug" | "info" | "warn" | "error";
type Facts = Readonly<Record<string, string | number | undefined>>;

/** An open log. Only opening it throws: later write errors are ignored. */
export type Log = ReturnType<typeof openLog>;

/** @throws {UsageError} if it cannot be written */
export function openLog(path: string, level: "debug" | "info", clock: Clock) {
  const fd = openLogFile(path);
  let hasFailed = false;
  return {
    write(at: LogLevel, what: string, facts: Facts = {}): void {
      // A failing log must not end the program.
      if (hasFailed || (at === "debug" && level !== "debug")) return;
      const time = formatIsoMs(clock.wall());
      try {
        const line = JSON.stringify({ level: at, time, what, ...facts }, clean);
        writeSync(fd, `${line}\n`);
      } catch (error) {
        // A full pipe loses a line, but may accept the next one.
        hasFailed = (error as NodeJS.ErrnoException).code !== "EAGAIN";
      }
    },
    close: () => closeSync(fd),
  };
}

function openLogFile(name: string): number {
  const { kind, path } = resolveOutputPath(name, "expected: --log FILE");
  try {
    return kind === "file" ? openSync(path, "a", 0o600) : openInPlace(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const words = `the log cannot be written: ${(error as Error).message}`;
    throw new UsageError(words, "name a file in a folder of yours");
  }
}

/** Texts without control characters; nothing of what is empty. */
function clean(_: string, value: unknown): unknown {
  return typeof value === "string" ? visible(value) || undefined : value;
}
