// The link and every channel on it, a row each: state, sequence, faults with their first examples, and how what is open
// in the interface is read.

import { formatAudits, selectLinkReading } from "../../select/interpretations.ts";
import type { RecordFormat } from "../../select/record-format.ts";
import { formatLink, type PaneStatus, selectPaneStatus } from "../../select/status.ts";
import type { LoggedLine } from "../../state/event-log.ts";
import type { Slice } from "../../state/slices.ts";
import type { Store } from "../../state/store.ts";
import { formatAge, formatTimeOfDay } from "../../units/time.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import { type FramedPane, type PaneModel, PaneView, tableFrame } from "../panes/frame.tsx";
import { seenText } from "../seen-text.ts";
import { TablePane, type TablePaneOptions } from "../table/pane.ts";
import type { FeedStatus, View } from "./view.ts";

/** Two clocks further apart than this are worth a word. */
const SKEW_SHOWN_MS = 2000;

/** A row for each channel, in the order first asked for. */
export function selectLinkRows(store: Store, nowMs: number): readonly OpenRecord[] {
  return store.slices.map((slice) => rowOf(store, slice, nowMs));
}

function rowOf(store: Store, slice: Slice, nowMs: number): OpenRecord {
  const { channel, feed } = slice;
  const { state, age, note } = selectPaneStatus(store, slice, nowMs);
  const { rejection, drift, confirmedAtMs, lagMs } = feed;
  return {
    channel,
    state,
    age,
    note,
    frames: feed.frames,
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    drift: feed.drifts,
    late: feed.late,
    lag: lagMs === undefined ? "" : `${Math.round(lagMs)} ms`,
    ...selectLinkReading(slice, nowMs),
    sequence: feed.sequence ?? "",
    previous: previousWords(store, slice),
    confirmed: confirmedAtMs === undefined ? "" : `${formatAge(nowMs - confirmedAtMs)} ago`,
    audit: formatAudits(store.audits.of(channel), nowMs),
    first_rejected:
      rejection === undefined ? "" : `${rejection.reason} ${rejection.path}: ${rejection.detail}`,
    first_drift: drift === undefined ? "" : `${drift.path}: ${drift.detail}`,
  };
}

/** What `previous_sequence` names on this channel. Interpretation: docs/adr/0002. */
function previousWords({ counts }: Store, { kind, feed }: Slice): string {
  if (feed.sequence === undefined) return "";
  const found = counts.numbering[kind];
  if (found === undefined || found.previous === "frame") return "the frame before";
  if (found.previous === "nothing") {
    return `always null: missed frames are not seen by it (${found.frames} frames)`;
  }
  return `the transaction before on the service: missed frames are not seen by it (${found.unseen} of ${found.frames} named what never came)`;
}

/** Kinds whose missed frames cannot be seen by their sequences. */
function blindWords({ numbering }: Store["counts"]): string {
  const kinds = Object.entries(numbering).filter(([, found]) => found.previous !== "frame");
  if (kinds.length === 0) return "";
  return `missed frames of ${kinds.map(([kind]) => kind).join(", ")} are not seen by their sequences`;
}

/** The link itself: `open 12 ms`, reconnects, version, skew, what no channel answers for. */
export function selectLinkWords(store: Store, nowMs: number): readonly string[] {
  const { link, counts } = store;
  const { skewMs, protocolVersion, reconnects = 0, isLate, fault } = link ?? {};
  const isSkewed = skewMs !== undefined && Math.abs(skewMs) > SKEW_SHOWN_MS;
  return [
    formatLink(link, nowMs),
    isLate ? "comes late" : "",
    protocolVersion === undefined ? "no hello" : `protocol ${protocolVersion}`,
    `reconnects ${reconnects}`,
    isSkewed ? `our clock ${skewMs > 0 ? "+" : "-"}${formatAge(Math.abs(skewMs))}` : "",
    counts.rejected === 0 ? "" : `${counts.rejected} rejected without a channel`,
    counts.probingOff === undefined ? "" : `silent channels are not asked: ${counts.probingOff}`,
    blindWords(counts),
    store.audits.off === undefined ? "" : `no audits by snapshot: ${store.audits.off}`,
    link?.state === "open" && fault !== undefined ? `last fault: ${fault.detail}` : "",
  ];
}

/** @param wallOffsetMs how far Unix time is ahead of the clock that stamped the lines, in milliseconds. */
function selectLogRows(lines: readonly LoggedLine[], wallOffsetMs: number): readonly OpenRecord[] {
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

/** What the table is of. */
export type SessionTableOptions = Pick<
  TablePaneOptions,
  "title" | "emptyWords" | "notes" | "keyOf"
> & {
  /** The rows as they are now. */
  readonly rows: () => readonly OpenRecord[];
};

/** The model of such a view. */
class SessionTable implements PaneModel {
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

/** The view of the link. Looking changes nothing of what is held. */
export const linkView: View<LinkModel> = {
  name: "link",
  title: "Link",
  action: "showLink",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LinkModel(dashboard),
  Component: PaneView,
};

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

/** The view of the log. Looking changes nothing of what is held. */
export const logView: View<LogModel> = {
  name: "log",
  title: "Log",
  action: "showLog",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LogModel(dashboard),
  Component: PaneView,
};
