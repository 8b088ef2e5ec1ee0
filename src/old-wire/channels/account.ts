// account/<address>/<subaccount_id>: all data of one subaccount (sections 2.2, 2.3, 4.1, 6.3).
import type { Infer, Shape } from "../shape.ts";

const leverage = (s: Shape) =>
  s.record({
    market_id: s.index32,
    /** Integer factor, 1 or more. */
    leverage: s.positive32,
  });

const LISTS = [
  "account",
  "balances",
  "positions",
  "leverages",
  "orders",
  "fills",
  "funding_payments",
] as const;

/** At least one of the lists is present. The fields of all records except Leverage are not documented. */
export const accountUpdate = (s: Shape) => {
  const records = s.optional(s.list(s.openRecord));
  return s
    .update({
      ...s.sequences,
      account: s.optional(s.openRecord),
      balances: records,
      positions: records,
      leverages: s.optional(s.list(leverage(s))),
      orders: records,
      fills: records,
      funding_payments: records,
    })
    .check(
      s.refine((frame) => LISTS.some((list) => frame[list] !== undefined), {
        message: `none of ${LISTS.join(", ")} is present`,
      }),
    );
};

export type AccountUpdate = Infer<typeof accountUpdate>;
