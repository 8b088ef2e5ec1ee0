// What happened lately, newest first, as a table.
import { selectLogRows } from "../../../view/log-rows.ts";
import type { Dashboard } from "../../dashboard.ts";
import { SessionTable } from "../session-table.ts";

export class LogModel extends SessionTable {
  constructor(dashboard: Dashboard) {
    super(dashboard, {
      title: "Log",
      emptyWords: "nothing has happened yet",
      rows: () => selectLogRows(dashboard.store.log.lines, dashboard.now(), dashboard.wall()),
    });
  }
}
