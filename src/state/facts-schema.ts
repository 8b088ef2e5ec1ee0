// The parts of a fold's state that frames do not carry, as plain values: a recording starts with them, and a replay restores
// them. A recording is external input, so it is validated; the types of `facts` and `restore` follow from the schema.
import * as z from "zod";
import type { ChannelKind } from "../wire/channels.ts";
import type { Immutable } from "../wire/shape.ts";
import { QUESTIONS } from "./account-list.ts";
import { HOLE_CAUSES } from "./trades.ts";

export const digits = z.string().regex(/^[0-9]+$/);
const whole = z.string().regex(/^-?[0-9]+$/);
const sums = [whole, whole, z.number()] as const;
const span = { afterNs: digits, untilNs: digits };
const trade = z.looseObject({
  timestamp_ns: digits,
  price_ticks: digits,
  size_base_lots: digits,
  taker_is_bid: z.boolean(),
});
const flow = z.object({
  sinceMs: z.number().optional(),
  newestNs: digits.optional(),
  aside: z.array(z.union([z.number(), trade])),
  minutes: z.array(
    z.object({
      openMs: z.number(),
      sums: z.tuple(sums),
      value: whole,
      grouping: digits,
      last: z.string(),
      lastNs: z.string(),
      cells: z.array(z.tuple([digits, ...sums])),
      seconds: z.array(z.tuple([z.number(), ...sums, z.string(), z.string()])).optional(),
    }),
  ),
});
const tape = z.object({
  total: z.number(),
  filledTotal: z.number(),
  isNewestFirst: z.boolean(),
  holes: z.array(z.object({ ...span, cause: z.enum(HOLE_CAUSES), next: z.number().optional() })),
  listed: z.array(z.number()),
  filled: z.array(z.object(span)),
  healed: z.array(z.object(span)),
  releasedHoles: z.array(
    z.object({ span: z.object(span), before: z.array(trade), behind: z.array(trade) }),
  ),
  releasedNs: digits,
  requestedMs: z.number().optional(),
  firstNs: digits.optional(),
  pastUntilNs: digits,
  hasMissed: z.boolean(),
  cause: z.enum(HOLE_CAUSES).optional(),
  ahead: z.number(),
  firstFrameNs: digits.optional(),
  lastFrameNs: digits,
  liveUntilMs: z.number().optional(),
  lastFrameAtMs: z.number().optional(),
  clock: z.object({ offsetMs: z.number(), atMs: z.number() }).optional(),
  newestNs: digits.optional(),
  lateNs: digits.optional(),
  behindNs: digits.optional(),
  ofNewestMoment: z.array(trade).optional(),
  hasTwins: z.boolean().optional(),
  looksBack: z.number().optional(),
  flow,
});
const score = z.number().nullable();
const book = z.object({
  scores: z.object({ whole: score, changes: score }),
  judged: z.number(),
  isMixed: z.boolean(),
  hasLater: z.boolean(),
  suspect: z.string().optional(),
});
const records = z.object({
  interpretation: z.enum(["changes", "fields", "whole"]),
  isCut: z.boolean(),
  hasChained: z.boolean(),
});
const names = z.array(z.string());
const each = <T extends z.ZodType>(of: T) => z.object({ rows: of, markets: of, whole: of });
const list = z.object({
  interpretations: z.object({
    hints: z.number(),
    proof: each(z.number()),
    isMixed: z.boolean(),
    observations: z.number(),
    possible: each(z.boolean()),
  }),
  key: z.object({
    refuted: names,
    added: names,
    dropped: names,
    isProven: z.boolean(),
    isSideState: z.boolean(),
  }),
  rows: z.array(
    z.object({
      named: z.number(),
      mayBeNamed: z.number(),
      question: z.enum(QUESTIONS).optional(),
      omitted: names.optional(),
    }),
  ),
  newest: z.number(),
  touched: z.array(z.tuple([z.string(), z.number()])),
  leftOut: z.number(),
  missing: z.number(),
  splitAtMs: z.number().optional(),
  mutable: names,
  changing: names,
  trusted: z.number(),
  isReused: z.boolean(),
});
const hole = z.enum(["gap", "equal"]).optional();
const log = z.object({
  total: z.number(),
  interpretation: z.enum(["append", "window"]),
  isDecided: z.boolean(),
  isMixed: z.boolean(),
  hasForgotten: z.boolean(),
  end: hole,
  isNewestFirst: z.boolean(),
  marks: z.array(
    z.tuple([
      z.number(),
      z.object({ mayRepeat: z.enum(["list", "backlog"]).optional(), behind: hole }),
    ]),
  ),
});
/** Kinds whose state a frame does not fully contain. */
export const FACTS = {
  orderbook: book,
  trades: tape,
  candles: z.object({ unfinished: z.array(z.number()) }),
  "mark-candles": z.object({ unfinished: z.array(z.number()) }),
  markets: records,
  "market-stats": records,
  "funding-rates": records,
  accounts: z.object({
    changes: z.array(
      z.tuple([z.number(), z.object({ from: z.string(), to: z.string(), timestampNs: digits })]),
    ),
    isCut: z.boolean(),
    omitted: names.default([]),
    ways: names.default([]),
    harmless: names.default([]),
  }),
  account: z.object({
    lists: z.object({
      positions: list.optional(),
      orders: list.optional(),
      balances: list.optional(),
      leverages: list.optional(),
    }),
    logs: z.object({ fills: log.optional(), funding_payments: log.optional() }),
    suspect: z.string().optional(),
    isAudited: z.boolean(),
    isMixed: z.boolean(),
    heldOver: z.array(z.string()).default([]),
  }),
};

/** Measurements of a market's scale; decimals as text. */
export const scaleFacts = z.object({
  market: z.string(),
  tickSize: z.string().optional(),
  lotSize: z.string().optional(),
  pairs: z.number(),
  prices: z.array(whole),
  needed: z.number(),
  contradictions: z.number(),
  contradiction: z.string().optional(),
  /** Why nothing can be measured; empty while trades are listed. */
  obstacle: z.string(),
});

type InferFacts<S extends z.ZodType> = Immutable<z.infer<S>>;

/** State of each kind that a frame does not contain. Undefined if a frame contains everything. */
export type SliceFacts = {
  [K in ChannelKind]: K extends keyof typeof FACTS ? InferFacts<(typeof FACTS)[K]> : undefined;
};
export type TapeFacts = SliceFacts["trades"];
export type FlowFacts = TapeFacts["flow"];
export type BookFacts = InferFacts<typeof book>;
export type ListFacts = InferFacts<typeof list>;
export type LogFacts = InferFacts<typeof log>;
export type ScaleFacts = InferFacts<typeof scaleFacts>;
