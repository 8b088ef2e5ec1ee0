// The value types of the interface (2.1) and the channel grammar (4.1) as JSON Schema, written by hand from the
// document alone. It shares nothing with src/: two readings of one document are compared, not one reading with
// itself.

/** A JSON Schema (draft 2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };

/**
 * The document gives digit text no length. Decided: at most 39 digits (the width of the largest 128-bit integer),
 * and at most 60 characters for text that may carry a fraction.
 */
export const unsignedInteger: Schema = { type: "string", pattern: "^[0-9]{1,39}$" };
export const timestampNs: Schema = { ...unsignedInteger };
export const nullableSequence: Schema = { type: ["string", "null"], pattern: "^[0-9]{1,39}$" };
export const decimal: Schema = {
  type: "string",
  maxLength: 60,
  pattern: "^-?[0-9]+(\\.[0-9]+)?$",
};

/**
 * The document says of int64 only its name. Decided: what JavaScript holds exactly, since a larger JSON number is
 * read wrong.
 */
export const integer: Schema = {
  type: "integer",
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
export const count: Schema = { ...integer, minimum: 0 };
export const int32From = (minimum: number): Schema => ({
  type: "integer",
  minimum,
  maximum: 2_147_483_647,
});

/** An object with these properties and no others; all are required but the ones named in `optional`. */
export function closed(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

export const listOf = (items: Schema, limit: Schema = {}): Schema => ({
  type: "array",
  items,
  ...limit,
});

// "Decimal digit strings": leading zeros are within that form. Decided: the same 39 digits as all digit text.
const id = "[0-9]{1,39}";
const market = "(spot|perp)";
const interval = "(1m|5m|15m|1h|4h|1d)";
const address = "[1-9A-HJ-NP-Za-km-z]{32,44}";

/** The names of each channel kind (4.1), as the source of a regular expression that matches a whole name. */
export const channelForms = {
  bbo: `^bbo/${market}/${id}$`,
  orderbook: `^orderbook/${market}/${id}$`,
  trades: `^trades/${market}/${id}$`,
  candles: `^candles/${market}/${id}/${interval}$`,
  "mark-candles": `^mark-candles/${id}/${interval}$`,
  markets: "^markets$",
  "market-stats": `^market-stats/${market}(/${id})?$`,
  "funding-rates": `^funding-rates/${id}$`,
  accounts: `^accounts/${address}$`,
  account: `^account/${address}/${id}$`,
} as const;

export type Kind = keyof typeof channelForms;

/** A channel name of the given kind, or of any kind. */
export function channelOf(kind?: Kind): Schema {
  const forms = kind === undefined ? Object.values(channelForms) : [channelForms[kind]];
  return { type: "string", pattern: forms.map((form) => `(${form})`).join("|") };
}
