// Views of the session itself: the link with all its channels, and the log. Each is one table, rebuilt whenever it is
// drawn, with the state of the link.
import type { Display } from "../../select/display.ts";
import { shortAddress } from "../../select/fields.ts";
import { formatAudits, selectLinkInterpretation } from "../../select/interpretations.ts";
import { MASK } from "../../select/mask.ts";
import type { ShowCell } from "../../select/record-format.ts";
import { formatLink, selectPaneStatus } from "../../select/status.ts";
import type { LoggedLine } from "../../state/event-log.ts";
import type { Slice } from "../../state/slices.ts";
import type { Store } from "../../state/store.ts";
import { formatAge } from "../../units/time.ts";
import type { OpenRecord } from "../../wire/update.ts";
import { Freezable, type Shown } from "../shown.ts";
import { TableModel, TablePane, type TablePaneOptions } from "../table/pane.ts";
import type { FeedStatus, Parts, View } from "./view.ts";

type Rows = readonly OpenRecord[];

type SessionTableOptions = Pick<TablePaneOptions, "title" | "emptyText" | "notes" | "keyOf"> & {
  readonly rows: () => Rows;
};

class SessionTable extends TableModel {
  readonly channels: readonly string[] = [];
  readonly feeds: readonly FeedStatus[] = [];
  readonly pane: TablePane;
  readonly shows: Freezable<Rows>;

  constructor(parts: Parts, { rows, ...options }: SessionTableOptions) {
    super();
    const { shown } = parts;
    this.shows = new Freezable(rows);
    this.pane = new TablePane(parts, {
      ...options,
      fields: { show: showChannel },
      // Rows mask addresses themselves; nothing else in a session is private.
      isPublic: true,
      isAlwaysCurrent: true,
      status: () => {
        const isOpen = shown.store.link?.state === "open";
        return { state: isOpen ? "live" : "offline", age: "", note: "" };
      },
      records: () => maskRows(shown, this.shows.data),
    });
  }
}

/** Shortest address in base58; anything shorter is the mask. */
const MIN_ADDRESS = 32;

const showChannel: ShowCell = (_record, column, cell) => {
  if (column !== "channel") return cell;
  const [kind, address = "", ...rest] = cell.text.split("/");
  const isOfAccount = kind === "account" || kind === "accounts";
  if (!isOfAccount || address.length < MIN_ADDRESS) return cell;
  return { ...cell, text: [kind, shortAddress(address), ...rest].join("/") };
};

const ALERT_ON_ACCOUNT = /^account\/\S+ (?:\S+ )?[<>a-z]/;

function maskRows(shown: Readonly<Shown>, rows: Rows): Rows {
  if (!shown.isMasked) return rows;
  const maskValue = (value: unknown) => {
    if (typeof value !== "string") return value;
    // Levels of alerts on an account are as private as its balances.
    return ALERT_ON_ACCOUNT.test(value) ? MASK : shown.masked(value);
  };
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, maskValue(value)])),
  );
}

export const linkView: View<SessionTable> = {
  name: "link",
  title: "Link",
  action: "showLink",
  keepsChannels: true,
  isAvailable: () => true,
  createModel: (parts) => {
    const { now } = parts.shown;
    return new SessionTable(parts, {
      title: "Link",
      emptyText: "no channel is subscribed yet",
      keyOf: ({ channel }) => String(channel),
      rows: () => selectLinkRows(parts.shown.store, now()),
      notes: () => selectLinkNotes(parts.shown.store, now()),
    });
  },
};

/** Tolerance: the two clocks are read one after the other, the wall clock in whole milliseconds. */
const READ_TOGETHER_MS = 20;

export const logView: View<SessionTable> = {
  name: "log",
  title: "Log",
  action: "showLog",
  keepsChannels: true,
  isAvailable: () => true,
  createModel: (parts) => {
    // Constant until a clock is set, so that a line shows the same time whenever it is drawn.
    let wallOffsetMs = Number.NaN;
    return new SessionTable(parts, {
      title: "Log",
      // The selection stays with its line when others come above it.
      keyOf: (row) => Object.values(row).join("\n"),
      notes: () => [`times in ${parts.shown.display.zoneName(parts.shown.wall())}`],
      emptyText: "nothing has happened yet",
      rows: () => {
        const { store, wall, now } = parts.shown;
        const readMs = wall() - now();
        if (!(Math.abs(readMs - wallOffsetMs) < READ_TOGETHER_MS)) wallOffsetMs = readMs;
        return selectLogRows(store.log.lines, wallOffsetMs, parts.shown.display);
      },
    });
  },
};

/** @param wallOffsetMs Unix time minus the clock that stamped the lines, in milliseconds */
function selectLogRows(lines: readonly LoggedLine[], wallOffsetMs: number, display: Display): Rows {
  return lines
    .map(({ atMs, level, what, channel, detail, times }) => ({
      time: display.timeOfDay(wallOffsetMs + atMs, true),
      level,
      what: times > 1 ? `${what} ×${times}` : what,
      channel: channel ?? "",
      detail,
    }))
    .reverse();
}

const SKEW_SHOWN_MS = 2000;

/** One row per channel, in the order of the first subscription. */
export function selectLinkRows(store: Store, nowMs: number): Rows {
  return store.slices.map((slice) => createRow(store, slice, nowMs));
}

function createRow(store: Store, slice: Slice, nowMs: number): OpenRecord {
  const { channel, feed } = slice;
  // What nobody shows is off, whatever the link is.
  const { state, age, note } = selectPaneStatus(store, slice, nowMs, store.paneState(slice, nowMs));
  const { rejection, drift, confirmedAtMs, lagMs } = feed;
  const { frames, gaps, resyncs, rejected, late } = feed;
  return {
    channel,
    state,
    age,
    note,
    frames,
    gaps,
    resyncs,
    rejected,
    drift: feed.drifts,
    late,
    lag: lagMs === undefined ? "" : `${Math.round(lagMs)} ms`,
    ...selectLinkInterpretation(slice, nowMs),
    sequence: feed.sequence ?? "",
    previous: formatPrevious(store, slice),
    confirmed: confirmedAtMs === undefined ? "" : `${formatAge(nowMs - confirmedAtMs)} ago`,
    audit: formatAudits(store.audits.of(channel), nowMs),
    first_rejected:
      rejection === undefined ? "" : `${rejection.reason} ${rejection.path}: ${rejection.detail}`,
    first_drift: drift === undefined ? "" : `${drift.path}: ${drift.detail}`,
  };
}

/** What `previous_sequence` refers to on this channel. */
function formatPrevious({ counts }: Store, { kind, feed }: Slice): string {
  if (feed.sequence === undefined) return "";
  const found = counts.numbering[kind];
  if (found === undefined || found.previous === "frame") return "the frame before";
  if (found.previous === "nothing") {
    return `always null: missed frames are not seen by it (${found.frames} frames)`;
  }
  return `the transaction before on the service: missed frames are not seen by it (${found.unseen} of ${found.frames} named a frame that was never received)`;
}

/** Kinds whose sequences do not reveal missed frames. */
function formatBlindKinds({ numbering }: Store["counts"]): string {
  const kinds = Object.entries(numbering).filter(([, found]) => found.previous !== "frame");
  if (kinds.length === 0) return "";
  return `missed frames of ${kinds.map(([kind]) => kind).join(", ")} are not seen by their sequences`;
}

/** The link itself: `open 12 ms`, reconnects, version, clock skew, faults without a channel. */
export function selectLinkNotes(store: Store, nowMs: number): readonly string[] {
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
    counts.probingOff === undefined ? "" : `silent channels are not probed: ${counts.probingOff}`,
    formatBlindKinds(counts),
    store.audits.off === undefined ? "" : `no audits by snapshot: ${store.audits.off}`,
    link?.state === "open" && fault !== undefined ? `last fault: ${fault.detail}` : "",
  ];
}
