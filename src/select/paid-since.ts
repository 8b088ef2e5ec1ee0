// What an account's fills have cost in fees, and what funding has come to, since the account was first seen.
import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import { addDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";

const SUMMED = { fills: "fee", funding_payments: "amount" } as const satisfies Partial<
  Record<keyof AccountState["logs"], Meaning>
>;
type Summed = keyof typeof SUMMED;

/** A sum of the field as the service signs it. */
export interface Paid {
  readonly text: string;
  readonly sinceMs: number;
  /** False where rows may be missing, or be one with another. */
  readonly isWhole: boolean;
}

interface Start {
  /** Of the log, when it was first seen. */
  readonly total: number;
  readonly atMs: number;
}

interface KnownSum {
  readonly rows: readonly OpenRecord[];
  readonly sum: Decimal | undefined;
}

/** Of one account: another name begins anew. */
export class PaidSince {
  #name = "";
  readonly #starts = new Map<Summed, Start>();
  readonly #known = new Map<Summed, KnownSum>();

  /** Notes from which row on a log is of after the start. */
  note(name: string, logs: AccountState["logs"], atMs: number): void {
    if (name !== this.#name) {
      this.#starts.clear();
      this.#known.clear();
    }
    this.#name = name;
    for (const log of Object.keys(SUMMED) as Summed[]) {
      const { hasCome, total } = logs[log];
      const start = this.#starts.get(log);
      // A log that has less than at the start has begun anew.
      if (hasCome && (start === undefined || total < start.total)) {
        this.#starts.set(log, { total, atMs });
      }
    }
  }

  /** Undefined before a row has come since the start, where one has no such value, and where one is not held any more. */
  select(name: Summed, logs: AccountState["logs"], aliases: Aliases): Paid | undefined {
    const start = this.#starts.get(name);
    const { rows, total, mayMiss, inQuestion } = logs[name];
    const count = start === undefined ? 0 : total - start.total;
    if (start === undefined || count <= 0 || count > rows.length) return undefined;
    const known = this.#known.get(name);
    const sum =
      known?.rows === rows ? known.sum : sumPayments(rows.slice(0, count), SUMMED[name], aliases);
    this.#known.set(name, { rows, sum });
    if (sum === undefined) return undefined;
    const isWhole = !mayMiss && inQuestion.size === 0;
    return { text: formatDecimal(sum), sinceMs: start.atMs, isWhole };
  }
}

function sumPayments(rows: readonly OpenRecord[], meaning: Meaning, aliases: Aliases) {
  let sum: Decimal | undefined = { mantissa: 0n, places: 0 };
  for (const row of rows) {
    const value = parseDecimal(aliases.text(row, meaning) ?? "");
    sum = sum && value && addDecimal(sum, value);
  }
  return sum;
}
