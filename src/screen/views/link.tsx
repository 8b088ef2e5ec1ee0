// The session itself: the link with all its channels, and the log. Both tables are rebuilt whenever they are drawn, with the
// state of the link.
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
import { useSelected } from "../changes.ts";
import type { Action, KeyContext } from "../keys.ts";
import { focusAfter, PaneGroup } from "../panes/frame.tsx";
import { Freezable, type Shown } from "../shown.ts";
import { TablePane, type TablePaneOptions } from "../table/pane.ts";
import type { FeedStatus, Parts, Typing, View, ViewModel, ViewProps } from "./view.ts";

type Rows = readonly OpenRecord[];

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

const PANES = ["channels", "log"] as const;
type LinkPane = (typeof PANES)[number];

/** A view with less room has only the focused pane. */
const MIN_HEIGHT_OF_TWO = 16;
const MIN_PANE_ROWS = 6;
/** Frame and titles. */
const TABLE_ROWS = 3;
const MAX_SHARE = 0.6;

class LinkModel implements ViewModel {
  readonly channels: readonly string[] = [];
  readonly feeds: readonly FeedStatus[] = [];
  readonly panes: Readonly<Record<LinkPane, TablePane>>;
  readonly shows: Freezable<Readonly<Record<LinkPane, Rows>>>;
  readonly #parts: Parts;
  focus: LinkPane = "channels";
  #isZoomed = false;
  #heights: Layout = [];

  constructor(parts: Parts) {
    const { shown } = parts;
    this.#parts = parts;
    const times = new LogTimes();
    this.shows = new Freezable(() => ({
      channels: selectLinkRows(shown.store, shown.now()),
      log: selectLogRows(shown.store.log.lines, times.offsetMs(shown), shown.display),
    }));
    this.panes = {
      channels: this.#createPane("channels", {
        title: "Link",
        emptyText: "no channel is subscribed yet",
        keyOf: ({ channel }) => String(channel),
        notes: () => selectLinkNotes(shown.store, shown.now()),
      }),
      log: this.#createPane("log", {
        title: "Log",
        // The selection stays with its line when others come above it.
        keyOf: (row) => Object.values(row).join("\n"),
        notes: () => [`times in ${shown.display.zoneName(shown.wall())}`],
        emptyText: "nothing has happened yet",
      }),
    };
  }

  get contexts(): readonly KeyContext[] {
    const { contexts, isRecordOpen } = this.panes[this.focus];
    return isRecordOpen ? contexts : [...contexts, "panes"];
  }

  get typing(): Typing | undefined {
    return this.panes[this.focus].typing;
  }

  /** The same object until the layout changes. */
  layoutFor(height: number): Layout {
    const { focus } = this;
    const isAlone = this.#isZoomed || this.panes[focus].isRecordOpen || height < MIN_HEIGHT_OF_TWO;
    const wanted = this.shows.data.channels.length + TABLE_ROWS;
    const first = Math.max(MIN_PANE_ROWS, Math.min(wanted, Math.round(height * MAX_SHARE)));
    const heights: Layout = isAlone
      ? [[focus, height]]
      : [
          ["channels", first],
          ["log", height - first],
        ];
    if (JSON.stringify(heights) !== JSON.stringify(this.#heights)) this.#heights = heights;
    return this.#heights;
  }

  findChannel(channel: string): void {
    this.focus = "channels";
    this.panes.channels.table.setFilter(this.#parts.shown.masked(channel));
    this.#parts.changes.notify();
  }

  perform(action: Action): boolean {
    if (this.panes[this.focus].perform(action)) return true;
    if (action === "focusNext" || action === "focusPrevious")
      this.focus = focusAfter(PANES, this.focus, 1) ?? this.focus;
    else if (action === "zoom") this.#isZoomed = !this.#isZoomed;
    else if (action === "back" && this.#isZoomed) this.#isZoomed = false;
    else return false;
    this.#parts.changes.notify();
    return true;
  }

  #createPane(
    pane: LinkPane,
    options: Pick<TablePaneOptions, "title" | "emptyText" | "notes" | "keyOf">,
  ): TablePane {
    const { shown } = this.#parts;
    return new TablePane(this.#parts, {
      ...options,
      fields: { show: showChannel },
      // Rows mask addresses themselves; nothing else in a session is private.
      isPublic: true,
      isAlwaysCurrent: true,
      isFocused: () => this.focus === pane,
      status: () => {
        const isOpen = shown.store.link?.state === "open";
        return { state: isOpen ? "live" : "offline", age: "", note: "" };
      },
      records: () => maskRows(shown, this.shows.data[pane]),
    });
  }
}

type Layout = readonly (readonly [pane: LinkPane, height: number])[];

/** The connection and its channels above, what has happened below. */
function LinkView({ parts, model, theme, width, height }: ViewProps<LinkModel>) {
  const layout = useSelected(parts.changes, () => model.layoutFor(height));
  return (
    <PaneGroup
      direction="column"
      placed={layout.map(([pane, rows]) => ({ pane, width, height: rows }))}
      panes={model.panes}
      parts={parts}
      theme={theme}
    />
  );
}

export const linkView: View<LinkModel> = {
  name: "link",
  title: "Link",
  action: "showLink",
  keepsChannels: true,
  isAvailable: () => true,
  createModel: (parts) => new LinkModel(parts),
  Component: LinkView,
};

/** Tolerance: the two clocks are read one after the other, the wall clock in whole milliseconds. */
const READ_TOGETHER_MS = 20;

/** Unix time minus the clock that stamps lines: constant until a clock is set, so that a line keeps its time. */
class LogTimes {
  #offsetMs = Number.NaN;

  offsetMs({ wall, now }: Pick<Shown, "wall" | "now">): number {
    const readMs = wall() - now();
    if (!(Math.abs(readMs - this.#offsetMs) < READ_TOGETHER_MS)) this.#offsetMs = readMs;
    return this.#offsetMs;
  }
}

/** Newest first, without what is only of use to who looks for a fault of the program. */
function selectLogRows(lines: readonly LoggedLine[], wallOffsetMs: number, display: Display): Rows {
  return lines
    .filter(({ level }) => level !== "debug")
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
