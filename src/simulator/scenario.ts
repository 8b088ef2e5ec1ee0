// A scenario describes the simulated exchange as data: a built-in one, or a file of the same form.
import * as z from "zod";
import { type Decimal, multiplyDecimal, parseDecimal } from "../units/decimal.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { toUnits } from "../units/scale.ts";
import { DAY_MS } from "../units/time.ts";
import { MAX_INT32 } from "../units/uint.ts";
import { parseJson } from "../wire/json.ts";
import { BUILT_IN, MARKETS } from "./built-in.ts";
import { QUOTE_PLACES } from "./exchange/money.ts";
import { FAULTS, type FaultKind } from "./faults.ts";

const MAX_MARKETS = 20;
/** Leaves room for fair prices in sixteenths of a tick, and books in twice the ticks. */
const MAX_START_TICKS = 2 ** 44;
const MIN_START_TICKS = 1000;
const ZERO: Decimal = { mantissa: 0n, places: 0 };

const size = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,9})?$/, "decimal text such as 0.01")
  .refine((text) => /[1-9]/.test(text), "more than zero");
const word = z.string().regex(/^[\x21-\x7e]{1,32}$/, "1 to 32 printable characters");
const feePpm = z.int().min(-10_000).max(10_000);

/** Values that the exchange could not represent in integers are rejected. */
const market = z
  .strictObject({
    type: z.enum(["perp", "spot"]),
    /** Unique only among the markets of its type. */
    id: z.int().min(0).max(MAX_INT32),
    symbol: word,
    base_asset: word,
    quote_asset: word.default("USDC"),
    /** Quote currency per tick, base currency per lot: decimal text. */
    tick_size: size,
    lot_size: size,
    /** Price at the start, in quote currency. */
    start_price: size,
    /** Fees in millionths of the traded value; a negative one is a rebate. */
    maker_fee_ppm: feePpm.default(-20),
    taker_fee_ppm: feePpm.min(0).default(350),
    /** How often people trade here; 1 for a large market on a calm day. */
    activity: z.number().min(0.01).max(1000).default(1),
    /** Standard deviation of the fair price's move in a calm second, in millionths of the price. */
    volatility_ppm: z.number().min(0).max(500).default(18),
  })
  .transform((setup, { addIssue }) => {
    const sizes = [setup.tick_size, setup.lot_size, setup.start_price];
    const [tickSize = ZERO, lotSize = ZERO, startPrice = ZERO] = sizes.map(parseDecimal);
    const tickLot = multiplyDecimal(tickSize, lotSize);
    const atomsPerTickLot = toUnits(tickLot, { mantissa: 1n, places: QUOTE_PLACES });
    const startTicks = Number(toUnits(startPrice, tickSize) ?? 0n);
    const reject = (path: string, message: string) =>
      addIssue({ code: "custom", path: [path], message });
    if (atomsPerTickLot === undefined) {
      reject("lot_size", "tick_size × lot_size is no whole number of 0.000001, the smallest money");
    }
    if (startTicks < MIN_START_TICKS || startTicks > MAX_START_TICKS) {
      const range = `${MIN_START_TICKS} to ${MAX_START_TICKS}`;
      reject("start_price", `no whole number of ticks from ${range}`);
    }
    return {
      type: setup.type,
      id: setup.id,
      symbol: setup.symbol,
      baseAsset: setup.base_asset,
      quoteAsset: setup.quote_asset,
      tickSize,
      lotSize,
      /** Quote atoms in one tick times one lot: an integer, so that every value is exact. */
      atomsPerTickLot: Number(atomsPerTickLot ?? 1n),
      startTicks,
      makerFeePpm: BigInt(setup.maker_fee_ppm),
      takerFeePpm: BigInt(setup.taker_fee_ppm),
      activity: setup.activity,
      volatilityPpm: setup.volatility_ppm,
    };
  });
export type MarketInput = z.input<typeof market>;
export type MarketSpec = Readonly<z.output<typeof market>>;

const spanMs = z.int().min(1).max(DAY_MS);
/** `*` matches any text. */
const pattern = z.string().min(1).max(200).default("*");

const fault = z.strictObject({
  kind: z.enum(Object.keys(FAULTS) as FaultKind[]),
  /** Of the stream, and of REST. */
  channels: pattern,
  paths: pattern,
  /** That it strikes where it could. */
  probability: z.number().gt(0).max(1).default(1),
  /** Delay after going live; duration (absent: for ever); period of repetition (absent: once). */
  after_ms: z.int().min(0).max(DAY_MS).default(0),
  for_ms: spanMs.optional(),
  every_ms: spanMs.optional(),
  /** By how much frames are late. */
  delay_ms: spanMs.default(1000),
  /** Seconds, sent as Retry-After. */
  retry_after_s: z.int().min(0).max(3600).optional(),
});
export type Fault = Readonly<z.output<typeof fault>>;

const markets = z
  .array(market)
  .min(1)
  .max(MAX_MARKETS)
  .refine((all) => areDistinct(all.map(({ type, id }) => `${type}/${id}`)), {
    message: "two markets of one type and id",
  })
  .refine(
    (all) => areDistinct(all.flatMap((each) => (each.type === "spot" ? each.baseAsset : []))),
    {
      message: "two spot markets of one base asset",
    },
  )
  .refine((all) => new Set(all.map(({ quoteAsset }) => quoteAsset)).size === 1, {
    message: "markets of different quote assets",
  });

const scenario = z.strictObject({
  markets: markets.prefault(() => [...MARKETS]),
  mark_interval_ms: z.int().min(10).max(DAY_MS).default(1000),
  /** Funding settles at the whole multiples of it. */
  funding_interval_ms: z.int().min(1000).max(DAY_MS).default(3_600_000),
  /** Minimum interval between turns, in which pending acts run and are published. */
  turn_ms: z.int().min(1).max(1000).default(2),
  faults: z.array(fault).max(100).default([]),
});
/** A checked scenario, with defaults applied. */
export type Scenario = z.output<typeof scenario>;
/** As it is written. */
export type ScenarioInput = z.input<typeof scenario>;

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/**
 * Checks a scenario.
 * @param source its name in error messages
 * @throws {MonitorError} `bad-scenario`, one line with the first fault and its place
 */
export function checkScenario(value: unknown, source: string): Scenario {
  const { success, data, error } = scenario.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  throw badScenario(`${source}: ${place === "" ? "" : `${place}: `}${issue?.message}`);
}

function badScenario(problem: string): MonitorError {
  const advice = 'see "The simulated exchange" in docs/operations.md';
  return new MonitorError("bad-scenario", "usage", `scenario ${problem}`, { advice });
}

export function noScenario(message: string, cause?: unknown): MonitorError {
  const advice = "expected: --scenario NAME, or the path of a scenario file";
  return new MonitorError("no-scenario", "usage", message, { advice, cause });
}

/**
 * Finds a scenario: a built-in one by name, or a file.
 * @param text content of the file, if the name is a path
 * @throws {MonitorError} `no-scenario` if there is none of that name, `bad-scenario` if it is invalid
 */
export function loadScenario(nameOrPath: string, text = ""): Scenario {
  if (Object.hasOwn(BUILT_IN, nameOrPath)) {
    return checkScenario(BUILT_IN[nameOrPath], nameOrPath);
  }
  if (!isScenarioFile(nameOrPath)) {
    const names = Object.keys(BUILT_IN).join(", ");
    throw noScenario(`no scenario "${nameOrPath}": one of ${names}, or the path of a JSON file`);
  }
  const value = parseJson(text);
  if (value === undefined) throw badScenario(`${nameOrPath}: not JSON`);
  return checkScenario(value, nameOrPath);
}

/** True for the path of a file: names of built-in scenarios contain none of these characters. */
export function isScenarioFile(nameOrPath: string): boolean {
  return /[./\\]/.test(nameOrPath);
}
