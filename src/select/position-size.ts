// How large a position is, and in which direction.

import type { Aliases } from "../state/aliases.ts";
import { type Decimal, multiplyDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readNumber } from "./cells.ts";
import { sideOf } from "./side.ts";

/**
 * The size in base currency, with the sign that it has in the record; undefined where the record names none, or only lots
 * of unknown worth. @param lotSize what a lot is worth. Never throws.
 */
export function positionSize(
  position: OpenRecord,
  aliases: Aliases,
  lotSize: Decimal | undefined,
): Decimal | undefined {
  const size = readNumber(aliases.value(position, "size"));
  if (size !== undefined) return size;
  const lots = readNumber(aliases.value(position, "sizeLots"));
  return lots && lotSize && multiplyDecimal(lots, lotSize);
}

/** A negative size is a short; else the record's side says it, in whatever words. Never throws. */
export function positionDirection(
  position: OpenRecord,
  aliases: Aliases,
): "long" | "short" | undefined {
  const size =
    readNumber(aliases.value(position, "size")) ?? readNumber(aliases.value(position, "sizeLots"));
  if (size !== undefined && size.mantissa < 0n) return "short";
  const side = sideOf(position, aliases);
  return side && (side === "buy" ? "long" : "short");
}
