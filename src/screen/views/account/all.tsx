// All subaccounts of the named and watched addresses: a row each, most endangered first, and totals of the live ones below.
import { useEffect, useMemo } from "react";
import { accountsChannel } from "../../../select/account.ts";
import { formatDistance, formatStatus } from "../../../select/account-rows.ts";
import { fitTexts } from "../../../select/columns.ts";
import { type Cell, withSign } from "../../../select/fields.ts";
import { MASK } from "../../../select/mask.ts";
import {
  compareDanger,
  formatCount,
  formatNearest,
  formatRowName,
  formatTotals,
  type NamedAccount,
  OverviewEntries,
  type OverviewRow,
  OverviewRows,
  OverviewSubscriptions,
  selectTotals,
} from "../../../select/overview.ts";
import type { ShowCell } from "../../../select/record-format.ts";
import { selectPaneStatus, WAITING } from "../../../select/status.ts";
import { Memo } from "../../../units/memo.ts";
import { SECOND_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { PaneView, STATE_STYLES } from "../../panes/frame.tsx";
import { distanceStyle, marginStyle, signStyle } from "../../panes/pieces.ts";
import { Freezable } from "../../shown.ts";
import { TableModel, TablePane } from "../../table/pane.ts";
import type { StyleName } from "../../theme/theme.ts";
import type { FeedStatus, HeldGroup, Parts, ViewProps } from "../view.ts";

/** Sixteen accounts change all the time: their rows are painted four times a second, whatever is received. */
const PAINT_EVERY_MS = 250;

interface Column {
  value(row: OverviewRow): string | undefined;
  style?(row: OverviewRow): StyleName;
  /** Amounts keep the precision of the service. */
  show?(cell: Cell): Partial<Cell>;
  readonly isSecret?: true;
}

const NAME = "subaccount_id";
/** Columns after the name, in order. */
const COLUMNS: Readonly<Record<string, Column>> = {
  Equity: { value: ({ equity }) => equity, isSecret: true },
  Unrealised: {
    value: ({ unrealised }) => unrealised,
    style: ({ unrealised = "" }) => signStyle(unrealised),
    show: ({ text }) => ({ text: withSign(text) }),
    isSecret: true,
  },
  Liquidation: {
    value: ({ nearest }) => nearest && `${nearest.market} ${formatDistance(nearest.percent)}`,
    style: ({ nearest }) => (nearest ? distanceStyle(nearest.percent) : "text"),
    show: () => ({ kind: "text" }),
  },
  "Margin %": {
    value: ({ marginPercent }) => marginPercent,
    style: ({ marginPercent = "0" }) => marginStyle(marginPercent),
    show: ({ text }) => ({ text: `${text}%`, kind: "number" }),
  },
  "Margin used": { value: ({ marginUsed }) => marginUsed, isSecret: true },
  Positions: {
    value: ({ positions, questions }) => formatCount(positions, questions.positions),
    show: () => ({ kind: "number" }),
  },
  Orders: {
    value: ({ orders, questions }) => formatCount(orders, questions.orders),
    show: () => ({ kind: "number" }),
  },
  state: {
    value: ({ status: { state, age, note } }) =>
      `${STATE_STYLES[state][0]} ${state} ${age} ${note}`.replace(/ +/g, " ").trim(),
    style: ({ status }) => STATE_STYLES[status.state][1],
  },
  status: {
    value: (row) => {
      const status = getStatus(row);
      return status && formatStatus(status);
    },
    style: (row) => (getStatus(row) === "active" ? "text" : "notice"),
  },
  Currency: { value: ({ currency }) => currency },
};

function getStatus({ entry, ownStatus }: OverviewRow): string | undefined {
  return entry.status ?? ownStatus;
}

const show: ShowCell = (_record, column, cell, { isMasked }) => {
  if (cell.kind === "missing") return cell;
  if (isMasked && column === NAME)
    return { text: cell.text.replace(/^.*\//, `${MASK}/`), kind: "text" };
  const { isSecret, show: showOwn } = COLUMNS[column] ?? {};
  if (isMasked && isSecret) return { text: MASK, kind: "number" };
  return { ...cell, ...showOwn?.(cell) };
};

interface Shown {
  readonly rows: readonly OverviewRow[];
  readonly records: readonly OpenRecord[];
}

export class SubaccountsModel extends TableModel {
  readonly pane: TablePane;
  readonly shows: Freezable<Shown>;
  readonly #parts: Parts;
  readonly #entries = new OverviewEntries();
  readonly #rows = new OverviewRows();
  readonly #subscriptions: OverviewSubscriptions;
  readonly #rowOf = new WeakMap<OpenRecord, OverviewRow>();
  readonly #records = new WeakMap<OverviewRow, OpenRecord>();
  readonly #accounts = new Memo<readonly NamedAccount[]>();
  readonly #places = new Memo<ReadonlyMap<string, number>>();
  #shown: Shown = { rows: [], records: [] };

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    this.#subscriptions = new OverviewSubscriptions();
    this.shows = new Freezable(() => this.#select());
    this.pane = new TablePane(parts, {
      fields: { show },
      paintEveryMs: PAINT_EVERY_MS,
      title: "Subaccounts",
      channels: () => this.#catalogues,
      status: () => this.feeds[0]?.status ?? WAITING,
      isAlwaysCurrent: true,
      records: () => (this.#hasReceived ? this.shows.data?.records : undefined),
      missingText: () => "the catalogue has not been received yet",
      emptyText: "the address has no subaccounts",
      keyOf: (record) => this.#rowOf.get(record)?.entry.channel,
      first: [NAME, ...Object.keys(COLUMNS)],
      stateOf: (record) => this.#rowOf.get(record)?.status.state ?? "waiting",
      styleOf: (record, column) => {
        const row = this.#rowOf.get(record);
        return row && COLUMNS[column]?.style?.(row);
      },
      isInQuestion: (record) => {
        const { positions = 0, orders = 0 } = this.#rowOf.get(record)?.questions ?? {};
        return positions + orders > 0;
      },
      notes: () => this.#notes(),
      foot: (widthCells) => this.#foot(widthCells),
      onOpen: (record) => {
        const { address, subaccountId } = this.#rowOf.get(record)?.entry ?? {};
        if (address === undefined || subaccountId === undefined) return;
        parts.watch({ address, subaccountId });
      },
    });
  }

  get channels(): readonly string[] {
    const { channels } = this.#subscriptions;
    return [...this.#catalogues, ...channels];
  }

  get held(): HeldGroup {
    const names = this.accounts.map(
      ({ address, subaccountId = "" }) => `${address}/${subaccountId}`,
    );
    return { kind: "accounts", name: names.join(" ") };
  }

  get feeds(): readonly FeedStatus[] {
    const { store, now, isMasked } = this.#parts.shown;
    const catalogues = this.#catalogues.map((channel) => ({
      label: "catalogue",
      status: selectPaneStatus(store, store.slice("accounts", channel), now()),
    }));
    const { accounts } = this;
    const opened = new Set(this.#subscriptions.channels);
    const rows = this.#shown.rows
      .filter(({ entry }) => opened.has(entry.channel))
      .map((row) => ({ label: formatRowName(row, { accounts, isMasked }), status: row.status }));
    return [...catalogues, ...rows];
  }

  readonly hints = { openRow: "open" } as const;
  readonly keyDescriptions = { openRow: "open the subaccount" } as const;

  /** The accounts named by the user, or all of the address where one subaccount is named or watched. */
  get accounts(): readonly NamedAccount[] {
    const { shown, options } = this.#parts;
    const named = options.accounts ?? [];
    const address = shown.account?.address;
    return this.#accounts.get([named, address], () => {
      const isNamed = named.some(
        (each) => each.address === address && (each.subaccountId === undefined || named.length > 1),
      );
      const isOwn = address !== undefined && !isNamed;
      return [...named, ...(isOwn ? [{ address, subaccountId: undefined, name: undefined }] : [])];
    });
  }

  /** Subscribes to the next subaccount once the previous one has been received. */
  openNext(): void {
    const { shown, changes } = this.#parts;
    if (shown.isFrozen) return;
    const { store, now } = shown;
    const entries = this.#entries.select(store, this.accounts);
    if (this.#subscriptions.advance(entries, store, now())) changes.notify();
  }

  get #catalogues(): readonly string[] {
    return [...new Set(this.accounts.map(({ address }) => accountsChannel(address)))];
  }

  /** A subaccount that is named explicitly needs no catalogue. */
  get #hasReceived(): boolean {
    const { store } = this.#parts.shown;
    return (
      (this.shows.data?.rows.length ?? 0) > 0 ||
      this.#catalogues.some((channel) => store.slice("accounts", channel).feed.frames > 0)
    );
  }

  #select(): Shown {
    const { store, now, wall } = this.#parts.shown;
    const entries = this.#entries.select(store, this.accounts);
    const rows = this.#rows.select(entries, store, now());
    if (rows === this.#shown.rows) return this.#shown;
    // Rows change places at most once a second.
    const places = this.#places.get([entries, Math.floor(wall() / SECOND_MS)], () => {
      const sorted = rows.toSorted(compareDanger);
      return new Map(sorted.map(({ entry }, i) => [entry.channel, i]));
    });
    const sorted = rows.toSorted(
      (a, b) => (places.get(a.entry.channel) ?? 0) - (places.get(b.entry.channel) ?? 0),
    );
    this.#shown = { rows, records: sorted.map((row) => this.#recordOf(row)) };
    return this.#shown;
  }

  #recordOf(row: OverviewRow): OpenRecord {
    const known = this.#records.get(row);
    if (known !== undefined) return known;
    const values = Object.entries(COLUMNS).map(([name, { value }]) => [name, value(row)] as const);
    const record = {
      [NAME]: formatRowName(row, { accounts: this.accounts, isMasked: false }),
      ...Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    };
    this.#rowOf.set(record, row);
    this.#records.set(row, record);
    return record;
  }

  #notes(): readonly string[] {
    const rows = this.shows.data?.rows ?? [];
    const opened = new Set(this.#subscriptions.channels);
    const left = rows.filter(
      ({ entry }) => entry.status !== "closed" && !opened.has(entry.channel),
    );
    return [left.length === 0 ? "" : `${left.length} not subscribed`];
  }

  #foot(widthCells: number): string {
    const rows = this.shows.data?.rows ?? [];
    const { isMasked, display } = this.#parts.shown;
    const totals = formatTotals(selectTotals(rows), (text) =>
      isMasked ? MASK : display.money(text),
    );
    const [live = "", ...sums] = totals;
    return fitTexts([live, ...formatNearest(rows), ...sums], widthCells);
  }
}

export function SubaccountsView(props: ViewProps<SubaccountsModel>) {
  const { parts, model } = props;
  const source = useMemo(() => parts.changes.source(() => model.channels), [parts, model]);
  useEffect(() => {
    const undo = source(() => model.openNext());
    model.openNext();
    return undo;
  }, [source, model]);
  return <PaneView {...props} />;
}
