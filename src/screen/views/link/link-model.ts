// The link and every channel on it, as a table.
import { selectLinkRows, selectLinkWords } from "../../../select/link-rows.ts";
import type { Dashboard } from "../../dashboard.ts";
import { SessionTable } from "../session-table.ts";

/** The table of the link: a row for each channel. */
export class LinkModel extends SessionTable {
  constructor(dashboard: Dashboard) {
    super(dashboard, {
      title: "Link",
      emptyWords: "no channel was asked for yet",
      keyOf: ({ channel }) => String(channel),
      rows: () => selectLinkRows(dashboard.store, dashboard.now()),
      notes: () => selectLinkWords(dashboard.store, dashboard.now()),
    });
  }
}
