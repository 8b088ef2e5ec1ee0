// Funding as far as it was observed: no listing of the interface has it, so nothing is known of some days.
import { addDecimal, type Decimal, formatDecimal, trimDecimal } from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";
import { ZERO } from "./fold.ts";

export interface SeenPayment {
  /** Undefined if the payment does not name it. */
  readonly market: string | undefined;
  readonly ms: number | undefined;
  /** With the service's sign. */
  readonly amount: Decimal;
}

export interface SeenFunding {
  readonly payments: number;
  /** Unix milliseconds of the first payment observed; undefined if none has a time. */
  readonly sinceMs: number | undefined;
  readonly mayMiss: boolean;
  readonly sum: Decimal;
  /** By day and market; payments without both are only in the sum. */
  readonly days: readonly {
    readonly day: string;
    readonly market: string;
    readonly amount: Decimal;
  }[];
}

export function sumFunding(
  payments: readonly SeenPayment[],
  mayMiss: boolean,
  dayOf: (ms: number) => string,
): SeenFunding {
  const days = new Map<string, { day: string; market: string; amount: Decimal }>();
  let sum = ZERO;
  let sinceMs: number | undefined;
  for (const { market, ms, amount } of payments) {
    sum = addDecimal(sum, amount);
    if (ms !== undefined) sinceMs = Math.min(sinceMs ?? ms, ms);
    if (market === undefined || ms === undefined) continue;
    const day = dayOf(ms);
    const key = `${day} ${market}`;
    const before = days.get(key)?.amount ?? ZERO;
    days.set(key, { day, market, amount: trimDecimal(addDecimal(before, amount)) });
  }
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return { payments: payments.length, sinceMs, mayMiss, sum: trimDecimal(sum), days: sorted };
}

export function formatFunding({ payments, sinceMs, mayMiss, sum }: SeenFunding): string {
  const missed = mayMiss ? ", some may have been missed" : "";
  if (payments === 0)
    return `funding: no payment was seen${missed}; no listing has what was paid before`;
  const since = sinceMs === undefined ? "" : ` since ${formatIsoMs(sinceMs)}`;
  const count = `${payments} ${payments === 1 ? "payment" : "payments"}`;
  return `funding ${formatDecimal(sum)} quote, as signed by the service, in ${count} seen${since}${missed}; no listing has what was paid before`;
}

export function fundingJson({ payments, sinceMs, mayMiss, sum, days }: SeenFunding): object {
  return {
    payments,
    seen_since: sinceMs === undefined ? null : formatIsoMs(sinceMs),
    may_miss: mayMiss,
    sum_quote: formatDecimal(sum),
    days: days.map(({ day, market, amount }) => ({
      day,
      market,
      sum_quote: formatDecimal(amount),
    })),
  };
}
