// What happened lately, newest first, as a table.
import { selectLogRows } from "../../../select/log-rows.ts";
import type { Dashboard } from "../../dashboard.ts";
import { SessionTable } from "../session-table.ts";

/**
 * The two clocks are read one after the other, and the wall one in whole milliseconds: they differ by so much in any
 * case.
 */
const READING_MS = 20;

/** The table of what happened. */
export class LogModel extends SessionTable {
  constructor(dashboard: Dashboard) {
    // Kept until a clock is set, so that a line has the same time whenever it is drawn.
    let wallOffsetMs = Number.NaN;
    super(dashboard, {
      title: "Log",
      emptyWords: "nothing has happened yet",
      rows: () => {
        const readMs = dashboard.wall() - dashboard.now();
        if (!(Math.abs(readMs - wallOffsetMs) < READING_MS)) wallOffsetMs = readMs;
        return selectLogRows(dashboard.store.log.lines, wallOffsetMs);
      },
    });
  }
}
