// A view about the session itself: one table, made anew each time it is drawn, whose state is that of the link.

import type { RecordFormat } from "../../select/record-format.ts";
import type { PaneStatus } from "../../select/status.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Dashboard } from "../dashboard.ts";
import type { KeyContext } from "../key-contexts.ts";
import type { Action } from "../keys.ts";
import type { FramedPane } from "../panes/FramedCanvas.tsx";
import { tableFrame } from "../panes/table-frame.ts";
import { TablePane, type TablePaneOptions } from "../panes/table-pane.ts";
import { seenText } from "../seen-text.ts";
import type { PaneModel } from "./PaneView.tsx";
import type { FeedStatus } from "./view.ts";

/** What the table is of. */
export type SessionTableOptions = Pick<
  TablePaneOptions,
  "title" | "emptyWords" | "notes" | "keyOf"
> & {
  /** The rows as they are now. */
  readonly rows: () => readonly OpenRecord[];
};

/** The model of such a view. */
export class SessionTable implements PaneModel {
  readonly channels: readonly string[] = [];
  readonly feeds: readonly FeedStatus[] = [];
  readonly #dashboard: Dashboard;
  readonly table: TablePane;
  readonly #rows: () => readonly OpenRecord[];
  #held: readonly OpenRecord[] = [];
  #shown: readonly OpenRecord[] = [];
  #isFrozen = false;

  constructor(dashboard: Dashboard, { rows, ...options }: SessionTableOptions) {
    const { store } = dashboard;
    const format: RecordFormat = {
      aliases: store.aliases,
      scaleOf: () => undefined,
      // The rows hide addresses themselves: nothing else of a session is private.
      isMasked: false,
    };
    this.#dashboard = dashboard;
    this.#rows = rows;
    this.table = new TablePane({
      ...options,
      records: () => this.#shown,
      format: () => format,
      clipboard: dashboard.options.clipboard,
      onChange: () => dashboard.tell(),
    });
  }

  get contexts(): readonly KeyContext[] {
    return this.table.contexts;
  }

  get typing() {
    return this.table.typing;
  }

  perform(action: Action): boolean {
    this.#refresh();
    return this.table.perform(action);
  }

  freeze(): void {
    this.#refresh();
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
  }

  createPane(): FramedPane {
    const frame = tableFrame(this);
    return {
      ...frame,
      isAlwaysCurrent: true,
      paint: (surface, inner, theme) => {
        this.#refresh();
        frame.paint(surface, inner, theme);
      },
    };
  }

  get status(): PaneStatus {
    const isOpen = this.#dashboard.store.link?.state === "open";
    return { state: isOpen ? "live" : "offline", age: "", note: "" };
  }

  #refresh(): void {
    if (!this.#isFrozen) this.#held = this.#rows();
    const dashboard = this.#dashboard;
    this.#shown = dashboard.isMasked
      ? this.#held.map((row) => seenRow(dashboard, row))
      : this.#held;
  }
}

function seenRow(dashboard: Dashboard, row: OpenRecord): OpenRecord {
  const seen = (value: unknown) => (typeof value === "string" ? seenText(dashboard, value) : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, seen(value)]));
}
