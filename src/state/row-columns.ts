// Classifies the columns of open records by name and value: those that can identify a row, and those that only measure it.

import { ExactNumber, exactText } from "../wire/exact-numbers.ts";
import { followPath } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";

/**
 * `id`: an id by its name. `group`: an account, margin or other part that a row belongs to. `word`: other text. `integer`: an
 * integer of unknown meaning. `created`: when the row was created. `amount`, `time`, `flag`: change while the row stays the same.
 */
export type ColumnKind =
  | "id"
  | "group"
  | "word"
  | "integer"
  | "created"
  | "amount"
  | "time"
  | "flag";

export interface Column {
  /** Field names from the record down, joined with dots. */
  readonly path: string;
  readonly names: readonly string[];
  readonly kind: ColumnKind;
  /** The value on which the classification is based. */
  readonly example: string;
  /** True when its values have been both numbers and strings. */
  readonly isMixed: boolean;
  /** True for market types, which a service may write in upper or lower case. */
  readonly isOfType?: boolean;
  /** True if 7 and "7" are different values. */
  readonly isTyped?: boolean;
}

const MAX_COLUMNS = 200;
const MAX_DEPTH = 4;

const wordsIn = (text: string) => new Set(text.split(" "));
const IDS = wordsIn(
  "id ids uid oid cid pid tid uuid guid key hash ref reference nonce code slot ticket handle idx",
);
const GROUPS = wordsIn(
  "mode isolated cross bucket scope group wallet pool vault leg strategy subaccount account portfolio hedge tranche",
);
const AMOUNTS = wordsIn(
  "size sz qty quantity amount amt price px balance bal total free locked frozen held hold available avail pnl upnl rpnl " +
    "margin fee fees notional value rate leverage lev filled fill executed remaining left ticks lots equity volume vol count " +
    "trades entry mark index liquidation liq cost basis funding collateral credit debt borrowed interest imf mmf ratio " +
    "percent pct usd trigger stop limit avg average cum hidden visible display rank score health adl age level version",
);
const CREATED = wordsIn("created create creation opened placed accepted inserted start");
const TIMES = wordsIn(
  "time timestamp ts at updated update modified changed last ns us ms date expiry expires expiration",
);

/** Names that services use for market types. */
export const MARKET_TYPE = /^(?:spot|perp(?:etual)?s?|swaps?|futures?|options?|linear|inverse)$/i;

type Seen = Column & { readonly wasText: boolean };

export class RowColumns {
  private columns = new Map<string, Seen>();

  get all(): readonly Column[] {
    return [...this.columns.values()];
  }

  /** Learns new columns of a row. @returns true when there are any */
  note(row: OpenRecord, above: readonly string[] = []): boolean {
    let isNew = false;
    for (const name in row) {
      const path = above.length === 0 ? name : `${above.join(".")}.${name}`;
      isNew = this.noteValue(row[name], path, name, above) || isNew;
    }
    return isNew;
  }

  private noteValue(value: unknown, path: string, name: string, above: readonly string[]): boolean {
    const known = this.columns.get(path);
    if (known !== undefined)
      return isOther(known, value) && this.set(path, known.names, value, known);
    if (value === null || value === undefined || Array.isArray(value)) return false;
    const names = [...above, name];
    const isScalar = typeof value !== "object" || value instanceof ExactNumber;
    if (isScalar) return this.set(path, names, value, undefined);
    return names.length < MAX_DEPTH && this.note(value as OpenRecord, names);
  }

  private set(
    path: string,
    names: readonly string[],
    value: unknown,
    known: Seen | undefined,
  ): boolean {
    if (this.columns.size >= MAX_COLUMNS && known === undefined) return false;
    const wasText = typeof value === "string";
    const isMixed = known !== undefined && (known.isMixed || known.wasText !== wasText);
    const example = exactText(value) ?? "";
    const kind = getKind(path, value);
    const isOfType = kind === "word" && MARKET_TYPE.test(example);
    this.columns.set(path, { path, names, wasText, kind, example, isMixed, isOfType });
    return true;
  }
}

/** A value that changes the classification: a fraction after integers, a string after numbers. */
function isOther({ kind, isMixed, wasText }: Seen, value: unknown): boolean {
  if (kind === "integer" && isFraction(value)) return true;
  return !isMixed && kind === "id" && value !== null && (typeof value === "string") !== wasText;
}

/** The text of a column; empty if the row lacks it, or has null. */
export function columnText(row: OpenRecord, column: Pick<Column, "names" | "isOfType">): string {
  const value = followPath(row, column.names);
  if (typeof value !== "string") return exactText(value) ?? "";
  return column.isOfType === true ? value.toLowerCase() : value;
}

/** The text of a column as part of a key; distinguishes numbers from strings if the column is typed. */
export function partText(row: OpenRecord, column: Column): string {
  const text = columnText(row, column);
  if (column.isTyped !== true || text === "") return text;
  return typeof followPath(row, column.names) === "string" ? text : `${text} number`;
}

/** False when the row lacks the field; null is a value. */
export function hasColumn(row: OpenRecord, { names }: Pick<Column, "names">): boolean {
  return Object.hasOwn(row, names[0] ?? "");
}

function getKind(path: string, value: unknown): ColumnKind {
  const tokens = splitTokens(path);
  if (typeof value === "boolean") return tokens.some((each) => GROUPS.has(each)) ? "group" : "flag";
  if (isFraction(value)) return "amount";
  return kindOfName(tokens) ?? (isInteger(value) ? "integer" : "word");
}

function kindOfName(tokens: readonly string[]): ColumnKind | undefined {
  const last = tokens.at(-1) ?? "";
  const has = (words: ReadonlySet<string>) => tokens.some((token) => words.has(token));
  if (IDS.has(last)) return "id";
  if (has(CREATED)) return "created";
  if (TIMES.has(last) || (tokens.length > 1 && has(TIMES))) return "time";
  if (has(GROUPS) || (tokens.includes("margin") && tokens.includes("type"))) return "group";
  return has(AMOUNTS) ? "amount" : undefined;
}

function splitTokens(path: string): readonly string[] {
  return path
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== "");
}

function isInteger(value: unknown): boolean {
  return /^[0-9]+$/.test(exactText(value) ?? "");
}

/** A number that cannot be an id: with a fraction, a sign or an exponent. */
function isFraction(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || value < 0;
  if (typeof value !== "string" && !(value instanceof ExactNumber)) return false;
  return /^(?:-[0-9]+(?:\.[0-9]*)?|[0-9]*\.[0-9]+|-?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+)$/.test(
    exactText(value) ?? "",
  );
}
