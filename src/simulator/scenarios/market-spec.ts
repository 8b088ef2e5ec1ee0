// Markets as a scenario writes them, and what the exchange makes of them.
import * as z from "zod";
import { type Decimal, multiplyDecimal, parseDecimal } from "../../units/decimal.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";

/** Fair prices are kept in sixteenths of a tick, books in twice the ticks: this leaves room for both. */
const MAX_START_TICKS = 2 ** 44;
const MIN_START_TICKS = 1000;

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
  /** Quote currency in a tick, base currency in a lot: decimal text. */
  tick_size: size,
  lot_size: size,
  /** Price that the market begins at, in quote currency. */
  start_price: size,
  /** Fees in millionths of the traded value; negative: a rebate. */
  maker_fee_ppm: feePpm.default(-20),
  taker_fee_ppm: feePpm.min(0).default(350),
  /** How often people trade here, 1 for a large market on a calm day. */
  activity: z.number().min(0.01).max(1000).default(1),
  /** How far the fair price moves in a calm second, in millionths of it (one standard deviation). */
  volatility_ppm: z.number().min(0).max(500).default(18),
});

/** Up to a value, how far a position may be leveraged and what margin keeps it alive. */
export interface MarginTier {
  /** Largest position value of the tier, in whole units of quote currency. */
  readonly maxNotional: number;
  readonly maxLeverage: number;
  /** Least margin before liquidation, in millionths of the position's value. */
  readonly maintenancePpm: bigint;
}
const MARGIN_TIERS: readonly MarginTier[] = [
  { maxNotional: 2_000_000, maxLeverage: 200, maintenancePpm: 2_500n },
  { maxNotional: 10_000_000, maxLeverage: 50, maintenancePpm: 10_000n },
  { maxNotional: 50_000_000, maxLeverage: 20, maintenancePpm: 25_000n },
];

/** A market of a scenario. What the exchange could not count in whole numbers is refused. */
export const marketSpec = marketSetup.transform((setup, { addIssue }) => {
  const refuse = (field: keyof typeof setup, message: string) =>
    addIssue({ code: "custom", path: [field], message });
  const tickSize = decimal(setup.tick_size);
  const lotSize = decimal(setup.lot_size);
  const product = multiplyDecimal(tickSize, lotSize);
  const atomsPerTickLot = wholeQuotient(product, { mantissa: 1n, places: QUOTE_PLACES });
  const startTicks = wholeQuotient(decimal(setup.start_price), tickSize) ?? 0;
  if (atomsPerTickLot === undefined) {
    const atom = 10 ** -QUOTE_PLACES;
    const detail = `is no whole number of ${atom}, the smallest amount of money`;
    refuse("lot_size", `tick_size × lot_size ${detail}`);
  }
  if (startTicks < MIN_START_TICKS) {
    refuse("start_price", `less than ${MIN_START_TICKS} ticks, or no whole number of ticks`);
  }
  if (startTicks > MAX_START_TICKS) refuse("start_price", `more than ${MAX_START_TICKS} ticks`);
  if (setup.taker_fee_ppm + setup.maker_fee_ppm < 0) {
    refuse("maker_fee_ppm", "a rebate that is more than the taker pays");
  }
  return {
    type: setup.type,
    /** Unique among the markets of its type only. */
    id: setup.id,
    symbol: setup.symbol,
    baseAsset: setup.base_asset,
    quoteAsset: setup.quote_asset,
    tickSize,
    lotSize,
    /** Quote atoms in one tick times one lot: a whole number, so that every value is exact. */
    atomsPerTickLot: atomsPerTickLot ?? 1,
    startTicks,
    makerFeePpm: BigInt(setup.maker_fee_ppm),
    takerFeePpm: BigInt(setup.taker_fee_ppm),
    /** Smallest first; empty for spot. The last one has no upper end. */
    marginTiers: setup.type === "perp" ? MARGIN_TIERS : [],
    activity: setup.activity,
    volatilityPpm: setup.volatility_ppm,
  };
});

/** Scale, fees, margin and temper of a market; it never changes. */
export type MarketSpec = Readonly<z.output<typeof marketSpec>>;

function decimal(text: string): Decimal {
  return parseDecimal(text) ?? { mantissa: 0n, places: 0 };
}

/** How often `part`, which is not 0, goes into `whole`; undefined where something is left over. */
function wholeQuotient(whole: Decimal, part: Decimal): number | undefined {
  const numerator = whole.mantissa * 10n ** BigInt(part.places);
  const denominator = part.mantissa * 10n ** BigInt(whole.places);
  return numerator % denominator === 0n ? Number(numerator / denominator) : undefined;
}
