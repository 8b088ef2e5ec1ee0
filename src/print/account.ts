// A subaccount as plain text: one line for a running command, a page for --once and --for.

import type { Context } from "../args/context.ts";
import type { Service } from "../live/service.ts";
import { Upkeep } from "../live/upkeep.ts";
import {
  accountChannel,
  accountsChannel,
  chosenSubaccount,
  type Subaccount,
} from "../select/account.ts";
import {
  formatDelegation,
  formatQuestions,
  formatSubaccount,
  PositionRows,
  showDirection,
  showOrder,
} from "../select/account-rows.ts";
import { ColumnSet } from "../select/columns.ts";
import { EXACT } from "../select/display.ts";
import { type Cell, MISSING, shortAddress } from "../select/fields.ts";
import { formatMarket, parseMarketRecord } from "../select/market.ts";
import { MASK } from "../select/mask.ts";
import {
  formatField,
  formatHeader,
  type RecordFormat,
  type ShowCell,
} from "../select/record-format.ts";
import { formatScale, openScales, selectAccountScales } from "../select/scale.ts";
import { formatLink, selectPaneStatus } from "../select/status.ts";
import { ACCOUNT_LISTS, ACCOUNT_LOGS, type AccountState } from "../state/account.ts";
import { isAnswered } from "../state/feed.ts";
import type { Store } from "../state/store.ts";
import { visible } from "../terminal/visible.ts";
import type { Scale } from "../units/scale.ts";
import { formatIsoMs } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type AccountSnapshot, accountViewJson } from "./account-json.ts";
import { formatMissing, type HeadlessSnapshot, printLive } from "./forms.ts";
import { textTable } from "./text-table.ts";

/** Maximum rows of each table on a page; --json has all of them. */
const MAX_ROWS = 50;
const SIDES = {
  positions: showDirection,
  orders: showOrder,
  balances: undefined,
  leverages: undefined,
  fills: showOrder,
  funding_payments: showDirection,
} as const;
const FIGURES = [
  ["equity", "equity"],
  ["upnl", "unrealizedPnl"],
] as const;

export function accountLine(snapshot: AccountSnapshot): string {
  const { store, account, nowMs, wallMs } = snapshot;
  const { subaccountId } = account;
  const details =
    subaccountId === undefined
      ? [
          `${store.slice("accounts", accountsChannel(account.address)).data.subaccounts.length} subaccounts`,
        ]
      : figures(snapshot, { ...account, subaccountId });
  return [
    formatIsoMs(wallMs),
    formatName(snapshot),
    ...details,
    `link ${visible(formatLink(store.link, nowMs))}`,
  ].join("  ");
}

type AccountFacts = Omit<AccountSnapshot, "account" | "wallMs">;

function figures(snapshot: AccountFacts, account: Subaccount): string[] {
  const { store, nowMs } = snapshot;
  const slice = store.slice("account", accountChannel(account));
  const { data } = slice;
  const { summary } = data;
  const format = getFormat(snapshot);
  const { state, age } = selectPaneStatus(store, slice, nowMs);
  return [
    ...FIGURES.map(([label, meaning]) => {
      const column = summary && store.aliases.columnOf(summary, meaning);
      const isAvailable = summary !== undefined && column !== undefined;
      return `${label} ${isAvailable ? formatField(format, summary, column).text : "not provided"}`;
    }),
    ...ACCOUNT_LISTS.map((name) => {
      const { isReceived, rows } = data.lists[name];
      return `${name} ${isReceived ? rows.length : MISSING}`;
    }),
    `fills ${data.logs.fills.isReceived ? data.logs.fills.total : MISSING}`,
    `account ${state} ${age}`.trimEnd(),
  ].map(visible);
}

export function accountPage(snapshot: AccountSnapshot): string {
  const { store, account, nowMs } = snapshot;
  const { subaccountId } = account;
  const sections =
    subaccountId === undefined ? [] : accountSections(snapshot, { ...account, subaccountId });
  return [
    `account  ${formatName(snapshot)}`,
    ...scaleLines(snapshot),
    ...sections.flatMap((lines) => ["", ...lines]),
    ...catalogueSections(snapshot).flatMap((lines) => ["", ...lines]),
    "",
    ...linkLines(store, nowMs),
  ].join("\n");
}

export function linkLines({ link, faults }: Store, nowMs: number): readonly string[] {
  const { gaps, resyncs, rejected, drifts } = faults;
  return [
    `link    ${visible(formatLink(link, nowMs))}`,
    `faults  gaps ${gaps}  resyncs ${resyncs}  rejected ${rejected}  drift ${drifts}`,
  ];
}

/** Tick and lot size of each market with rows, and their source. */
function scaleLines({ store, account, scales }: AccountSnapshot): string[] {
  const chosen = chosenSubaccount(account);
  const known = chosen === undefined ? {} : selectAccountScales(store, chosen, scales);
  return Object.entries(known).map(
    ([market, scale]) => `scale    ${market} ${visible(formatScale(scale))}`,
  );
}

export function accountSections(snapshot: AccountFacts, account: Subaccount): string[][] {
  const { data } = snapshot.store.slice("account", accountChannel(account));
  const { summary, lists } = data;
  const { store, scales } = snapshot;
  const positions = new PositionRows(store.aliases, (market) => scales.of(market).scale);
  const rowsOf = (name: (typeof ACCOUNT_LISTS)[number]) =>
    name === "positions"
      ? positions.select(lists.positions.rows, lists.leverages.rows)
      : lists[name].rows;
  return [
    section(snapshot, "summary", summary === undefined ? undefined : [summary]),
    ...ACCOUNT_LISTS.map((name) =>
      section(
        snapshot,
        formatTitle(data, name),
        lists[name].isReceived ? rowsOf(name) : undefined,
        {
          show: SIDES[name],
          isInQuestion: (row) => lists[name].inQuestion.has(positions.original(row)),
        },
      ),
    ),
    ...ACCOUNT_LOGS.map((name) => {
      const log = data.logs[name];
      return section(snapshot, formatLogTitle(data, name), log.isReceived ? log.rows : undefined, {
        show: SIDES[name],
        isInQuestion: (row) => log.inQuestion.has(row),
      });
    }),
  ];
}

function formatTitle({ lists }: AccountState, name: (typeof ACCOUNT_LISTS)[number]): string {
  const { isDecided, interpretation, inQuestion, missing } = lists[name];
  const marked = formatQuestions(lists[name]).filter((each) => each !== "");
  const notes = [
    isDecided ? `${interpretation}, inferred` : "",
    inQuestion.size > 0 ? `${marked.join(", ")}, marked ?` : "",
    missing > 0 ? `${missing} more found by an audit` : "",
  ];
  return formatNoted(name, notes);
}

function formatLogTitle({ logs }: AccountState, name: (typeof ACCOUNT_LOGS)[number]): string {
  const { inQuestion, mayMiss } = logs[name];
  const words = [
    inQuestion.size > 0 ? `${inQuestion.size} not yet confirmed, marked ?` : "",
    mayMiss ? "some may be missing" : "",
  ];
  return formatNoted(name.replace("_", " "), words);
}

function formatNoted(title: string, notes: readonly string[]): string {
  const noted = notes.filter(Boolean).join("; ");
  return noted === "" ? title : `${title} (${noted})`;
}

function catalogueSections(snapshot: AccountSnapshot): string[][] {
  const { store, account, wallMs } = snapshot;
  const { feed, data } = store.slice("accounts", accountsChannel(account.address));
  const isReceived = feed.frames > 0;
  const rows = (list: readonly object[]) =>
    isReceived ? (list as readonly OpenRecord[]) : undefined;
  return [
    section(snapshot, "subaccounts", rows(data.subaccounts), { textOf: formatSubaccount }),
    section(snapshot, "delegations", rows(data.delegations), {
      textOf: formatDelegation(wallMs, EXACT),
    }),
  ];
}

function section(
  snapshot: AccountFacts,
  title: string,
  rows: readonly OpenRecord[] | undefined,
  {
    textOf,
    show,
    isInQuestion = () => false,
  }: {
    readonly textOf?: RecordFormat["textOf"];
    readonly show?: ShowCell | undefined;
    readonly isInQuestion?: (row: OpenRecord) => boolean;
  } = {},
): string[] {
  if (rows === undefined) return [`${title}: not provided`];
  if (rows.length === 0) return [`${title}: none`];
  const format = {
    ...getFormat(snapshot),
    ...(textOf && { textOf }),
    ...(show && { show }),
  };
  const columns = new ColumnSet();
  columns.update(rows);
  const shown = rows.slice(0, MAX_ROWS);
  // Rows in question are marked in a column of their own.
  const marks = shown.some(isInQuestion) ? ["mark"] : [];
  const cells = shown.map((row) => [
    ...marks.map((): Cell => ({ text: isInQuestion(row) ? "?" : "", kind: "text" })),
    ...columns.columns.map((column) => formatField(format, row, column)),
  ]);
  const headers = [
    ...marks.map(() => ""),
    ...columns.columns.map((column) => formatHeader(format, shown, column)),
  ];
  const table = textTable(
    [headers, ...cells.map((row) => row.map(({ text }) => text))],
    (column, row) => cells[Math.max(0, row - 1)]?.[column]?.kind === "number",
  );
  const more = rows.length - shown.length;
  return [title, ...table, ...(more > 0 ? [`… ${more} more`] : [])];
}

function formatName({ account, isMasked }: AccountSnapshot): string {
  const { address, subaccountId } = account;
  const name = isMasked ? MASK : shortAddress(address);
  return subaccountId === undefined ? name : `${name}/${subaccountId}`;
}

function getFormat({ store, scales, isMasked }: AccountFacts): RecordFormat {
  const { aliases } = store;
  return {
    aliases,
    scaleOf(record) {
      const market = parseMarketRecord(record, aliases);
      return market && scales.of(formatMarket(market)).scale;
    },
    isMasked,
    display: EXACT,
  };
}

interface AccountRun {
  readonly findService: () => Promise<Service>;
  readonly account: Subaccount;
  readonly knownScales: Readonly<Record<string, Scale>>;
}

/** @throws {ServiceError} if the first connection cannot be made */
export function printAccount(context: Context, run: AccountRun): Promise<number> {
  const { account, knownScales } = run;
  const { clock, options } = context;
  return printLive(context, run, (session, service) => {
    const { store, stream } = session.live;
    const scales = openScales(store, knownScales);
    const upkeep = new Upkeep(context, service, session.live, scales, () => session.check());
    stream.subscribe(accountsChannel(account.address));
    // The list of markets may provide the scales; the view is complete without it.
    stream.subscribe("markets");
    stream.subscribe(accountChannel(account));
    const slices = () => [
      store.slice("accounts", accountsChannel(account.address)),
      store.slice("account", accountChannel(account)),
    ];
    return {
      follow: () => upkeep.follow(account),
      isSettled: () => slices().every(({ feed }) => isAnswered(feed)) && upkeep.hasMeasuredAccount,
      snapshot: () =>
        accountForms({
          store,
          account,
          scales,
          nowMs: clock.now(),
          wallMs: clock.wall(),
          isMasked: options.mask ?? false,
        }),
      close: () => upkeep.stop(),
    };
  });
}

export function accountForms(now: AccountSnapshot): HeadlessSnapshot {
  const { store, account, nowMs } = now;
  const chosen = chosenSubaccount(account);
  const { kind, feed } =
    chosen === undefined
      ? store.slice("accounts", accountsChannel(account.address))
      : store.slice("account", accountChannel(chosen));
  return {
    nowMs,
    line: () => accountLine(now),
    page: () => accountPage(now),
    json: () => accountViewJson(now),
    missing: () => (feed.frames > 0 ? [] : [formatMissing(kind, feed, store.link)]),
  };
}
