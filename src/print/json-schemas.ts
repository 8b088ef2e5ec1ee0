// Schemas of the JSON output. Our own objects have no other fields; records of the service may have more, kept as received.
import * as z from "zod/mini";
import { STATS } from "../select/stats.ts";
import { ACCOUNT_LISTS, ACCOUNT_LOGS } from "../state/account.ts";
import { PANE_STATES } from "../state/pane-state.ts";
import { HOLE_CAUSES } from "../state/trades.ts";
import { headingSchema, LINE_SCHEMAS } from "../timeline/recording-reader.ts";
import { ANY_CHANNEL, CHANNEL_KINDS, CHANNELS, INTERVALS } from "../wire/channels.ts";
import type { FieldList, Form } from "../wire/rest/fields.ts";
import { LIQUIDATION_FIELDS } from "../wire/rest/liquidations.ts";
import { TRADE_FIELDS } from "../wire/rest/trades.ts";
import { tolerant, unsignedDecimal } from "../wire/shape.ts";

/** The forms of JSON output by the names of their schema files. */
export const JSON_FORMS = {
  live: "a market: --once, --for, a line a second, replay, each with --json",
  account: "an account: --once, --for, a line a second, replay, each with --json",
  markets: "monitor markets --json",
  trades: "monitor trades --json",
  fills: "monitor fills --json",
  liquidations: "monitor liquidations --json",
  tail: "a line of monitor tail: a frame of the service as received",
  events: "a line that monitor tail --events adds",
  statement: "monitor statement --json",
  "export-trades": "a line of monitor export trades --format ndjson",
  "export-fills": "a line of monitor export fills --format ndjson",
  "export-liquidations": "a line of monitor export liquidations --format ndjson",
  manifest: "the file of monitor export --manifest",
  doctor: "monitor doctor --json",
  recording: "a line of a recording, the first one too",
  alert: "what the exec of an alert reads on its standard input",
  log: "a line of the file that --log names",
  simulate: "the line of monitor simulate",
  watch: "a line of monitor watch",
} as const;

export type JsonFormName = keyof typeof JSON_FORMS;

const object = z.strictObject;
const text = z.string();
const digits = tolerant.unsignedInteger;
const { count } = tolerant;
const records = z.array(tolerant.openRecord);
const isoTime = text.check(
  z.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/),
);
const marketName = text.check(z.regex(/^(?:spot|perp)\/[0-9]+$/));
const marketFields = { type: z.enum(["spot", "perp"]), id: count };
const market = object(marketFields);
const { trades } = CHANNELS.trades.schema(tolerant).shape;
const { candles } = CHANNELS.candles.schema(tolerant).shape;
const { subaccounts, delegations } = CHANNELS.accounts.schema(tolerant).shape;

type AnyObject = z.ZodMiniObject<Record<string, z.ZodMiniType>, z.core.$loose>;

const FORMS: Readonly<Record<Form, z.ZodMiniType>> = {
  unsigned: unsignedDecimal,
  signed: tolerant.decimal,
  text,
  integer: z.int(),
  flag: z.boolean(),
};

/** A record of a listing. */
function listed(fields: FieldList): AnyObject {
  const schemas = fields.map(([name, form]) => [
    name,
    typeof form === "string" ? FORMS[form] : z.array(listed(form)),
  ]);
  return z.looseObject(Object.fromEntries(schemas)) as unknown as AnyObject;
}

const link = object({
  state: z.enum(["connecting", "open", "waiting", "closed"]),
  reconnects: count,
  protocol_version: z.nullable(z.int()),
});

const scale = object({
  tick_size: z.nullable(unsignedDecimal),
  lot_size: z.nullable(unsignedDecimal),
  source: z.enum(["config", "market", "measured", "none"]),
  pairs: count,
  contradictions: count,
  doubt: z.nullable(text),
});

const paneFields = {
  state: z.enum(PANE_STATES),
  age_ms: z.nullable(z.int()),
  gaps: count,
  resyncs: count,
  rejected: count,
  late: count,
  drift: count,
};
const pane = object(paneFields);

const known = z.enum(["inferred", "assumed"]);
const places = z.array(count);
const listInterpretation = object({
  reading: z.enum(["rows", "markets", "whole"]),
  known,
  observations: count,
  key: z.nullable(text),
  unnamed: places,
  in_question: places,
  missing: count,
});
const logInterpretation = object({
  reading: z.enum(["append", "window"]),
  known,
  in_question: places,
  may_miss: z.boolean(),
});

function each<N extends string, S extends z.ZodMiniType>(names: readonly N[], schema: S) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>;
}

function optional<T extends Readonly<Record<string, z.ZodMiniType>>>(fields: T) {
  const entries = Object.entries(fields).map(([name, field]) => [name, z.optional(field)]);
  return Object.fromEntries(entries) as { [K in keyof T]: z.ZodMiniOptional<T[K]> };
}

const accountPane = object({
  ...paneFields,
  readings: object({
    account: z.optional(object({ in_question: z.array(text) })),
    ...each(ACCOUNT_LISTS, listInterpretation),
    ...each(ACCOUNT_LOGS, logInterpretation),
  }),
});

const account = object({
  address: text,
  subaccount_id: count,
  account: z.nullable(tolerant.openRecord),
  ...each([...ACCOUNT_LISTS, ...ACCOUNT_LOGS], z.nullable(records)),
  leverages: z.nullable(z.array(z.looseObject({ market_id: count, leverage: count }))),
});

const perf = z.optional(
  object({
    seconds: z.number(),
    updates_per_second: z.number(),
    cpu_percent: z.number(),
    loop_lag_p99_ms: z.number(),
    rss_bytes: count,
    frames_per_second: z.nullable(z.number()),
    bytes_per_second: z.nullable(z.number()),
    coalesced: z.nullable(count),
  }),
);

const decimal = text.check(z.regex(/^-?[0-9]+(?:\.[0-9]+)?$/));
const signedDigits = text.check(z.regex(/^-?[0-9]+$/));
const flow = object({
  since_ms: z.int(),
  until_ms: z.optional(z.int()),
  coverage: object({
    known_ms: count,
    holes: z.array(object({ after_ns: digits, until_ns: digits, healed: z.boolean() })),
  }),
  bought_lots: digits,
  sold_lots: digits,
  delta_lots: signedDigits,
  trades: count,
  vwap: z.optional(
    object({
      numerator_ticks_lots: digits,
      denominator_lots: digits,
      price: z.optional(unsignedDecimal),
    }),
  ),
  profile: object({
    grouping_ticks: digits,
    levels: z.array(object({ price_ticks: digits, bought_lots: digits, sold_lots: digits })),
    poc_ticks: z.optional(digits),
  }),
});

/** In addition to ticks and lots, if their size is known. */
const decimals = { price: z.optional(unsignedDecimal), size: z.optional(unsignedDecimal) };
const pricedLevel = z.looseObject({ price_ticks: digits, size_base_lots: digits, ...decimals });
const pricedTrade = z.extend(trades.def.element as unknown as AnyObject, decimals);

const figureFields = {
  last: decimal,
  mark: decimal,
  index: decimal,
  change_24h: decimal,
  high_24h: decimal,
  low_24h: decimal,
  volume_base_24h: decimal,
  volume_quote_24h: decimal,
  open_interest: decimal,
  funding_rate: decimal,
  next_funding_ms: z.int(),
} satisfies Record<(typeof STATS)[number], z.ZodMiniType>;
const figures = {
  ...optional(figureFields),
  age_ms: object(optional(each(STATS, count))),
};

const live = object({
  market: object({ ...marketFields, symbol: z.optional(text) }),
  scale,
  stats: object(figures),
  bbo: z.nullable(object({ bid: z.nullable(pricedLevel), ask: z.nullable(pricedLevel) })),
  orderbook: z.nullable(
    object({
      sequence: z.nullable(digits),
      bids: z.array(pricedLevel),
      asks: z.array(pricedLevel),
    }),
  ),
  trades: z.array(pricedTrade),
  flow: z.nullable(flow),
  candles: object({
    interval: z.enum(INTERVALS),
    // Includes past candles: more than one frame may have.
    items: z.array(candles.def.element),
    unfinished: z.array(z.int()),
  }),
  account: z.nullable(account),
  panes: object({
    bbo: pane,
    orderbook: pane,
    trades: object({
      ...paneFields,
      holes: z.array(object({ after_ns: digits, until_ns: digits, cause: z.enum(HOLE_CAUSES) })),
    }),
    candles: pane,
    account: z.optional(accountPane),
  }),
  link,
  perf,
});

const accountView = object({
  market: z.null(),
  scale: object({ tick_size: z.null(), lot_size: z.null(), source: z.literal("none") }),
  scales: z.record(marketName, scale),
  bbo: z.null(),
  orderbook: z.null(),
  trades: z.array(z.never()),
  candles: z.null(),
  account: z.nullable(account),
  accounts: object({
    address: text,
    subaccounts: subaccounts,
    delegations: delegations,
  }),
  panes: object({ accounts: pane, account: z.optional(accountPane) }),
  link,
  perf,
});

const sums = optional({
  currency: text,
  equity: decimal,
  unrealised: decimal,
  margin_used: decimal,
  orders: count,
  positions: count,
});

const totals = object({
  live: count,
  of: count,
  closed: count,
  ...sums,
  ...optional({ why: text }),
});

const overview = {
  address: text,
  name: z.optional(text),
  subaccounts: z.array(
    object({
      subaccount_id: count,
      name: z.optional(text),
      status: z.nullable(text),
      created_at_ns: z.optional(digits),
      state: paneFields.state,
      note: z.optional(text),
      age_ms: z.nullable(count),
      ...sums,
      margin_ratio: z.optional(decimal),
      nearest_liquidation: z.optional(
        object({ market: z.nullable(marketName), symbol: text, distance: decimal }),
      ),
      in_question: object({ orders: count, positions: count }),
    }),
  ),
  totals,
  delegations,
  panes: object({ accounts: pane }),
};

const accountForms = z.union([
  accountView,
  object({ ...overview, link, perf }),
  object({ accounts: z.array(object(overview)), totals, link, perf }),
]);

const markets = z.array(
  object({
    market: z.nullable(marketName),
    symbol: z.optional(text),
    state: paneFields.state,
    ...figures,
  }),
);

function listing(row: z.ZodMiniType) {
  return object({
    listing: text,
    as_of: z.nullable(isoTime),
    complete: z.boolean(),
    proof: text,
    rows: z.array(row),
  });
}

const eventFacts = { channel: z.nullable(text), at: isoTime, detail: text };
const event = object({
  event: z.enum([
    "connected",
    "disconnected",
    "gap",
    "repeat",
    "late",
    "lost",
    "numbering",
    "resync",
    "rejected",
    "refused",
  ]),
  ...eventFacts,
});

const exportedTrade = z.extend(listed(TRADE_FIELDS), { time: isoTime });

const manifest = object({
  listing: text,
  base_url: text,
  file: z.nullable(text),
  format: z.enum(["csv", "ndjson"]),
  sha256: z.nullable(text.check(z.regex(/^[0-9a-f]{64}$/))),
  newest: z.nullable(isoTime),
  oldest: z.nullable(isoTime),
  rows: count,
  pages: count,
  requests: count,
  retries: count,
  complete: z.boolean(),
  proof: text,
});

const signedDecimal = tolerant.decimal;
/** Of a fill: a service may have its own words for the type. */
const listedMarket = text.check(z.regex(/^.*\/[0-9]+$/));
const quoteSums = {
  bought_quote: signedDecimal,
  sold_quote: signedDecimal,
  volume_quote: unsignedDecimal,
  fees_quote: signedDecimal,
  maker_fees_quote: signedDecimal,
  taker_fees_quote: signedDecimal,
  realised_quote: signedDecimal,
};
const marketSums = {
  symbol: z.nullable(text),
  fills: count,
  maker_fills: count,
  bought: unsignedDecimal,
  sold: unsignedDecimal,
  ...quoteSums,
};
const day = text.check(z.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/));
const statement = object({
  owner: text.check(z.regex(/^0x[0-9a-fA-F]{40}$/)),
  subaccount_id: count,
  complete: z.boolean(),
  proof: text,
  days: z.array(object({ day, market: listedMarket, ...marketSums })),
  markets: z.record(listedMarket, object(marketSums)),
  totals: object(quoteSums),
  books: z.record(
    listedMarket,
    object({
      fills: signedDecimal,
      position: z.nullable(signedDecimal),
      difference: z.nullable(signedDecimal),
    }),
  ),
});

const doctor = object({
  verdicts: object({ ok: count, warn: count, fail: count, unknown: count }),
  requests: count,
  took_ms: count,
  checks: z.array(
    object({ id: text, verdict: z.enum(["ok", "warn", "fail", "unknown"]), fact: text }),
  ),
  open_points: z.array(
    object({
      section: text,
      point: text,
      known: z.enum(["verified", "inferred", "assumed", "unknown"]),
      seen: text,
    }),
  ),
});

const drift = object({ path: text, detail: text });
const streamEvent = z.union(
  Object.entries({
    link: {
      link: object({
        state: z.enum(["connecting", "open", "waiting", "closed"]),
        reconnects: count,
        aliveAtMs: z.optional(z.number()),
        roundTripMs: z.optional(z.number()),
        retryAtMs: z.optional(z.number()),
        protocolVersion: z.optional(z.int()),
        isLate: z.optional(z.boolean()),
        skewMs: z.optional(z.number()),
        fault: z.optional(
          object({
            code: text,
            detail: text,
            status: z.optional(z.int()),
            retryAfterMs: z.optional(z.number()),
          }),
        ),
      }),
    },
    subscribing: { channel: text },
    probing: { channel: text },
    confirmed: { channel: text },
    doubted: { channel: text, reason: text },
    lost: { channel: text, reason: z.optional(text) },
    "probing-off": { reason: text },
    late: {
      channel: text,
      sequence: z.optional(z.nullable(digits)),
      isRepeat: z.optional(z.boolean()),
    },
    numbering: {
      kind: text,
      previous: z.enum(["frame", "transaction", "nothing"]),
      frames: count,
      unseen: count,
    },
    gap: { channel: text, held: text, previous: text, sequence: z.optional(digits) },
    resync: { channel: text, reason: text },
    unavailable: { channel: text, message: text, retryAtMs: z.number() },
    refused: { channel: text, code: z.int(), message: text },
    unsubscribed: { channel: text },
    rejected: {
      channel: z.optional(text),
      rejection: object({
        reason: text,
        path: text,
        detail: text,
        channel: z.optional(text),
        sample: text,
      }),
    },
    drift: { channel: z.optional(text), drifts: z.array(drift) },
    filled: { channel: text, afterNs: digits, untilNs: digits, trades: trades },
    since: { channel: text, sinceMs: z.int() },
    "service-error": { code: z.int(), message: text },
  }).map(([type, fields]) => object({ atMs: z.number(), type: z.literal(type), ...fields })),
);

const stamp = { t: z.number(), w: z.number() };
const recordedScale = object({ tick_size: unsignedDecimal, lot_size: unsignedDecimal });
const recording = z.union([
  z.extend(headingSchema, {
    recording: z.union([z.literal(1), z.literal(2)]),
    settings: z.extend(headingSchema.shape.settings, {
      interval: z.nullable(z.enum(INTERVALS)),
      scales: z.record(marketName, recordedScale),
    }),
  }),
  ...LINE_SCHEMAS,
  object({ ...stamp, event: streamEvent }),
  object({ ...stamp, listing: text, trades: z.array(listed(TRADE_FIELDS)) }),
]);

const alert = object({
  alert: text,
  value: z.nullable(text),
  at: isoTime,
  crossed_while_data_were_missing: z.boolean(),
  market: z.nullable(object({ type: z.enum(["spot", "perp"]), id: digits })),
  account: z.optional(text),
  firings: count,
});

const paneState = paneFields.state;
const alertFacts = {
  rule: text,
  market: z.nullable(marketName),
  account: z.optional(text),
  value: z.nullable(text),
  at: isoTime,
  state: paneState,
};
const watch = z.union([
  object({
    event: z.literal("alert"),
    ...alertFacts,
    crossed_while_data_were_missing: z.boolean(),
  }),
  object({ event: z.enum(["already_past", "evaluated"]), ...alertFacts }),
  object({ event: z.enum(["not evaluated", "expired"]), ...alertFacts, why: text }),
  object({ event: z.literal("link"), what: event.shape.event, ...eventFacts }),
]);

const level = z.enum(["debug", "info", "warn", "error"]);
const log = z.union([
  object({
    level,
    time: isoTime,
    what: z.literal("start"),
    command: text,
    version: text,
    node: text,
  }),
  object({ level, time: isoTime, what: z.literal("end"), code: z.int() }),
  object({
    level,
    time: isoTime,
    what: text,
    channel: z.optional(text),
    detail: z.optional(text),
  }),
]);

const simulate = object({
  ws_url: text,
  base_url: text,
  markets: z.array(market),
  account: object({ address: text, owner: text, subaccount_id: count }),
});

const SCHEMAS: Readonly<Record<JsonFormName, z.ZodMiniType>> = {
  live,
  account: accountForms,
  markets,
  trades: listing(listed(TRADE_FIELDS)),
  fills: listing(listed(TRADE_FIELDS)),
  liquidations: listing(listed(LIQUIDATION_FIELDS)),
  tail: z.union(
    CHANNEL_KINDS.map((kind) => {
      const channel = text.check(z.regex(new RegExp(`^${kind}(?:/|$)`)), z.regex(ANY_CHANNEL));
      const { shape } = CHANNELS[kind].schema(tolerant) as unknown as AnyObject;
      return z.looseObject({ ...shape, channel });
    }),
  ),
  events: event,
  "export-trades": exportedTrade,
  "export-fills": z.extend(exportedTrade, {
    role: z.enum(["maker", "taker", "both", ""]),
    side: z.enum(["buy", "sell", "both", ""]),
    fee_quote: text,
  }),
  "export-liquidations": z.extend(listed(LIQUIDATION_FIELDS), {
    time: isoTime,
  }),
  manifest,
  statement,
  doctor,
  recording,
  alert,
  log,
  simulate,
  watch,
};

export function jsonSchema(name: JsonFormName): object {
  const { $schema, ...schema } = z.toJSONSchema(SCHEMAS[name], {
    target: "draft-2020-12",
    reused: "ref",
  });
  return { $schema, title: `monitor ${name}`, description: JSON_FORMS[name], ...schema };
}
