// The positions of a subaccount as they are shown: with the leverage of their market, and how far they are from their
// liquidation where the service names its price. What was added is not in the exact view of a row.

import type { Aliases } from "../state/aliases.ts";
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  divideInteger,
  formatDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import { formatMarket, marketOf } from "./market.ts";
import { positionDirection } from "./position-size.ts";

/** Columns that are added. */
const JOINED_LEVERAGE = "leverage";
/** Distance to the liquidation, in percent of the mark price. */
export const TO_LIQUIDATION = "to_liquidation";

type Rows = readonly OpenRecord[];

/** Makes rows of positions, and remembers them. No method throws. */
export class PositionRows {
  readonly #aliases: Aliases;
  readonly #originals = new WeakMap<OpenRecord, OpenRecord>();
  #made = new WeakMap<OpenRecord, { readonly leverage: unknown; readonly row: OpenRecord }>();
  #positions: Rows | undefined;
  #leverages: Rows | undefined;
  #rows: Rows = [];

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
  }

  /** The same array, and the same rows in it, until something of them changes. */
  select(positions: Rows, leverages: Rows): Rows {
    if (positions === this.#positions && leverages === this.#leverages) return this.#rows;
    this.#positions = positions;
    this.#leverages = leverages;
    const byMarket = new Map(leverages.map((row) => [this.#marketOf(row), row.leverage]));
    this.#rows = positions.map((position) =>
      this.#rowOf(position, byMarket.get(this.#marketOf(position))),
    );
    return this.#rows;
  }

  /** The position as it came. */
  original(row: OpenRecord): OpenRecord {
    return this.#originals.get(row) ?? row;
  }

  #marketOf(row: OpenRecord): string | undefined {
    const market = marketOf(row, this.#aliases);
    return market && formatMarket(market);
  }

  #rowOf(position: OpenRecord, leverage: unknown): OpenRecord {
    const known = this.#made.get(position);
    if (known?.leverage === leverage && known !== undefined) return known.row;
    const hasOwn = this.#aliases.text(position, "leverage") !== undefined;
    const distance = liquidationDistance(position, this.#aliases);
    const row = {
      ...position,
      ...(!hasOwn && leverage !== undefined && { [JOINED_LEVERAGE]: leverage }),
      ...(distance !== undefined && { [TO_LIQUIDATION]: distance }),
    };
    this.#originals.set(row, position);
    this.#made.set(position, { leverage, row });
    return row;
  }
}

/**
 * How far the mark price is from the price of liquidation, in percent of the mark price, with one digit. `0.0` when it
 * has been reached. Undefined where one of the prices is not provided. Never throws.
 */
export function liquidationDistance(position: OpenRecord, aliases: Aliases): string | undefined {
  const mark = parseDecimal(aliases.text(position, "markPrice") ?? "");
  const liquidation = parseDecimal(aliases.text(position, "liquidationPrice") ?? "");
  if (mark === undefined || liquidation === undefined || mark.mantissa <= 0n) return undefined;
  if (hasPassed(positionDirection(position, aliases), mark, liquidation)) return "0.0";
  const apart = subtractDecimal(mark, liquidation);
  const whole = widenDecimal(mark, apart.places).mantissa;
  const percent = divideInteger(apart.mantissa * 100n, whole, 1);
  return percent && formatDecimal(absoluteDecimal(percent));
}

/** A long is liquidated below, a short above; without a direction, nothing is said. */
function hasPassed(
  direction: "long" | "short" | undefined,
  mark: Decimal,
  liquidation: Decimal,
): boolean {
  const order = compareDecimal(mark, liquidation);
  if (direction === "long") return order <= 0;
  return direction === "short" && order >= 0;
}
