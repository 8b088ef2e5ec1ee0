// All subaccounts of one or several addresses: a row for each with the figures of its own channel, and their totals.

import type { AccountState } from "../state/account.ts";
import type { AccountsState } from "../state/accounts.ts";
import type { Aliases } from "../state/aliases.ts";
import { isAnswered } from "../state/feed.ts";
import { isCurrent } from "../state/pane-state.ts";
import type { Store } from "../state/store.ts";
import { addDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import { Memo, reuseIfSame } from "../units/memo.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type AccountChoice, accountChannel, accountsChannel } from "./account.ts";
import {
  formatDistance,
  isUnconfirmed,
  type NearestLiquidation,
  selectMarginShare,
  selectNearestLiquidation,
} from "./account-rows.ts";
import { readDecimalText, shortAddress } from "./fields.ts";
import { MASK } from "./mask.ts";
import { type PaneStatus, selectPaneStatus } from "./status.ts";

/** An address or one of its subaccounts, and the user's name for it. */
export interface NamedAccount extends AccountChoice {
  readonly name: string | undefined;
}

export interface OverviewEntry {
  readonly address: string;
  readonly subaccountId: string;
  /** The user's name, of the address or of the subaccount. */
  readonly name: string | undefined;
  /** From the catalogue; undefined while it does not list the subaccount. */
  readonly status: string | undefined;
  readonly createdAtNs: string | undefined;
  readonly channel: string;
}

/** Figures of a subaccount as the service sends them, decimal text; undefined if unknown. */
interface Figures {
  /** Status in its own record, in case the catalogue has none. */
  readonly ownStatus: string | undefined;
  readonly currency: string | undefined;
  readonly equity: string | undefined;
  readonly unrealised: string | undefined;
  readonly marginUsed: string | undefined;
  /** Margin in percent of the equity. */
  readonly marginPercent: string | undefined;
  readonly nearest: NearestLiquidation | undefined;
  readonly orders: number | undefined;
  readonly positions: number | undefined;
  /** Number of rows that may be wrong, have ended, or are duplicates. */
  readonly questions: { readonly orders: number; readonly positions: number };
}

export interface OverviewRow extends Figures {
  readonly entry: OverviewEntry;
  /** Of its own channel; `off` if that is not subscribed. */
  readonly status: PaneStatus;
  readonly ageMs: number | undefined;
}

const NO_FIGURES: Figures = {
  ownStatus: undefined,
  currency: undefined,
  equity: undefined,
  unrealised: undefined,
  marginUsed: undefined,
  marginPercent: undefined,
  nearest: undefined,
  orders: undefined,
  positions: undefined,
  questions: { orders: 0, positions: 0 },
};

const OFF: PaneStatus = { state: "off", age: "", note: "" };

/** Entries in the order of the accounts and of their catalogues; the same array until one of them changes. */
export class OverviewEntries {
  readonly #entries = new Memo<readonly OverviewEntry[]>();

  select(store: Store, accounts: readonly NamedAccount[]): readonly OverviewEntry[] {
    const lists = accounts.map(({ address }) => {
      const channel = accountsChannel(address);
      return store.versionOf(channel) === 0
        ? undefined
        : store.slice("accounts", channel).data.subaccounts;
    });
    return this.#entries.get([accounts, ...lists], () => listEntries(accounts, lists));
  }
}

function listEntries(
  accounts: readonly NamedAccount[],
  lists: readonly (AccountsState["subaccounts"] | undefined)[],
): readonly OverviewEntry[] {
  const entries = new Map<string, OverviewEntry>();
  for (const [i, account] of accounts.entries()) {
    const list = lists[i] ?? [];
    const add = (subaccountId: string, status?: string, createdAtNs?: string) => {
      const { address, name } = account;
      const channel = accountChannel({ address, subaccountId });
      if (entries.has(channel)) return;
      entries.set(channel, { address, subaccountId, name, status, createdAtNs, channel });
    };
    if (account.subaccountId !== undefined) {
      const own = list.find((each) => String(each.subaccount_id) === account.subaccountId);
      add(account.subaccountId, own?.status, own?.created_at_ns);
      continue;
    }
    for (const each of list) add(String(each.subaccount_id), each.status, each.created_at_ns);
  }
  return [...entries.values()];
}

/** Default number of subscriptions open at the same time. */
const MAX_OPEN = 16;
const MAX_REFUSED = 4;
/** A channel without data for this long no longer holds up the next one. */
const PATIENCE_MS = 2000;

/** Which subaccounts are subscribed: one after the other, the next once the previous one has been answered. */
export class OverviewSubscriptions {
  /** The same array until another one is subscribed. */
  channels: readonly string[] = [];
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #candidates: readonly OverviewEntry[] = [];
  #next = 0;

  /** @returns true if another one was subscribed */
  advance(entries: readonly OverviewEntry[], store: Store, nowMs: number): boolean {
    if (entries !== this.#candidates) {
      this.#candidates = entries;
      this.#next = 0;
    }
    const held = new Set(this.channels);
    const last = this.channels.at(-1);
    const isDue =
      last === undefined ||
      hasAnswer(store, last) ||
      getFeed(store, last)?.phase === "unavailable" ||
      nowMs - this.#openedAtMs >= PATIENCE_MS;
    if (!isDue || this.#next >= entries.length || this.#isFull(store)) return false;
    for (; this.#next < entries.length; this.#next++) {
      const { channel, status } = entries[this.#next] as OverviewEntry;
      // Closed ones have no more updates, but stay as rows.
      if (status === "closed" || held.has(channel)) continue;
      this.channels = [...this.channels, channel];
      this.#openedAtMs = nowMs;
      return true;
    }
    return false;
  }

  /** True if none is left to subscribe, and each has been answered or has had its time. */
  isSettled(store: Store, nowMs: number): boolean {
    const last = this.channels.at(-1);
    const isLastOver = last === undefined || nowMs - this.#openedAtMs >= PATIENCE_MS;
    const isAtEnd = this.#next >= this.#candidates.length || this.#isFull(store);
    return isAtEnd && (isLastOver || this.channels.every((each) => hasAnswer(store, each)));
  }

  #isFull(store: Store): boolean {
    const isOpen = this.channels.map((each) => getFeed(store, each)?.phase !== "refused");
    const last = isOpen.slice(-MAX_REFUSED);
    return (
      isOpen.filter(Boolean).length >= MAX_OPEN ||
      (last.length === MAX_REFUSED && !last.includes(true))
    );
  }
}

function getFeed(store: Store, channel: string) {
  return store.versionOf(channel) === 0 ? undefined : store.slice("account", channel).feed;
}

function hasAnswer(store: Store, channel: string): boolean {
  const feed = getFeed(store, channel);
  return feed !== undefined && isAnswered(feed);
}

/** Rows of entries; each stays the same object until its channel or its age in seconds changes. */
export class OverviewRows {
  readonly #known = new Map<
    string,
    { entry: OverviewEntry; version: number; second: number; figures: Figures; row: OverviewRow }
  >();
  #rows: readonly OverviewRow[] = [];

  /** The same array until a row changes. */
  select(entries: readonly OverviewEntry[], store: Store, nowMs: number): readonly OverviewRow[] {
    const rows = entries.map((entry) => this.#rowOf(entry, store, nowMs));
    this.#rows = reuseIfSame(this.#rows, rows);
    return this.#rows;
  }

  #rowOf(entry: OverviewEntry, store: Store, nowMs: number): OverviewRow {
    const { channel } = entry;
    const version = store.versionOf(channel);
    const second = version === 0 ? 0 : Math.floor(nowMs / 1000);
    const known = this.#known.get(channel);
    const isSame = known?.entry === entry && known.version === version;
    if (isSame && known.second === second) return known.row;
    const slice = version === 0 ? undefined : store.slice("account", channel);
    const figures =
      slice === undefined
        ? NO_FIGURES
        : (isSame && known.figures) || selectSums(slice.data, store.aliases);
    const status = slice === undefined ? OFF : selectPaneStatus(store, slice, nowMs);
    const atMs = slice?.feed.lastFrameAtMs;
    const ageMs = atMs === undefined ? undefined : Math.max(0, Math.round(nowMs - atMs));
    const row = { entry, status, ageMs, ...figures };
    this.#known.set(channel, { entry, version, second, figures, row });
    return row;
  }
}

function selectSums(account: AccountState, aliases: Aliases): Figures {
  const { summary } = account;
  const { positions, orders } = account.lists;
  const isRatio = !isUnconfirmed(account, aliases, ["margin", "equity"]);
  // A value that the newest record omits may be old: sums of it would be of different times.
  const textOf = (meaning: "equity" | "margin" | "unrealizedPnl") =>
    summary && !isUnconfirmed(account, aliases, [meaning])
      ? readDecimalText(summary, meaning, aliases)
      : undefined;
  return {
    ownStatus: summary && aliases.text(summary, "status"),
    currency: summary && selectCurrency(summary, aliases),
    equity: textOf("equity"),
    unrealised: textOf("unrealizedPnl") ?? sumUnrealised(positions, aliases),
    marginUsed: textOf("margin"),
    // Figures of different times must not be combined.
    marginPercent: summary && isRatio ? selectMarginShare(summary, aliases) : undefined,
    nearest: positions.isReceived ? selectNearestLiquidation(positions.rows, aliases) : undefined,
    orders: orders.isReceived ? orders.rows.length : undefined,
    positions: positions.isReceived ? positions.rows.length : undefined,
    questions: { orders: orders.inQuestion.size, positions: positions.inQuestion.size },
  };
}

function selectCurrency(summary: OpenRecord, aliases: Aliases): string | undefined {
  for (const meaning of ["asset", "accountAsset", "quoteAsset"] as const) {
    const text = aliases.text(summary, meaning);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** From the positions, if the subaccount's own record lacks it: only if each of them has it, and none is in question. */
function sumUnrealised(
  { isReceived, rows, inQuestion }: AccountState["lists"]["positions"],
  aliases: Aliases,
): string | undefined {
  if (!isReceived || inQuestion.size > 0) return undefined;
  return addAll(rows.map((row) => readDecimalText(row, "unrealizedPnl", aliases)));
}

/** Exact; undefined if one of them is not a decimal. */
function addAll(texts: readonly (string | undefined)[]): string | undefined {
  let sum: Decimal = { mantissa: 0n, places: 0 };
  for (const text of texts) {
    const value = parseDecimal(text ?? "");
    if (value === undefined) return undefined;
    sum = addDecimal(sum, value);
  }
  return formatDecimal(sum);
}

export type OverviewTotals = ReturnType<typeof selectTotals>;

/**
 * Totals of live rows with one currency. A sum is undefined if a live row lacks its part, or its currency; `why` then gives
 * the reason, else it is empty. `of` counts all rows, whatever their state.
 */
export function selectTotals(rows: readonly OverviewRow[]) {
  const live = rows.filter(({ status }) => isCurrent(status.state));
  const currencies = new Set(live.map(({ currency }) => currency));
  const isOne = currencies.size === 1 && !currencies.has(undefined);
  const sum = (name: "equity" | "unrealised" | "marginUsed") =>
    isOne ? addAll(live.map((row) => row[name])) : undefined;
  const count = (name: "orders" | "positions") => {
    const counts = live.map((row) => row[name]);
    return live.length === 0 || counts.includes(undefined)
      ? undefined
      : counts.reduce<number>((total, each) => total + (each ?? 0), 0);
  };
  return {
    live: live.length,
    of: rows.length,
    closed: rows.filter(({ entry }) => entry.status === "closed").length,
    currency: isOne ? live[0]?.currency : undefined,
    equity: sum("equity"),
    unrealised: sum("unrealised"),
    marginUsed: sum("marginUsed"),
    orders: count("orders"),
    positions: count("positions"),
    why: isOne || live.length === 0 ? "" : formatCurrencies(live),
  };
}

function formatCurrencies(live: readonly OverviewRow[]): string {
  const unknown = live.filter(({ currency }) => currency === undefined).length;
  if (unknown === live.length) return "the service names no currency";
  if (unknown > 0) return `${unknown} of ${live.length} live name no currency`;
  return `${new Set(live.map(({ currency }) => currency)).size} currencies`;
}

/**
 * Most endangered first: by distance to liquidation, then rows whose current state is unknown, then by margin used. Closed
 * ones come last. Negative if `a` comes before `b`.
 */
export function compareDanger(a: OverviewRow, b: OverviewRow): number {
  return (
    compareKeys(getDanger(a), getDanger(b)) ||
    a.entry.address.localeCompare(b.entry.address) ||
    Number(a.entry.subaccountId) - Number(b.entry.subaccountId)
  );
}

function getDanger({ entry, nearest, status, marginPercent }: OverviewRow): readonly number[] {
  const isClosed = entry.status === "closed";
  const distance = nearest === undefined ? Number.POSITIVE_INFINITY : Number(nearest.percent);
  const isKnown = isCurrent(status.state) || status.state === "off";
  return [Number(isClosed), distance, Number(isKnown), -Number(marginPercent ?? 0)];
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, i) => each !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

// An overview of subaccounts as text, for the screen and plain text.

/** `3 of 4 live`, the totals, and what they leave out. @param show formats an amount */
export function formatTotals(
  totals: OverviewTotals,
  show: (amount: string) => string,
): readonly string[] {
  const { live, of, closed, equity, unrealised, marginUsed, orders, positions } = totals;
  const unit = totals.currency === undefined ? "" : ` ${totals.currency}`;
  const money = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`${label} ${show(text)}${unit}`];
  return [
    `${live} of ${of} live`,
    ...(closed > 0 ? [`${closed} closed`] : []),
    ...money("equity", equity),
    ...money("unrealised", unrealised),
    ...money("margin", marginUsed),
    ...(orders === undefined ? [] : [`orders ${orders}`]),
    ...(positions === undefined ? [] : [`positions ${positions}`]),
    ...(totals.why === "" ? [] : [`no sums: ${totals.why}`]),
  ];
}

/** Among all rows, with the subaccount that it belongs to. */
export function formatNearest(rows: readonly OverviewRow[]): readonly string[] {
  const [first] = rows
    .flatMap(({ nearest, entry }) => (nearest === undefined ? [] : [{ nearest, entry }]))
    .sort((a, b) => Number(a.nearest.percent) - Number(b.nearest.percent));
  if (first === undefined) return [];
  const { nearest, entry } = first;
  const distance = `${nearest.market} ${formatDistance(nearest.percent)}`;
  return [`liquidation ${distance} (subaccount ${entry.subaccountId})`];
}

export function formatCount(count: number | undefined, inQuestion: number): string | undefined {
  return count === undefined ? undefined : `${count}${inQuestion > 0 ? "?" : ""}`;
}

/** The id alone if one address is shown. */
export function formatRowName(
  { entry }: OverviewRow,
  {
    accounts,
    isMasked,
  }: { readonly accounts: readonly NamedAccount[]; readonly isMasked: boolean },
): string {
  const { address, name, subaccountId } = entry;
  if (accounts.length === 1) return subaccountId;
  return `${isMasked ? MASK : (name ?? shortAddress(address))}/${subaccountId}`;
}
