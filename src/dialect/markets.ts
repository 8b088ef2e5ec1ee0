// A market has one name, its type and id in channel names. What rows call it (symbol, coin, product, index) is mapped to that
// through the records of `markets`.
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { fieldsOf, read } from "./fields.ts";
import { type Names, plainName } from "./names.ts";

export interface MarketKey {
  readonly type: MarketType;
  /** Digits, as in channel names. */
  readonly id: string;
}

export interface MarketEntry extends MarketKey {
  readonly symbol: string | undefined;
  readonly record: OpenRecord;
}

/** Every market of the `markets` channel. */
export interface MarketIndex {
  readonly entries: readonly MarketEntry[];
  /** By id and by every plain word that a record has for its market. */
  readonly byWord: ReadonlyMap<string, readonly MarketEntry[]>;
}

const PERP = /perp|swap|future|linear|inverse|derivative/i;
const SPOT = /spot/i;

/** Undefined for a word that says neither. */
export function typeOf(text: string | undefined): MarketType | undefined {
  if (text === undefined) return undefined;
  if (PERP.test(text)) return "perp";
  return SPOT.test(text) ? "spot" : undefined;
}

export function indexMarkets(records: Iterable<OpenRecord>, names: Names): MarketIndex {
  const entries: MarketEntry[] = [];
  const byWord = new Map<string, MarketEntry[]>();
  for (const record of records) {
    const entry = entryOf(record, names);
    if (entry === undefined) continue;
    entries.push(entry);
    for (const word of wordsOf(entry, names)) {
      const held = byWord.get(word);
      if (held === undefined) byWord.set(word, [entry]);
      else held.push(entry);
    }
  }
  return { entries, byWord };
}

function entryOf(record: OpenRecord, names: Names): MarketEntry | undefined {
  const fields = fieldsOf(record);
  const id = names.fields.marketId.map((name) => fields.get(name)).find(isDigits);
  if (id === undefined) return undefined;
  const symbol = read(record, "symbol", names);
  const types = names.fields.marketType.map((name) => typeOf(fields.get(name)));
  // Without a word for it, its symbol may tell; else it is what a bare number means on the command line.
  const type = types.find((each) => each !== undefined) ?? typeOf(symbol) ?? "perp";
  return { type, id: id.replace(/^0+(?=.)/, ""), symbol, record };
}

function isDigits(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,10}$/.test(text);
}

/** Its id, the names that rows may use for it, and its base asset. */
function wordsOf({ id, record }: MarketEntry, names: Names): ReadonlySet<string> {
  const fields = fieldsOf(record);
  const columns = [...names.fields.symbol, ...names.fields.market, ...names.fields.baseAsset];
  const texts = columns.map((name) => fields.get(name) ?? "").filter(Boolean);
  return new Set([id, ...texts.map(plainName)]);
}

/** What kind of market the rows of a list are in, where they do not say it. */
const USUAL: MarketType = "perp";

/**
 * The market of a row of an account, of statistics or of funding.
 * @param kind of the market, where the row does not say it
 * @returns undefined if the row names none; "unknown" if `markets` has no such market, or several
 */
export function marketOf(
  row: OpenRecord,
  index: MarketIndex,
  names: Names,
  kind?: MarketType,
): MarketEntry | "unknown" | undefined {
  const fields = fieldsOf(row);
  const type = rowType(fields, names) ?? kind;
  let isNamed = false;
  for (const name of names.fields.market) {
    const text = fields.get(name);
    if (text === undefined || text === "") continue;
    isNamed = true;
    const found = findMarket(text, index, type);
    if (found !== undefined) return found;
  }
  return isNamed ? "unknown" : undefined;
}

function rowType(fields: ReadonlyMap<string, string>, names: Names): MarketType | undefined {
  for (const name of names.fields.marketType) {
    const type = typeOf(fields.get(name));
    if (type !== undefined) return type;
  }
  return undefined;
}

/** The only market of this name, or the only one of the usual type. */
export function findMarket(
  word: string,
  { byWord }: MarketIndex,
  type?: MarketType,
): MarketEntry | undefined {
  const found = byWord.get(plainName(word)) ?? [];
  const fitting = type === undefined ? found : found.filter((entry) => entry.type === type);
  if (fitting.length === 1) return fitting[0];
  const exact = fitting.filter(({ symbol, id }) => symbol === word || id === word);
  if (exact.length === 1) return exact[0];
  const usual = (exact.length > 1 ? exact : fitting).filter((entry) => entry.type === USUAL);
  return usual.length === 1 ? usual[0] : undefined;
}

/** One dollar is as good as another. */
const DOLLAR = "usd";

/** A currency by which amounts may be summed. */
export function currencyOf(asset: string): string {
  const word = plainName(asset);
  return word.startsWith(DOLLAR) ? DOLLAR : word;
}

/** In what these markets are quoted, as far as they say it. */
export function currenciesOf(records: readonly OpenRecord[], names: Names): readonly string[] {
  const assets = records.flatMap((record) => read(record, "quoteAsset", names) ?? []);
  return [...new Map(assets.map((asset) => [currencyOf(asset), asset])).values()];
}

/** `perp/1`, as in channel names. */
export function formatMarket({ type, id }: MarketKey): string {
  return `${type}/${id}`;
}

export function marketKey(market: string): MarketKey {
  const [type, id = ""] = market.split("/");
  return { type: type === "spot" ? "spot" : "perp", id };
}
