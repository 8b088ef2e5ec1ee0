// The last things that happened, for the log view. Lines that repeat are counted instead of kept.
import type { LogLine } from "./log-line.ts";

/** Lines that are kept: some hours of a bad day. */
const MAX_LINES = 1000;

export interface LoggedLine extends LogLine {
  /** How often it happened in a row; `atMs` is the last time. */
  readonly times: number;
}

/** What happened lately, oldest first, up to a cap. */
export class EventLog {
  /** Oldest first. */
  lines: LoggedLine[] = [];
  /** Grows with every line. */
  version = 0;

  clear(): void {
    this.lines = [];
    this.version++;
  }

  add(line: LogLine): void {
    this.version++;
    const last = this.lines.at(-1);
    if (last !== undefined && isSame(last, line)) {
      this.lines[this.lines.length - 1] = { ...last, ...line, times: last.times + 1 };
      return;
    }
    // Half at once, so that a flood does not move a thousand lines for each of its own.
    if (this.lines.length >= MAX_LINES * 1.5) this.lines = this.lines.slice(-MAX_LINES);
    this.lines.push({ ...line, times: 1 });
  }
}

function isSame(a: LogLine, b: LogLine): boolean {
  return a.what === b.what && a.channel === b.channel && a.level === b.level;
}
