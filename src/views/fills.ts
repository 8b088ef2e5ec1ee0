// Own fills as they are listed, and their statement by day and market.

import { currenciesOf } from "../dialect/markets.ts";
import { selectPayments } from "../rows/account.ts";
import { formatDay, formatMoney, formatNumber } from "../rows/format.ts";
import { findListed, marketLabel, selectListedMarkets } from "../rows/market.ts";
import { createChoice } from "../screen/choice.ts";
import type { View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import { MASK, type Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import type { Store } from "../state/store.ts";
import { fillMarket, type StatementDay, StatementFold, ZERO } from "../statement/fold.ts";
import {
  addDecimal,
  type Decimal,
  formatDecimal,
  negateDecimal,
  parseDecimal,
  subtractDecimal,
} from "../units/decimal.ts";
import { Memo } from "../units/memo.ts";
import { visible } from "../units/visible.ts";
import type { FillPart, FillsOwner } from "../wire/rest/own-fill.ts";
import { ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { amount, decimal, gain, number, secretFields, side, time, word } from "./cells.ts";
import {
  failedText,
  idOfRecord,
  listedState,
  listState,
  rowsAt,
  shownUntilMs,
  whenListed,
} from "./listed.ts";

const SECRET = { secret: true } as const;

/** The owner's fills on the subaccount that is watched. */
function ownerOf({ services: { listings }, account }: Ui): FillsOwner | undefined {
  const owner = listings?.owner;
  const id = account?.split("/")[1];
  return owner === undefined || id === undefined ? owner : { ...owner, subaccountId: Number(id) };
}

const listOf = (ui: Ui) => {
  const owner = ownerOf(ui);
  return owner && ui.services.listings?.fills(owner);
};

function allOf(ui: Ui) {
  const owner = ownerOf(ui);
  return owner && ui.services.listings?.allFills(owner);
}

export interface FillRow extends FillPart {
  readonly fill: TradeRecord;
  readonly symbol: string;
  /** What was paid is negative. */
  readonly fee: Decimal | undefined;
  /** Known where all fills before it are. */
  readonly realised: Decimal | undefined;
}

/** @param isAll there are no older fills than these, so that what they realised is known */
export function fillRows(
  fills: readonly TradeRecord[],
  owner: FillsOwner,
  symbolOf: (market: string) => string,
  isAll = false,
): readonly FillRow[] {
  const fold = new StatementFold(owner, () => "");
  const realised = new Map(isAll ? fills.toReversed().map((fill) => [fill, fold.add(fill)]) : []);
  return fills.map((fill) => {
    const part = ownFill(fill, owner);
    const fee = parseDecimal(part.fee_quote);
    return {
      ...part,
      fill,
      symbol: symbolOf(fillMarket(fill)),
      fee: fee && negateDecimal(fee),
      realised: realised.get(fill),
    };
  });
}

const shownRows = new Memo<readonly FillRow[]>();

export const FILLS_TABLE: Table<FillRow> = {
  name: "fills",
  title: "Fills",
  channels: ({ account }) => ["markets", ...(account === undefined ? [] : [`account/${account}`])],
  columns: [
    // Where little fits, the newest first says enough.
    { ...time<FillRow>("time", ({ fill }) => fill.timestamp_ms), goes: 5 },
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    side("side", ({ side: of }) => (of === "" || of === "both" ? undefined : of)),
    number("price", ({ fill }) => fill.price),
    number("size", ({ fill }) => fill.quantity, SECRET),
    amount("value", ({ fill }) => parseDecimal(fill.quote_notional), SECRET),
    gain("fee", ({ fee }) => fee, SECRET),
    word("role", ({ role }) => role, { tone: "dim" }),
    gain("realised", (row) => row.realised, SECRET),
  ],
  rows(moment, ui) {
    const [owner, list] = [ownerOf(ui), listOf(ui)];
    const fills = list && rowsAt(list, moment, ui);
    if (owner === undefined || fills === undefined) return undefined;
    const isAll = list?.verdict?.isComplete ?? false;
    const { store } = moment;
    const inputs = [fills, isAll, owner.subaccountId, selectListedMarkets(store)];
    return shownRows.get(inputs, () =>
      fillRows(fills, owner, (market) => marketLabel(store, market), isAll),
    );
  },
  id: ({ fill }) => idOfRecord(fill),
  details: ({ fill }) => secretFields(fill),
  state: (moment, ui) => listState(listOf(ui), moment),
  about: (_moment, ui) => [ownerText(ui)],
  foot(rows, { store }, ui) {
    const list = listOf(ui);
    if (list === undefined || rows.length === 0) return list ? listedState(list, ui) : "";
    const isAll = list.verdict?.isComplete ?? false;
    const sums = sumTexts(store, rows, ({ fill }) => fillMarket(fill), ui, {
      [`fees of ${rows.length}`]: ({ fee }) => fee,
      ...(isAll && { realised: ({ realised }: FillRow) => realised }),
    });
    return [...sums, listedState(list, ui)].join("  ");
  },
  more: (ui) => listOf(ui)?.loadOlder(),
  empty: "no fill is listed",
};

function ownerText(ui: Ui): string {
  const owner = ownerOf(ui);
  if (owner === undefined) return "";
  const { owner: address, subaccountId } = owner;
  const shown = ui.isMasked ? MASK : `${address.slice(0, 6)}…${address.slice(-4)}`;
  return `${shown}/${subaccountId}`;
}

/** In a foot, under their names: none over amounts in several currencies. */
function sumTexts<Row>(
  store: Store,
  rows: readonly Row[],
  marketOf: (row: Row) => string,
  { isMasked, display }: Ui,
  sums: Readonly<Record<string, (row: Row) => Decimal | undefined>>,
): readonly string[] {
  const markets = [...new Set(rows.map(marketOf))];
  const records = markets.map((market) => findListed(store, market)?.record ?? {});
  const currencies = currenciesOf(records, store.dialect.names);
  if (currencies.length > 1) return [`no sum over ${currencies.join(" and ")}`];
  return Object.entries(sums).map(([name, of]) => {
    const sum = rows.reduce((all, row) => addDecimal(all, of(row) ?? ZERO), ZERO);
    return `${name} ${isMasked ? MASK : formatMoney(sum, display)}`;
  });
}

interface DayRow extends StatementDay {
  readonly symbol: string;
  /** From the stream, as far back as it goes; undefined where it has none of that day. */
  readonly funding: Decimal | undefined;
}

const folded = new Memo<readonly StatementDay[]>();

function statementRows(moment: Moment, ui: Ui): readonly DayRow[] | undefined {
  const owner = ownerOf(ui);
  const fills = allOf(ui)?.fills;
  const { display, account } = ui;
  const { store } = moment;
  if (owner === undefined || fills === undefined) return undefined;
  const thenMs = shownUntilMs(moment, ui);
  const count = fills.findLastIndex(({ timestamp_ms }) => timestamp_ms <= thenMs) + 1;
  const days = folded.get([fills, count, display.timeZone], () => {
    const fold = new StatementFold(owner, (ms) => formatDay(ms, display));
    for (const fill of fills.slice(0, count)) fold.add(fill);
    return fold.statement().days.toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
  });
  const paid = new Map<string, Decimal>();
  for (const { market, timeMs, amount: sum } of (account && selectPayments(store, account)) || []) {
    if (timeMs === undefined || market === undefined || sum === undefined) continue;
    const key = `${formatDay(timeMs, display)} ${market}`;
    paid.set(key, addDecimal(paid.get(key) ?? ZERO, sum));
  }
  return days.map((day) => ({
    ...day,
    symbol: marketLabel(store, day.market),
    funding: paid.get(`${day.day} ${day.market}`),
  }));
}

const feesOf = ({ feesQuote }: DayRow) => negateDecimal(feesQuote);
const netOf = (row: DayRow) =>
  addDecimal(subtractDecimal(row.realisedQuote, row.feesQuote), row.funding ?? ZERO);

const STATEMENT_TABLE: Table<DayRow> = {
  name: "statement",
  title: "Statement",
  channels: ({ account }) => ["markets", ...(account === undefined ? [] : [`account/${account}`])],
  columns: [
    word("day", ({ day }) => day),
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    number("fills", ({ fills }) => String(fills), SECRET),
    gain("realised", ({ realisedQuote }) => realisedQuote, SECRET),
    gain("fees", feesOf, SECRET),
    gain("funding", ({ funding }) => funding, SECRET),
    gain("net", netOf, SECRET),
    amount("volume", ({ volumeQuote }) => volumeQuote, SECRET),
    {
      title: "maker",
      unit: "%",
      value: ({ makerFills, fills }) => String(Math.round((makerFills * 100) / fills)),
      show: (exact) => `${exact}%`,
      tone: "dim",
      secret: true,
    },
    decimal("bought", ({ bought }) => bought, SECRET),
    decimal("sold", ({ sold }) => sold, SECRET),
  ],
  rows: statementRows,
  id: ({ day, market }) => `${day} ${market}`,
  details: ({ boughtQuote, soldQuote, makerFeesQuote, takerFeesQuote }) =>
    Object.entries({
      "bought for": boughtQuote,
      "sold for": soldQuote,
      "fees as maker": negateDecimal(makerFeesQuote),
      "fees as taker": negateDecimal(takerFeesQuote),
    }).map(([name, sum]) => [name, formatDecimal(sum), true] as const),
  state: (moment, ui) => listState(allOf(ui), moment),
  about: (_moment, ui) => [ownerText(ui), ui.display.timeZone ?? "days of your zone"],
  foot(rows, { store }, ui) {
    if (rows.length === 0) return statementState(ui);
    const since = rows.findLast(({ funding }) => funding !== undefined)?.day.slice(5);
    const sums = sumTexts(store, rows, ({ market }) => market, ui, {
      net: netOf,
      realised: ({ realisedQuote }) => realisedQuote,
      fees: feesOf,
      ...(since && { [`funding since ${since}`]: ({ funding }: DayRow) => funding }),
    });
    return [...sums, statementState(ui)].join("  ");
  },
  empty: "no fill is listed",
};

function statementState(ui: Ui): string {
  const all = allOf(ui);
  if (all === undefined) return "";
  const { isReading, rows, error, endedAtMs, read } = all;
  if (error !== undefined) return failedText(error, endedAtMs, ui);
  if (isReading && read === undefined)
    return `reading all fills … ${formatNumber(String(rows), ui.display)}`;
  const proof = visible(read?.proof ?? "");
  return read?.isComplete ? `all fills: ${proof}` : `not proven: ${proof}`;
}

const FILLS_PANE = tablePane(FILLS_TABLE);
const STATEMENT_PANE = tablePane(STATEMENT_TABLE);
const statement = createChoice("fills.statement", [false, true]);

export const FILLS: View = {
  name: "fills",
  title: "Fills",
  key: "O",
  when(ui) {
    const listed = whenListed(ui);
    if (listed !== true || ui.services.listings?.owner !== undefined) return listed;
    return "whose fills they are is not known: give --owner 0x…";
  },
  layout: (ui) => ({
    pane: statement.get(ui) ? STATEMENT_PANE : FILLS_PANE,
    grow: 1,
    min: [30, 4],
  }),
  keys: [
    {
      key: "K",
      says: "statement of the fills by day and market, or the fills",
      hint: "statement",
      run: statement.next,
    },
  ],
};
