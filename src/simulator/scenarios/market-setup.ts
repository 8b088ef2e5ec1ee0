// Markets as a scenario writes them, and what the exchange makes of them.
import * as z from "zod";
import { type Decimal, multiplyDecimal, parseDecimal } from "../../units/decimal.ts";
import type { MarginTier, MarketSpec } from "../exchange/market.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";

/** Decimal texts of a setup. */
interface Sizes {
  readonly tick_size: string;
  readonly lot_size: string;
  readonly start_price: string;
}

/** Fair prices are kept in sixteenths of a tick, books in twice the ticks: this leaves room for both. */
const MAX_START_TICKS = 2 ** 44;

const size = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,9})?$/, "decimal text such as 0.01")
  .refine((text) => /[1-9]/.test(text), "more than zero");
const word = z.string().regex(/^[\x21-\x7e]{1,32}$/, "1 to 32 printable characters");
const feePpm = z.int().min(-10_000).max(10_000);

/** A market in a scenario. What the exchange could not count in whole numbers is refused. */
export const marketSetup = z
  .strictObject({
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
  })
  .refine((market) => atomsPerTickLot(market) !== undefined, {
    message: `tick_size × lot_size is no whole number of ${10 ** -QUOTE_PLACES}, the smallest amount of money`,
    path: ["lot_size"],
  })
  .refine((market) => (startTicks(market) ?? 0) >= 1000, {
    message: "less than 1000 ticks, or no whole number of ticks",
    path: ["start_price"],
  })
  .refine((market) => (startTicks(market) ?? 0) <= MAX_START_TICKS, {
    message: `more than ${MAX_START_TICKS} ticks`,
    path: ["start_price"],
  })
  .refine((market) => market.taker_fee_ppm + market.maker_fee_ppm >= 0, {
    message: "a rebate that is more than the taker pays",
    path: ["maker_fee_ppm"],
  });

/** A market of a scenario, checked, with its defaults. */
export type MarketSetup = z.infer<typeof marketSetup>;

/** The same tiers for every perpetual market. */
const MARGIN_TIERS: readonly MarginTier[] = [
  { maxNotional: 2_000_000, maxLeverage: 200, maintenancePpm: 2_500n },
  { maxNotional: 10_000_000, maxLeverage: 50, maintenancePpm: 10_000n },
  { maxNotional: 50_000_000, maxLeverage: 20, maintenancePpm: 25_000n },
];

/** The market that a setup describes. @throws {RangeError} for a setup that the schema refuses. */
export function createMarketSpec(setup: MarketSetup): MarketSpec {
  const atoms = atomsPerTickLot(setup);
  const start = startTicks(setup);
  if (atoms === undefined || start === undefined) throw new RangeError("a market without a scale");
  return {
    type: setup.type,
    id: setup.id,
    symbol: setup.symbol,
    baseAsset: setup.base_asset,
    quoteAsset: setup.quote_asset,
    tickSize: decimal(setup.tick_size),
    lotSize: decimal(setup.lot_size),
    atomsPerTickLot: atoms,
    startTicks: start,
    makerFeePpm: BigInt(setup.maker_fee_ppm),
    takerFeePpm: BigInt(setup.taker_fee_ppm),
    marginTiers: setup.type === "perp" ? MARGIN_TIERS : [],
    activity: setup.activity,
    volatilityPpm: setup.volatility_ppm,
  };
}

/** undefined when a tick of a lot is no whole number of quote atoms, or text is no decimal. */
function atomsPerTickLot({ tick_size, lot_size }: Sizes): number | undefined {
  const product = multiplyDecimal(decimal(tick_size), decimal(lot_size));
  const atoms = product.mantissa * 10n ** BigInt(QUOTE_PLACES);
  const unit = 10n ** BigInt(product.places);
  return atoms > 0n && atoms % unit === 0n ? Number(atoms / unit) : undefined;
}

function startTicks({ start_price, tick_size }: Sizes): number | undefined {
  const price = decimal(start_price);
  const tick = decimal(tick_size);
  const numerator = price.mantissa * 10n ** BigInt(tick.places);
  const denominator = tick.mantissa * 10n ** BigInt(price.places);
  if (denominator === 0n || numerator % denominator !== 0n) return undefined;
  return Number(numerator / denominator);
}

function decimal(text: string): Decimal {
  return parseDecimal(text) ?? { mantissa: 0n, places: 0 };
}
