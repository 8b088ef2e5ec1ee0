// Markets as written in a scenario, and their specification as used by the exchange.
import * as z from "zod";
import { type Decimal, multiplyDecimal, parseDecimal } from "../../units/decimal.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";

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

const marketSetup = z.strictObject({
  type: z.enum(["perp", "spot"]),
  id: z.int().min(0).max(2_147_483_647),
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
});

/** Up to a position value: the maximum leverage and the maintenance margin. */
export interface MarginTier {
  /** Largest position value of the tier, in whole units of quote currency. */
  readonly maxNotional: number;
  readonly maxLeverage: number;
  /** Maintenance margin in millionths of the position's value. */
  readonly maintenancePpm: bigint;
}
const MARGIN_TIERS: readonly MarginTier[] = [
  { maxNotional: 2_000_000, maxLeverage: 200, maintenancePpm: 2_500n },
  { maxNotional: 10_000_000, maxLeverage: 50, maintenancePpm: 10_000n },
  { maxNotional: 50_000_000, maxLeverage: 20, maintenancePpm: 25_000n },
];

/** A market of a scenario. Values that the exchange could not represent in integers are rejected. */
export const marketSpec = marketSetup.transform((setup, { addIssue }) => {
  const [tickSize, lotSize, startPrice] = [setup.tick_size, setup.lot_size, setup.start_price].map(
    (text) => parseDecimal(text) ?? ZERO,
  ) as [Decimal, Decimal, Decimal];
  const product = multiplyDecimal(tickSize, lotSize);
  const atomsPerTickLot = wholeQuotient(product, { mantissa: 1n, places: QUOTE_PLACES });
  const startTicks = wholeQuotient(startPrice, tickSize) ?? 0;
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
    /** Unique only among the markets of its type. */
    id: setup.id,
    symbol: setup.symbol,
    baseAsset: setup.base_asset,
    quoteAsset: setup.quote_asset,
    tickSize,
    lotSize,
    /** Quote atoms in one tick times one lot: an integer, so that every value is exact. */
    atomsPerTickLot: atomsPerTickLot ?? 1,
    startTicks,
    makerFeePpm: BigInt(setup.maker_fee_ppm),
    takerFeePpm: BigInt(setup.taker_fee_ppm),
    /** Smallest first; empty for spot. The last one has no upper limit. */
    marginTiers: setup.type === "perp" ? MARGIN_TIERS : [],
    activity: setup.activity,
    volatilityPpm: setup.volatility_ppm,
  };
});

/** Immutable specification of a market: scale, fees, margin and activity. */
export type MarketSpec = Readonly<z.output<typeof marketSpec>>;

/** How many times `part`, which is not 0, fits into `whole`; undefined if there is a remainder. */
function wholeQuotient(whole: Decimal, part: Decimal): number | undefined {
  const numerator = whole.mantissa * 10n ** BigInt(part.places);
  const denominator = part.mantissa * 10n ** BigInt(whole.places);
  return numerator % denominator === 0n ? Number(numerator / denominator) : undefined;
}
