// The log as rows of a table, newest first.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { LoggedLine } from "../store/event-log.ts";
import { formatTimeOfDay } from "../units/time.ts";

/** @param nowMs and `wallMs`: the two clocks at one moment, of which the first one stamped the lines. Never throws. */
export function selectLogRows(
  lines: readonly LoggedLine[],
  nowMs: number,
  wallMs: number,
): readonly OpenRecord[] {
  return lines
    .map(({ atMs, level, what, channel, detail, times }) => ({
      time: formatTimeOfDay(wallMs - (nowMs - atMs), true),
      level,
      what: times > 1 ? `${what} ×${times}` : what,
      channel: channel ?? "",
      detail,
    }))
    .reverse();
}
