// Data of the view of a subaccount: live from the store, or as of one moment. Lists are the same arrays until they change,
// and are never changed in place.

import {
  ACCOUNT_LISTS,
  ACCOUNT_LOGS,
  type AccountListName,
  type AccountState,
} from "../state/account.ts";
import type { AccountList } from "../state/account-list.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { areSame, Memo } from "../units/memo.ts";
import type { Scale } from "../units/scale.ts";
import { msOfNs, NS_PER_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { accountChannel, accountsChannel, type Subaccount } from "./account.ts";
import type { Display } from "./display.ts";
import {
  type Cell,
  divideToPercent,
  formatPercentOf,
  formatValue,
  getSign,
  positionDirection,
  positionSize,
  readDecimal,
  readSide,
  withSign,
} from "./fields.ts";
import { showFundingRate } from "./funding.ts";
import { readRecordMarket } from "./market.ts";
import type { ShowCell } from "./record-format.ts";

export type AccountTable = Exclude<AccountListName, "leverages"> | (typeof ACCOUNT_LOGS)[number];

/** A note, or forms of it for less and less room. */
type Note = string | readonly string[];

/** Everything that the view of a subaccount shows. Undefined lists were never received. */
export interface AccountData {
  readonly summary: OpenRecord | undefined;
  /** Status of the subaccount in the service's words: from the catalogue, else from its own record. */
  readonly status: string | undefined;
  readonly rows: Readonly<Record<AccountTable, readonly OpenRecord[] | undefined>>;
  /** Remarks on the rows of a table: how they are interpreted, what may be missing. */
  readonly notes: Readonly<Partial<Record<AccountTable, readonly Note[]>>>;
  /** Records of the service that may be wrong, have ended, or are duplicates. */
  readonly inQuestion: Readonly<Partial<Record<AccountTable, ReadonlySet<OpenRecord>>>>;
  /** True if the margin share combines figures of different times. */
  readonly isMarginInQuestion: boolean;
}

type Rows = readonly OpenRecord[];

export function selectAccount(
  store: Store,
  subaccount: Subaccount,
  positions: PositionRows,
  display: Display,
): AccountData {
  const { address, subaccountId } = subaccount;
  const catalogue = store.slice("accounts", accountsChannel(address));
  const { data } = store.slice("account", accountChannel(subaccount));
  const entry = catalogue.data.subaccounts.find((each) => `${each.subaccount_id}` === subaccountId);
  return {
    summary: data.summary,
    status: entry?.status ?? (data.summary && store.aliases.text(data.summary, "status")),
    rows: accountRows(data, positions),
    notes: selectNotes(data, display),
    inQuestion: selectQuestions(data),
    isMarginInQuestion: isUnconfirmed(data, store.aliases, ["margin", "equity"]),
  };
}

function accountRows({ lists, logs }: AccountState, positions: PositionRows): AccountData["rows"] {
  const rowsOf = (list: { isReceived: boolean; rows: Rows }) =>
    list.isReceived ? list.rows : undefined;
  const held = rowsOf(lists.positions);
  return {
    positions: held && positions.select(held, lists.leverages.rows),
    orders: rowsOf(lists.orders),
    balances: rowsOf(lists.balances),
    fills: rowsOf(logs.fills),
    funding_payments: rowsOf(logs.funding_payments),
  };
}

const LISTS = { markets: "whole markets", whole: "whole lists" } as const;

function selectNotes({ lists, logs }: AccountState, display: Display): AccountData["notes"] {
  const timeText = (ns: bigint) => display.dateTime(Number(ns / NS_PER_MS));
  const ofLists = ACCOUNT_LISTS.map((name) => {
    const { leftOut, isOld, missing, isDecided, interpretation } = lists[name];
    return [
      name,
      [
        isOld ? "from before the reconnect" : "",
        counted(leftOut, "more not held"),
        ...formatQuestions(lists[name]).map(withShort),
        counted(missing, "more found by an audit"),
        isDecided && interpretation !== "rows" ? `${LISTS[interpretation]}, inferred` : "",
      ],
    ] as const;
  });
  const ofLogs = ACCOUNT_LOGS.map((name) => {
    const { mayMissBeforeNs: before, mayMissAfterNs: after, inQuestion } = logs[name];
    return [
      name,
      [
        before === undefined ? "" : `some before ${timeText(before)} may be missing`,
        after === undefined ? "" : `some after ${timeText(after)} may be missing`,
        withShort(counted(inQuestion.size, UNCONFIRMED)),
      ],
    ] as const;
  });
  return Object.fromEntries([...ofLists, ...ofLogs]);
}

const UNCONFIRMED = "not yet confirmed";

/** How many rows of a list are marked, and why. */
export function formatQuestions({
  inQuestion,
  disputed,
}: Pick<AccountList, "inQuestion" | "disputed">): readonly string[] {
  return [
    counted(inQuestion.size - disputed, UNCONFIRMED),
    counted(disputed, disputed === 1 ? "row in question" : "rows in question"),
  ];
}

function withShort(note: string): Note {
  return note === "" ? "" : [note, note.replace(/ .*$/, "?")];
}

function counted(count: number, label: string): string {
  return count === 0 ? "" : `${count} ${label}`;
}

function selectQuestions({ lists, logs }: AccountState): AccountData["inQuestion"] {
  return Object.fromEntries([
    ...ACCOUNT_LISTS.map((name) => [name, lists[name].inQuestion] as const),
    ...ACCOUNT_LOGS.map((name) => [name, logs[name].inQuestion] as const),
  ]);
}

const JOINED_LEVERAGE = "leverage";
const VALUE = "value";
const RETURN = "roe";
const TO_LIQUIDATION = "to_liquidation";

export class PositionRows {
  readonly #aliases: Aliases;
  readonly #originals = new WeakMap<OpenRecord, OpenRecord>();
  readonly #scaleOf: (market: string) => Scale | undefined;
  #made = new WeakMap<OpenRecord, { of: readonly unknown[]; row: OpenRecord }>();
  readonly #rows = new Memo<Rows>();

  /** @param scaleOf scale of a market, `perp/1`; undefined while it is unknown */
  constructor(aliases: Aliases, scaleOf: (market: string) => Scale | undefined = () => undefined) {
    this.#aliases = aliases;
    this.#scaleOf = scaleOf;
  }

  /** The same array with the same rows until any of them changes. */
  select(positions: Rows, leverages: Rows): Rows {
    const scales = positions.map((position) => {
      const market = this.#marketOf(position);
      return market === undefined ? undefined : this.#scaleOf(market);
    });
    return this.#rows.get([positions, leverages, ...scales], () => {
      const byMarket = new Map(leverages.map((row) => [this.#marketOf(row), row.leverage]));
      return positions.map((position, i) =>
        this.#rowOf(position, byMarket.get(this.#marketOf(position)), scales[i]),
      );
    });
  }

  original(row: OpenRecord): OpenRecord {
    return this.#originals.get(row) ?? row;
  }

  #marketOf(row: OpenRecord): string | undefined {
    return readRecordMarket(row, this.#aliases);
  }

  #rowOf(position: OpenRecord, leverage: unknown, scale: Scale | undefined): OpenRecord {
    const known = this.#made.get(position);
    if (known !== undefined && areSame(known.of, [leverage, scale])) return known.row;
    const hasOwn = this.#aliases.text(position, "leverage") !== undefined;
    const distance = liquidationDistance(position, this.#aliases);
    const used = hasOwn ? this.#aliases.text(position, "leverage") : formatValue(leverage);
    const figures = positionFigures(position, this.#aliases, scale?.lotSize, used);
    const row = {
      ...position,
      ...figures,
      ...(!hasOwn && leverage !== undefined && { [JOINED_LEVERAGE]: leverage }),
      ...(distance !== undefined &&
        !Object.hasOwn(position, TO_LIQUIDATION) && { [TO_LIQUIDATION]: distance }),
    };
    this.#originals.set(row, position);
    this.#made.set(position, { of: [leverage, scale], row });
    return row;
  }
}

/**
 * The exact value of a position at its mark price, and its profit in percent of the margin that the entry took at its
 * leverage, with two decimals. Each is left out if an input is missing, or if the service sends it itself.
 */
export function positionFigures(
  position: OpenRecord,
  aliases: Aliases,
  lotSize: Decimal | undefined,
  leverage: string | undefined,
): Readonly<Record<string, string>> {
  const decimalOf = (meaning: Meaning) => readDecimal(position, meaning, aliases);
  const signed = positionSize(position, aliases, lotSize);
  const size = signed && absoluteDecimal(signed);
  const [mark, entry, profit] = [
    decimalOf("markPrice"),
    decimalOf("entryPrice"),
    decimalOf("unrealizedPnl"),
  ];
  const times = parseDecimal(leverage ?? "");
  const value = size && mark && formatDecimal(trimDecimal(multiplyDecimal(size, mark)));
  const cost = size && entry && multiplyDecimal(size, entry);
  const percent = cost && profit && times && formatPercentOf(multiplyDecimal(profit, times), cost);
  const isNamed = (meaning: Meaning) => aliases.text(position, meaning) !== undefined;
  return {
    ...(value !== undefined && !isNamed("positionValue") && { [VALUE]: value }),
    ...(percent !== undefined && !isNamed("returnOnMargin") && { [RETURN]: percent }),
  };
}

/**
 * Distance of the mark price from the liquidation price, in percent of the mark price, with one decimal; `0.0` once it has
 * been reached. Undefined if one of the prices is missing or not positive.
 */
export function liquidationDistance(position: OpenRecord, aliases: Aliases): string | undefined {
  const share = selectLiquidationShare(position, aliases, undefined, 1);
  return share && formatDecimal(share);
}

/** Decimals of a share that is compared with a level. */
const SHARE_PLACES = 8;

/**
 * The same with all decimals; undefined if the service does not send both prices, or one is not positive.
 * @param marketMark the mark price of the market, used if the position has none
 */
export function selectLiquidationShare(
  position: OpenRecord,
  aliases: Aliases,
  marketMark?: Decimal,
  places = SHARE_PLACES,
): Decimal | undefined {
  const mark = readDecimal(position, "markPrice", aliases) ?? marketMark;
  const liquidation = readDecimal(position, "liquidationPrice", aliases);
  if (mark === undefined || liquidation === undefined) return undefined;
  if (mark.mantissa <= 0n || liquidation.mantissa <= 0n) return undefined;
  if (hasPassed(positionDirection(position, aliases), mark, liquidation)) {
    return { mantissa: 0n, places };
  }
  const apart = absoluteDecimal(subtractDecimal(mark, liquidation));
  return divideToPercent(apart, mark, places);
}

/** Longs are liquidated below, shorts above; false without a direction. */
function hasPassed(
  direction: "long" | "short" | undefined,
  mark: Decimal,
  liquidation: Decimal,
): boolean {
  const order = compareDecimal(mark, liquidation);
  if (direction === "long") return order <= 0;
  return direction === "short" && order >= 0;
}

const GLYPHS: Readonly<Record<string, string>> = { active: "●", restricted: "◐", closed: "×" };
const BAR_CELLS = 6;
/** Left blocks of one to seven eighths: a table cell is text and cannot draw a bar. */
const EIGHTHS = " ▏▎▍▌▋▊▉";

/** `● active`; a status that is not in the interface document gets a question mark. */
export function formatStatus(status: string): string {
  return `${GLYPHS[status] ?? "?"} ${status}`;
}

export function formatSubaccount(record: OpenRecord, column: string): Cell | undefined {
  if (column !== "status" || typeof record.status !== "string") return undefined;
  return { text: formatStatus(record.status), kind: "text" };
}

/** Marks delegations that ended before `wallMs` (Unix milliseconds, possibly with a fraction) as expired. */
export function formatDelegation(wallMs: number, display: Display) {
  const nowNs = BigInt(Math.floor(wallMs)) * NS_PER_MS;
  return (record: OpenRecord, column: string): Cell | undefined => {
    const { expires_at_ns: endNs } = record;
    if (column !== "expires_at_ns" || typeof endNs !== "string") return undefined;
    if (BigInt(endNs) > nowNs) return undefined;
    return { text: `expired ${display.dateTime(msOfNs(endNs))}`, kind: "time" };
  };
}

/** A distance of more percent is shown as `far`. */
const FAR_PERCENT = 500;

export function formatDistance(percent: string): string {
  return Number(percent) > FAR_PERCENT ? "far" : `${percent}%`;
}

/**
 * True if the newest summary lacks one of these fields, so that an older value is still shown: figures of different times
 * must not be combined.
 */
export function isUnconfirmed(
  { summary, heldOver }: Pick<AccountState, "summary" | "heldOver">,
  aliases: Aliases,
  meanings: readonly Meaning[],
): boolean {
  if (heldOver.size === 0 || summary === undefined) return false;
  const fieldOf = (meaning: Meaning) => aliases.columnOf(summary, meaning)?.split(".")[0] ?? "";
  return meanings.some((meaning) => heldOver.has(fieldOf(meaning)));
}

/** Margin used in percent of the equity, with one decimal; undefined if the service does not send both. */
export function selectMarginShare(summary: OpenRecord, aliases: Aliases): string | undefined {
  const share = selectMarginRatio(summary, aliases, 1);
  return share && formatDecimal(share);
}

export function selectMarginRatio(
  summary: OpenRecord,
  aliases: Aliases,
  places = SHARE_PLACES,
): Decimal | undefined {
  const [margin, equity] = (["margin", "equity"] as const).map((meaning) =>
    readDecimal(summary, meaning, aliases),
  );
  if (margin === undefined || equity === undefined || equity.mantissa <= 0n) return undefined;
  return divideToPercent(margin, equity, places);
}

export interface NearestLiquidation {
  /** In percent of the mark price, decimal text. */
  readonly percent: string;
  /** As the service names it: by symbol if it has one. */
  readonly market: string;
  /** `perp/1`; undefined if the position names no market. */
  readonly name: string | undefined;
}

/** The position whose mark price is closest to its liquidation price; undefined if no position has both. */
export function selectNearestLiquidation(
  positions: readonly OpenRecord[],
  aliases: Aliases,
): NearestLiquidation | undefined {
  const all = positions.flatMap((position) => {
    const percent = liquidationDistance(position, aliases);
    return percent === undefined ? [] : [{ percent, position }];
  });
  const [first] = all.sort((a, b) => Number(a.percent) - Number(b.percent));
  if (first === undefined) return undefined;
  const { percent, position } = first;
  const market = aliases.text(position, "symbol") ?? aliases.text(position, "market") ?? "";
  return { percent, market, name: readRecordMarket(position, aliases) };
}

/**
 * Formats a cell of a position: long or short, leverage as a multiple, rounded amounts, and a bar beside the distance to
 * liquidation, which is shorter the nearer that is.
 */
export const showPosition: ShowCell = (record, column, cell, format) => {
  const { aliases, display } = format;
  const exact = formatValue(record[column]);
  if (cell.kind === "missing") return cell;
  if (column === VALUE) return { ...cell, text: display.money(exact) };
  if (column === RETURN) {
    const isNone = getSign(exact) === "none";
    return { ...cell, text: `${isNone ? exact.replace("-", "") : withSign(exact)}%` };
  }
  if (column === TO_LIQUIDATION) {
    const text = formatDistance(exact);
    const isFar = Number(exact) > FAR_PERCENT;
    return {
      text: isFar ? text : `${bar(Number(exact) / 100)} ${text.padStart(7)}`,
      kind: "number",
    };
  }
  if (aliases.isNamed(column, "leverage")) return { ...cell, text: `${cell.text}×` };
  return showDirection(record, column, cell, format);
};

export const showDirection: ShowCell = (record, column, cell, { aliases }) => {
  if (!aliases.isNamed(column, "side")) return cell;
  return { ...cell, text: positionDirection(record, aliases) ?? cell.text };
};

/** Formats a cell of an order or a fill: bids are shown as buy. */
export const showOrder: ShowCell = (_record, column, cell, { aliases }) =>
  aliases.isNamed(column, "side") ? { ...cell, text: readSide(cell.text) ?? cell.text } : cell;

export const showPayment: ShowCell = (record, column, cell, format) => {
  const rate = showFundingRate(record, column, cell, format);
  return showDirection(record, column, rate, format);
};

function bar(share: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * BAR_CELLS * 8);
  const full = "█".repeat(Math.floor(eighths / 8));
  return (full + (EIGHTHS[eighths % 8] ?? "")).slice(0, BAR_CELLS).padEnd(BAR_CELLS);
}
