// What is said of a market's scale, and prices and sizes in it.

import { type MarketScale, Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { MarketType } from "../wire/channels.ts";
import { findMarketRecord } from "./market-stats.ts";

/**
 * The scales of the markets of a store. Never throws.
 * @param known what the config says, by market: `perp/1`
 */
export function openScales(store: Store, known: Readonly<Record<string, Scale>>): Scales {
  return new Scales({ store, known, claimOf: (market) => selectScaleClaim(store, market) });
}

/** The scale that a market's own record names; undefined where it names none. @param name `perp/1`. Never throws. */
function selectScaleClaim(store: Store, name: string): Scale | undefined {
  const [type, id = ""] = name.split("/");
  const { records } = store.slice("markets", "markets").data;
  const record = findMarketRecord(records, { type: type as MarketType, id }, store.aliases);
  if (record === undefined) return undefined;
  const tickSize = positive(store.aliases.text(record, "tickSize"));
  const lotSize = positive(store.aliases.text(record, "lotSize"));
  return tickSize === undefined || lotSize === undefined ? undefined : { tickSize, lotSize };
}

function positive(text: string | undefined): Decimal | undefined {
  const value = text === undefined ? undefined : parseDecimal(text);
  return value !== undefined && value.mantissa > 0n ? value : undefined;
}

/** `tick 0.01 lot 0.0001 (measured, 40 trades)`, or what is shown instead, and why. Never throws. */
export function formatScale({ scale, source, evidence, doubt }: MarketScale): string {
  const words =
    scale === undefined
      ? `prices in ticks, sizes in lots (${evidence})`
      : `tick ${formatDecimal(scale.tickSize)} lot ${formatDecimal(scale.lotSize)} (${source}, ${evidence})`;
  return doubt === "" ? words : `${words}: ${doubt}`;
}
