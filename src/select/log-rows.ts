// The log as rows of a table, newest first.

import type { LoggedLine } from "../state/event-log.ts";
import { formatTimeOfDay } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";

/** @param wallOffsetMs how far Unix time is ahead of the clock that stamped the lines, in milliseconds. Never throws. */
export function selectLogRows(
  lines: readonly LoggedLine[],
  wallOffsetMs: number,
): readonly OpenRecord[] {
  return lines
    .map(({ atMs, level, what, channel, detail, times }) => ({
      time: formatTimeOfDay(wallOffsetMs + atMs, true),
      level,
      what: times > 1 ? `${what} ×${times}` : what,
      channel: channel ?? "",
      detail,
    }))
    .reverse();
}
