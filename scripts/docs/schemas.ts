// JSON Schemas of what the program prints: our own objects have no other fields; records of the service may have any.
import * as z from "zod";
import { POINTS } from "../../src/dialect/dialect.ts";
import { VERDICTS } from "../../src/doctor/check.ts";
import { INTERVALS } from "../../src/wire/channels.ts";
import { ACCOUNT_LISTS, KINDS } from "../../src/wire/frames.ts";
import type { FieldList, Form } from "../../src/wire/rest/fields.ts";
import { LIQUIDATION_FIELDS } from "../../src/wire/rest/liquidations.ts";
import { TRADE_FIELDS } from "../../src/wire/rest/trades.ts";

const text = z.string();
const digits = z.string().regex(/^[0-9]+$/);
const decimal = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/);
const count = z.int().min(0);
const flag = z.boolean();
/** Of the service: an integer of any size is a number in JSON. */
const integer = z.number();
const isoTime = text.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/);
const marketName = text.regex(/^(spot|perp)\/[0-9]+$/);
const record = z.looseObject({});
const records = z.array(record);
const object = z.strictObject;
const STATES = [
  ...(["waiting", "live", "quiet", "stale", "resync"] as const),
  ...(["offline", "refused", "off", "listed"] as const),
] as const;

const level = object({
  price_ticks: digits,
  size_base_lots: digits,
  price: decimal.optional(),
  size: decimal.optional(),
});
const trade = level.extend({ timestamp_ns: digits, taker_is_bid: flag });
const candle = z.looseObject({
  open_time_ms: integer,
  ...{ open: decimal, high: decimal, low: decimal, close: decimal },
});
const figures = z.looseObject({
  next_funding_ms: integer.optional(),
  age_ms: z.record(text, count),
});
const pane = object({
  state: z.enum(STATES),
  age_ms: count.nullable(),
  ...{ gaps: count, resyncs: count, refreshes: count, rejected: count, late: count },
  holes: z
    .array(object({ after_ns: digits, until_ns: digits, cause: text, healed: flag }))
    .optional(),
  error: text.optional(),
});
const known = object({
  value: text,
  source: z.enum(["assumed", "learned", "configured", "contradicted"]),
  learned: text.optional(),
});
const dialect = object(Object.fromEntries(POINTS.map((point) => [point, known])));
const foot = {
  panes: object(Object.fromEntries(KINDS.map((kind) => [kind, pane.optional()]))),
  dialect,
  link: object({
    state: z.enum(["connecting", "open", "waiting", "closed"]),
    reconnects: count,
    protocol_version: integer.nullable(),
  }),
};
const subaccount = object({
  address: text,
  subaccount_id: integer,
  account: record.nullish(),
  ...Object.fromEntries(ACCOUNT_LISTS.map((list) => [list, records])),
});
const market = object({
  market: object({
    type: z.enum(["spot", "perp"]),
    id: integer,
    symbol: text.optional(),
  }).nullable(),
  scale: object({
    tick_size: decimal.nullable(),
    lot_size: decimal.nullable(),
    source: z.enum(["config", "market", "measured", "none"]),
  }),
  bbo: object({ bid: level.nullable(), ask: level.nullable() }).nullable(),
  orderbook: object({
    sequence: digits.nullable(),
    bids: z.array(level),
    asks: z.array(level),
  }).nullish(),
  trades: z.array(trade),
  candles: object({
    interval: z.enum(INTERVALS),
    items: z.array(candle),
    unfinished: z.array(z.unknown()),
  }).nullable(),
  stats: figures.optional(),
  flow: z.unknown().optional(),
  account: subaccount.nullable(),
  accounts: object({ address: text, subaccounts: records, delegations: records }).optional(),
  ...foot,
});
const accounts = object({
  address: text,
  subaccounts: z.array(
    object({
      subaccount_id: integer,
      status: text.nullable(),
      created_at_ns: z.unknown().optional(),
      state: z.enum(STATES),
      age_ms: count.nullable(),
      ...{ equity: text.optional(), unrealised: text.optional(), margin_used: text.optional() },
      ...{ orders: count.optional(), positions: count.optional() },
    }),
  ),
  totals: z.looseObject({ live: count, of: count, closed: count }),
  delegations: records,
  ...foot,
});
const sums = {
  ...{ fills: count, maker_fills: count, bought: decimal, sold: decimal },
  ...{ bought_quote: decimal, sold_quote: decimal, volume_quote: decimal },
  ...{ fees_quote: decimal, maker_fees_quote: decimal, taker_fees_quote: decimal },
  realised_quote: decimal,
};
const quoteSums = Object.fromEntries(
  Object.entries(sums).filter(([name]) => name.endsWith("_quote") || name.endsWith("fills")),
);
const statement = object({
  owner: text,
  subaccount_id: integer,
  complete: flag,
  proof: text,
  days: z.array(object({ day: text, market: marketName, symbol: text.nullable(), ...sums })),
  markets: z.record(marketName, object({ symbol: text.nullable(), ...sums })),
  totals: z.looseObject(quoteSums).nullable(),
  books: z.record(
    marketName,
    object({ fills: decimal, position: decimal.nullable(), difference: decimal.nullable() }),
  ),
});

const FORMS: Readonly<Record<Form, z.ZodType>> = {
  ...{ unsigned: decimal, signed: decimal, text, integer, flag },
};

/** A record of a listing: further fields are kept as received. */
function listed(fields: FieldList): z.ZodType {
  const entries = fields.map(([name, form]): [string, z.ZodType] => [
    name,
    typeof form === "string" ? FORMS[form] : z.array(listed(form)),
  ]);
  return z.looseObject(Object.fromEntries(entries));
}

const alertEvent = {
  rule: text,
  market: marketName.optional(),
  account: text.optional(),
  at: isoTime,
};

/** By the name of its file: what it is, and its schema. */
export const SCHEMAS: Readonly<Record<string, readonly [title: string, schema: z.ZodType]>> = {
  market: ["a market or a subaccount with --json", market],
  accounts: ["monitor account ADDRESS --json", accounts],
  markets: [
    "monitor markets --json",
    z.array(z.looseObject({ market: marketName, symbol: text.optional(), state: z.enum(STATES) })),
  ],
  events: [
    "a line that monitor tail --events adds",
    object({ event: text, channel: text.optional(), at: isoTime, detail: text }),
  ],
  statement: ["monitor statement --json", statement],
  trades: ["a line of monitor export trades or fills --format ndjson", listed(TRADE_FIELDS)],
  liquidations: [
    "a line of monitor export liquidations --format ndjson",
    listed(LIQUIDATION_FIELDS),
  ],
  manifest: [
    "the file of monitor export --manifest",
    object({
      ...{ listing: text, base_url: text, file: text.nullable(), format: text },
      ...{ sha256: text.nullable(), newest: isoTime.nullable(), oldest: isoTime.nullable() },
      ...{ rows: count, pages: count, requests: count, retries: count },
      ...{ complete: flag, proof: text },
    }),
  ],
  doctor: [
    "monitor doctor --json",
    object({
      verdicts: object(Object.fromEntries(VERDICTS.map((verdict) => [verdict, count]))),
      took_ms: count,
      checks: z.array(object({ id: text, verdict: z.enum(VERDICTS), fact: text })),
      dialect,
      drift: z.record(text, count),
    }),
  ],
  simulate: [
    "the line of monitor simulate",
    object({
      ws_url: text,
      base_url: text,
      markets: z.array(object({ type: z.enum(["spot", "perp"]), id: integer })),
      account: object({ address: text, owner: text, subaccount_id: integer }),
    }),
  ],
  watch: [
    "a line of monitor watch",
    z.looseObject({ event: text, at: isoTime }).and(z.looseObject(partial(alertEvent))),
  ],
};

function partial(fields: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, each.optional()]));
}

/** As JSON Schema 2020-12. */
export function schemaText(name: string): string {
  const [title, schema] = SCHEMAS[name] ?? [];
  if (schema === undefined) throw new Error(`there is no schema of ${name}`);
  return `${JSON.stringify({ title, ...z.toJSONSchema(schema) }, null, 1)}\n`;
}
