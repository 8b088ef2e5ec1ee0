// GET …/markets/{market_id}/liquidations (sections 2.5, 4.3): liquidation events, newest first.
import * as z from "zod/mini";
import { createSchema } from "../schema.ts";
import { decimal, integer, type Shape, text, unsignedDecimal } from "../shape.ts";
import { decodePage, type ListedNumbers, type Page } from "./page.ts";

/** One position that a liquidation took or reduced. Allowed words are not shown. */
export interface LiquidatedPosition {
  readonly market_id: number;
  readonly side: string;
  /** Numeric text. */
  readonly size: string;
  /** Signed numeric text. */
  readonly position_margin: string;
  readonly margin_mode: string;
}

/** One liquidation event. Allowed values of its words are not shown. */
export interface LiquidationRecord {
  readonly liquidation_id: string;
  readonly liquidation_type: string;
  readonly liquidator: string;
  readonly liquidatee: string;
  readonly liquidatee_subaccount: number;
  readonly bucket: string;
  readonly scope: string;
  readonly positions: readonly LiquidatedPosition[];
  /** Unix milliseconds. */
  readonly timestamp_ms: number;
}

/** Its schema (2.5), as strict as the shape says. */
export function liquidationRecord(shape: Shape): z.ZodMiniType<LiquidationRecord> {
  const position = shape.record({
    market_id: integer,
    side: text,
    size: unsignedDecimal,
    position_margin: decimal,
    margin_mode: text,
  });
  return shape.record({
    liquidation_id: unsignedDecimal,
    liquidation_type: text,
    liquidator: text,
    liquidatee: text,
    liquidatee_subaccount: integer,
    bucket: text,
    scope: text,
    positions: z.array(position),
    timestamp_ms: integer,
  });
}

const page = createSchema<readonly LiquidationRecord[]>((shape) =>
  shape.page(liquidationRecord(shape)),
);

const numbers: ListedNumbers = {
  names: ["liquidatee_subaccount", "timestamp_ms"],
  lists: { positions: { names: ["market_id"] } },
};

/** Reads a page of liquidations; one record that does not fit rejects the page. Never throws. */
export function decodeLiquidationsPage(body: string, isStrict: boolean): Page<LiquidationRecord> {
  return decodePage(page, numbers, body, isStrict);
}
