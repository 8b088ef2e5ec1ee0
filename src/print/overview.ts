// All subaccounts of one or several addresses as plain text: one line for a running command, a page for --once and --for.

import type { Context } from "../args/context.ts";
import type { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { accountsChannel } from "../select/account.ts";
import { formatDistance, formatStatus } from "../select/account-rows.ts";
import { shortAddress, withSign } from "../select/fields.ts";
import { MASK, maskText } from "../select/mask.ts";
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
  type OverviewTotals,
  selectTotals,
} from "../select/overview.ts";
import { formatLink } from "../select/status.ts";
import { isAnswered } from "../state/feed.ts";
import type { Store } from "../state/store.ts";
import { visible } from "../terminal/visible.ts";
import { every } from "../units/clock.ts";
import { formatDecimal, parseDecimal } from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";
import { exactInteger } from "../wire/exact-numbers.ts";
import { linkLines } from "./account.ts";
import { linkJson, paneJson } from "./account-json.ts";
import { formatMissing, type HeadlessView, printLive } from "./forms.ts";
import { columnTable, type TextColumn } from "./text-table.ts";

/** Maximum rows on a page; --json has all of them. */
const MAX_ROWS = 200;

function overviewLine(snapshot: OverviewSnapshot, wallMs: number): string {
  const { store, rows, nowMs, isMasked } = snapshot;
  return [
    formatIsoMs(wallMs),
    nameOf(snapshot),
    ...totalsText(rows, isMasked),
    ...formatNearest(rows).map(visible),
    `link ${visible(formatLink(store.link, nowMs))}`,
  ].join("  ");
}

/** @param missingText reasons why catalogues are missing */
function overviewPage(snapshot: OverviewSnapshot, missingText: readonly string[]): string {
  const { store, rows, nowMs, isMasked } = snapshot;
  const hidden = (text: string | undefined) => (isMasked && text !== undefined ? MASK : text);
  const columns: readonly TextColumn<OverviewRow>[] = [
    ["subaccount", (row) => formatRowName(row, snapshot), "left"],
    ["status", ({ entry, ownStatus }) => formatWord(entry.status ?? ownStatus), "left"],
    ["equity", ({ equity }) => hidden(equity)],
    ["unrealised", ({ unrealised }) => hidden(unrealised && withSign(unrealised))],
    ["margin used", ({ marginUsed }) => hidden(marginUsed)],
    ["margin %", ({ marginPercent }) => marginPercent],
    [
      "nearest liquidation",
      ({ nearest }) => nearest && `${nearest.market} ${formatDistance(nearest.percent)}`,
      "left",
    ],
    ["orders", ({ orders, questions }) => formatCount(orders, questions.orders)],
    ["positions", ({ positions, questions }) => formatCount(positions, questions.positions)],
    [
      "state",
      ({ status: { state, age, note } }) => `${state} ${age} ${note}`.replace(/ +/g, " ").trim(),
      "left",
    ],
  ];
  const shown = rows.slice(0, MAX_ROWS);
  const table = () => columnTable(columns, shown);
  const more = rows.length - shown.length;
  return [
    `account  ${nameOf(snapshot)}`,
    "",
    ...(rows.length > 0 ? table() : missingText.length > 0 ? [] : ["no subaccounts"]),
    ...(more > 0 ? [`… ${more} more`] : []),
    ...missingText.map(visible),
    "",
    `total   ${totalsText(rows, isMasked).join("  ")}`,
    ...linkLines(store, nowMs),
  ].join("\n");
}

function totalsText(rows: readonly OverviewRow[], isMasked: boolean): readonly string[] {
  return formatTotals(selectTotals(rows), (text) => (isMasked ? MASK : text)).map(visible);
}

function formatWord(status: string | undefined): string | undefined {
  return status && formatStatus(status);
}

function nameOf({ accounts, isMasked }: OverviewSnapshot): string {
  if (isMasked) return MASK;
  return accounts.map(({ name, address }) => name ?? shortAddress(address)).join(", ");
}

// All subaccounts of an address as one JSON object: a row for each, and totals of the live ones.

/** An overview at one moment. `nowMs` is monotonic. */
interface OverviewSnapshot {
  readonly store: Store;
  readonly accounts: readonly NamedAccount[];
  readonly rows: readonly OverviewRow[];
  readonly nowMs: number;
  readonly isMasked: boolean;
}

/** For a single address its object; for several a list of these under `accounts`, with the totals of all. */
function overviewJson(snapshot: OverviewSnapshot): object {
  const { store, accounts, rows } = snapshot;
  const addresses = [...new Set(accounts.map(({ address }) => address))];
  const all = addresses.map((address) => addressJson(snapshot, address));
  const link = linkJson(store);
  return all.length === 1
    ? { ...all[0], link }
    : { accounts: all, totals: totalsJson(selectTotals(rows)), link };
}

function addressJson({ store, accounts, rows, nowMs }: OverviewSnapshot, address: string): object {
  const catalogue = store.slice("accounts", accountsChannel(address));
  const own = rows.filter(({ entry }) => entry.address === address);
  return {
    address,
    name: accounts.find((each) => each.address === address && each.subaccountId === undefined)
      ?.name,
    subaccounts: own.map(rowJson),
    totals: totalsJson(selectTotals(own)),
    delegations: catalogue.data.delegations,
    panes: { accounts: paneJson(store, catalogue, nowMs) },
  };
}

function rowJson(row: OverviewRow): object {
  const { entry, status, ageMs, nearest, marginPercent } = row;
  return {
    subaccount_id: exactInteger(entry.subaccountId),
    name: entry.name,
    status: entry.status ?? row.ownStatus ?? null,
    created_at_ns: entry.createdAtNs,
    state: status.state,
    note: status.note || undefined,
    age_ms: ageMs ?? null,
    ...moneyJson(row),
    margin_ratio: marginPercent && toFraction(marginPercent),
    nearest_liquidation: nearest && {
      market: nearest.name ?? null,
      symbol: nearest.market,
      distance: toFraction(nearest.percent),
    },
    in_question: row.questions,
  };
}

function totalsJson(totals: OverviewTotals): object {
  const { live, of, closed, why } = totals;
  return { live, of, closed, ...moneyJson(totals), why: why || undefined };
}

type Sums = Pick<
  OverviewTotals,
  "currency" | "equity" | "unrealised" | "marginUsed" | "orders" | "positions"
>;

function moneyJson({ currency, equity, unrealised, marginUsed, orders, positions }: Sums): object {
  return { currency, equity, unrealised, margin_used: marginUsed, orders, positions };
}

/** @param percent decimal text */
function toFraction(percent: string): string {
  const { mantissa = 0n, places = 0 } = parseDecimal(percent) ?? {};
  return formatDecimal({ mantissa, places: places + 2 });
}

interface OverviewRun {
  readonly findService: () => Promise<Service>;
  readonly accounts: readonly NamedAccount[];
}

/** How often to check whether the next subaccount is due while nothing is received. */
const LOOK_EVERY_MS = 250;

/** @throws {ServiceError} if the first connection cannot be made */
export function printOverview(context: Context, run: OverviewRun): Promise<number> {
  return printLive(context, run, (session) => {
    const stop = every(context.clock, LOOK_EVERY_MS, () => session.check());
    return { ...createView(context, session, run.accounts), close: stop };
  });
}

function createView(
  { clock, options }: Context,
  { live: { store, stream } }: HeadlessSession,
  accounts: readonly NamedAccount[],
): HeadlessView {
  const list = new OverviewEntries();
  const rows = new OverviewRows();
  const subscriptions = new OverviewSubscriptions();
  const catalogues = [...new Set(accounts.map(({ address }) => accountsChannel(address)))];
  for (const channel of catalogues) stream.subscribe(channel);
  const slices = () => catalogues.map((channel) => store.slice("accounts", channel));
  return {
    follow() {
      while (subscriptions.advance(list.select(store, accounts), store, clock.now())) {
        const channel = subscriptions.channels.at(-1);
        if (channel !== undefined) stream.subscribe(channel);
      }
    },
    isSettled: () =>
      slices().every(({ feed }) => isAnswered(feed)) && subscriptions.isSettled(store, clock.now()),
    snapshot() {
      const nowMs = clock.now();
      const all = rows.select(list.select(store, accounts), store, nowMs);
      const shown = { store, accounts, nowMs, isMasked: options.mask ?? false };
      const opened = subscriptions.channels.map((each) => store.slice("account", each));
      const missing = [...slices(), ...opened].flatMap(({ channel, feed }) => {
        if (feed.frames > 0) return [];
        const words = formatMissing(channel, feed, store.link);
        return [shown.isMasked ? maskText(words, undefined) : words];
      });
      const danger = { ...shown, rows: all.toSorted(compareDanger) };
      return {
        nowMs,
        line: () => overviewLine(danger, clock.wall()),
        page: () => overviewPage(danger, missing),
        json: () => overviewJson({ ...shown, rows: all }),
        missing: () => missing,
      };
    },
  };
}
