// Reads open records by meaning. What no name of a meaning fits is not shown as one; nothing is guessed from values.
import { compareDecimal, type Decimal, multiplyDecimal, parseNumber } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { isObject, type Json, textOf } from "../wire/json.ts";
import { type Meaning, type Names, plainName } from "./names.ts";

/** Deeper values are no facts about a row. */
const MAX_DEPTH = 4;
const made = new WeakMap<OpenRecord, ReadonlyMap<string, string>>();

/** Scalars of a record as exact texts, by plain name: of the whole path, and of the last part where nothing outer has it. */
export function fieldsOf(row: OpenRecord): ReadonlyMap<string, string> {
  const known = made.get(row);
  if (known !== undefined) return known;
  const fields = new Map<string, string>();
  addFields(fields, row, "", 1);
  made.set(row, fields);
  return fields;
}

function addFields(
  fields: Map<string, string>,
  row: OpenRecord,
  path: string,
  depth: number,
): void {
  const nested: [string, OpenRecord][] = [];
  for (const name in row) {
    const value = row[name];
    const last = plainName(name);
    const text = textOf(value) ?? variantOf(value);
    if (text === undefined) nested.push(...nestedIn(value, name, path + last));
    else {
      setFirst(fields, path + last, text);
      setFirst(fields, last, text);
    }
  }
  if (depth === MAX_DEPTH) return;
  for (const [inner, value] of nested) addFields(fields, value, inner, depth + 1);
}

function setFirst(fields: Map<string, string>, name: string, text: string): void {
  if (!fields.has(name)) fields.set(name, text);
}

/** Lists whose items are facts about the record, such as the filters of a market; others are lists of other things. */
const RULES = /filter|rule|limit|precision/i;

function nestedIn(value: Json | undefined, name: string, path: string): [string, OpenRecord][] {
  if (isObject(value)) return [[path, value]];
  if (!Array.isArray(value) || !RULES.test(name)) return [];
  const items: readonly Json[] = value;
  return items.filter(isObject).map((item) => [path, item]);
}

/** A word in the form of a variant: `{"long": {}}`. */
function variantOf(value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const [name, ...others] = Object.keys(value);
  const inner = name === undefined ? undefined : value[name];
  const isEmpty = isObject(inner) && Object.keys(inner).length === 0;
  return others.length === 0 && isEmpty ? name : undefined;
}

/** The exact text of a meaning; undefined where the record has none, or an empty one. */
export function read(row: OpenRecord, meaning: Meaning, names: Names): string | undefined {
  const name = nameOf(row, meaning, names);
  return name === undefined ? undefined : fieldsOf(row).get(name);
}

/** The plain name under which a record has a meaning. */
export function nameOf(row: OpenRecord, meaning: Meaning, names: Names): string | undefined {
  const fields = fieldsOf(row);
  for (const name of names.fields[meaning]) {
    const text = fields.get(name);
    if (text !== undefined && text !== "") return name;
  }
  return undefined;
}

/** A number whose name says that it counts ticks or lots is scaled; undefined where that cannot be done. */
export function readScaled(
  row: OpenRecord,
  meaning: Meaning,
  names: Names,
  scale: Scale | undefined,
): Decimal | undefined {
  const value = parseNumber(read(row, meaning, names) ?? "");
  const unit = unitOf(row, meaning, names);
  if (unit === undefined || value === undefined) return value;
  return scale && multiplyDecimal(value, unit === "ticks" ? scale.tickSize : scale.lotSize);
}

export function unitOf(row: OpenRecord, meaning: Meaning, names: Names): string | undefined {
  return /(?:ticks|lots)$/.exec(nameOf(row, meaning, names) ?? "")?.[0];
}

/** The plain name of a meaning in these rows: the likeliest that any of them has. */
export function columnOf(
  rows: readonly OpenRecord[],
  meaning: Meaning,
  names: Names,
): string | undefined {
  return names.fields[meaning].find((name) => rows.some((row) => fieldsOf(row).get(name)));
}

const DECIMAL = /^([-+]?)([0-9]+)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,3}))?$/;

/** Is this text the number 0? Undefined if it is no number. */
export function isZeroText(text: string): boolean | undefined {
  const found = DECIMAL.exec(text);
  return found === null ? undefined : !/[1-9]/.test(`${found[2]}${found[3] ?? ""}`);
}

export type Side = "buy" | "sell";

const BUY = new Set(["buy", "bid", "long", "b", "openlong", "closeshort", "buyer"]);
const SELL = new Set(["sell", "ask", "short", "s", "a", "openshort", "closelong", "seller"]);

/** The side of an order. */
export function sideOf(row: OpenRecord, names: Names): Side | undefined {
  return sideAt(row, "side", names);
}

/** The side of the own part in a trade: said, or that of the role, or by how the position changed. */
export function fillSideOf(row: OpenRecord, names: Names, role: Role): Side | undefined {
  const said = sideOf(row, names);
  if (said !== undefined) return said;
  const taker = sideAt(row, "takerSide", names);
  const maker = sideAt(row, "makerSide", names);
  const ofRole = role === "taker" ? (taker ?? opposite(maker)) : (maker ?? opposite(taker));
  if (role !== undefined && ofRole !== undefined) return ofRole;
  const before = parseNumber(read(row, "sizeBefore", names) ?? "");
  const after = parseNumber(read(row, "sizeAfter", names) ?? "");
  const change = before && after && compareDecimal(after, before);
  return change ? (change > 0 ? "buy" : "sell") : undefined;
}

const opposite = (side: Side | undefined) => side && (side === "buy" ? "sell" : "buy");

const MAKER = /^(?:maker|m|add(?:ed)?)$/i;
const TAKER = /^(?:taker|t|remove(?:d)?)$/i;
/** Flags whose truth means the taker. */
const TAKER_FLAG = /taker|crossed/;

export type Role = "maker" | "taker" | undefined;

/** Said by a word or a flag, by whose address it has, or by fields that only one of the two has. @param account `ADDRESS/ID` */
export function roleOf(row: OpenRecord, names: Names, account: string): Role {
  const word = read(row, "role", names);
  if (word === "true" || word === "false") {
    const isTaker = TAKER_FLAG.test(nameOf(row, "role", names) ?? "") === (word === "true");
    return isTaker ? "taker" : "maker";
  }
  if (word !== undefined && MAKER.test(word)) return "maker";
  if (word !== undefined && TAKER.test(word)) return "taker";
  const [address, id] = account.split("/");
  // Of whose side a trade was, both are told alike.
  const { takerSide, makerSide } = names.fields;
  const fields = [...fieldsOf(row).keys()].filter(
    (name) => !takerSide.includes(name) && !makerSide.includes(name),
  );
  const byAddress = onlyOne((role) => {
    const subaccount = read(row, `${role}Subaccount`, names) ?? id;
    return read(row, `${role}Address`, names) === address && subaccount === id;
  });
  return byAddress ?? onlyOne((role) => fields.some((name) => name.startsWith(role)));
}

/** Undefined where it is true of both, or of none. */
function onlyOne(isOf: (role: "maker" | "taker") => boolean): Role {
  const [isMaker, isTaker] = [isOf("maker"), isOf("taker")];
  if (isMaker === isTaker) return undefined;
  return isMaker ? "maker" : "taker";
}

/** The side of a position: by the sign of its size, else by its word or flag. */
export function positionSideOf(row: OpenRecord, names: Names): "long" | "short" | undefined {
  const size = read(row, "positionSize", names);
  if (size?.startsWith("-") === true && isZeroText(size) === false) return "short";
  const side = sideAt(row, "positionSide", names);
  if (side !== undefined) return side === "buy" ? "long" : "short";
  return size !== undefined && isZeroText(size) === false ? "long" : undefined;
}

type SideMeaning = "side" | "positionSide" | "takerSide" | "makerSide";

function sideAt(row: OpenRecord, meaning: SideMeaning, names: Names): Side | undefined {
  const fields = fieldsOf(row);
  for (const name of names.fields[meaning]) {
    const text = fields.get(name);
    const side = text === undefined ? undefined : sideOfText(name, text);
    if (side !== undefined) return side;
  }
  return undefined;
}

/** Fields whose name says which side a `true` means. */
const SELL_FLAG = /ask|sell|short/;

function sideOfText(name: string, text: string): Side | undefined {
  if (text === "true" || text === "false")
    return (text === "true") === SELL_FLAG.test(name) ? "sell" : "buy";
  if (name === "sign") return text.startsWith("-") ? "sell" : "buy";
  const word = text.toLowerCase().replace(/[^a-z]/g, "");
  if (BUY.has(word)) return "buy";
  return SELL.has(word) ? "sell" : undefined;
}
