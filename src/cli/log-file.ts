// The log file: one JSON object a line, appended, readable by its owner only. Nothing that a terminal would obey gets in,
// and no value of a header.
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { pino } from "pino";
import type { Link, StreamEvent } from "../protocol/stream-event.ts";
import { type LogLevel, linkLine, logLine } from "../store/log-line.ts";
import { visible } from "../terminal/visible.ts";
import type { Clock } from "../units/clock.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";

/** A log that is open. Only opening it throws: what cannot be written later is lost in silence. */
export interface Log {
  /** What the stream told. */
  event(event: StreamEvent): void;
  /** What the program did. */
  say(level: LogLevel, what: string, facts?: Readonly<Record<string, string | number>>): void;
  close(): void;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** Readable by others: nothing secret is in it, but accounts may be. */
const OPEN_TO_OTHERS = 0o077;

/** @throws {UsageError} when the level has another name, or the file cannot be written */
export function openLog(path: string, levelName: string, clock: Clock): Log {
  const level = LEVELS.find((each) => each === levelName);
  if (level === undefined) {
    throw new UsageError(
      `--log-level cannot be ${levelName}`,
      `expected: one of ${LEVELS.join(", ")}`,
    );
  }
  const fd = openOwn(path);
  let hasFailed = false;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${formatIsoMs(clock.wall())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line) {
        // A log that cannot be written must not end what it tells of.
        if (hasFailed) return;
        try {
          writeSync(fd, line);
        } catch {
          hasFailed = true;
        }
      },
    },
  );
  let link: Link | undefined;
  return {
    event(event) {
      const line = event.type === "link" ? linkLine(link, event.link, event.atMs) : logLine(event);
      if (event.type === "link") link = event.link;
      if (line === undefined) return;
      const { what, channel, detail } = line;
      logger[line.level](clean({ what, channel, detail }));
    },
    say: (at, what, facts = {}) => logger[at](clean({ what, ...facts })),
    close: () => closeSync(fd),
  };
}

function openOwn(path: string): number {
  try {
    const fd = openSync(path, "a", 0o600);
    if ((fstatSync(fd).mode & OPEN_TO_OTHERS) !== 0) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    throw new UsageError(
      `the log cannot be written: ${(error as Error).message}`,
      "name a file in a folder of yours",
    );
  }
}

/** Without what is empty, and with every control character made visible. */
function clean(facts: Readonly<Record<string, string | number | undefined>>) {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, typeof value === "string" ? visible(value) : value]),
  );
}
