// account/<address>/<subaccount_id>: everything of one subaccount (sections 2.2, 2.3, 4.1, 6.3).
import * as z from "zod/mini";
import { index32, openRecord, type Shape, sequences, updateFrame } from "../shape.ts";
import type { OpenRecord, SequencedUpdate } from "./update.ts";

/** Leverage chosen for one market. */
export interface Leverage {
  readonly market_id: number;
  /** Whole factor, 1 or more. */
  readonly leverage: number;
}

/** At least one of the properties is present. All records but Leverage have fields that are not shown. */
export interface AccountUpdate extends SequencedUpdate {
  readonly account?: OpenRecord | undefined;
  readonly balances?: readonly OpenRecord[] | undefined;
  readonly positions?: readonly OpenRecord[] | undefined;
  readonly leverages?: readonly Leverage[] | undefined;
  readonly orders?: readonly OpenRecord[] | undefined;
  readonly fills?: readonly OpenRecord[] | undefined;
  readonly funding_payments?: readonly OpenRecord[] | undefined;
}

/** The payload fields of an account update, of which each frame carries at least one. */
const ACCOUNT_LISTS = [
  "account",
  "balances",
  "positions",
  "leverages",
  "orders",
  "fills",
  "funding_payments",
] as const satisfies readonly (keyof AccountUpdate)[];

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function accountUpdate(shape: Shape): z.ZodMiniType<AccountUpdate> {
  const records = z.optional(z.array(openRecord));
  const leverage = shape.record({ market_id: index32, leverage: index32.check(z.minimum(1)) });
  return updateFrame(shape, {
    ...sequences,
    account: z.optional(openRecord),
    balances: records,
    positions: records,
    leverages: z.optional(z.array(leverage)),
    orders: records,
    fills: records,
    funding_payments: records,
  }).check(
    z.refine((frame) => ACCOUNT_LISTS.some((list) => frame[list] !== undefined), {
      message: `none of ${ACCOUNT_LISTS.join(", ")} is present`,
    }),
  );
}
