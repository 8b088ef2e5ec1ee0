// What an account's fills and funding payments brought since it was first seen: profit realised, fees and funding. What the
// account gets is positive, what it pays negative.

import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import { addDecimal, type Decimal, formatDecimal } from "../units/decimal.ts";
import { Memo } from "../units/memo.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readDecimal, withSign } from "./fields.ts";

const ZERO: Decimal = { mantissa: 0n, places: 0 };

type Logs = AccountState["logs"];
type Log = "fills" | "funding_payments";

/** Records list a fee as what is paid, and everything else as what is got. */
const PARTS = [
  { name: "realised", log: "fills", meaning: "realizedPnl", sign: 1n },
  { name: "fees", log: "fills", meaning: "fee", sign: -1n },
  { name: "funding", log: "funding_payments", meaning: "amount", sign: 1n },
] as const satisfies readonly { name: string; log: Log; meaning: Meaning; sign: bigint }[];

export interface ProfitPart {
  readonly name: "profit" | (typeof PARTS)[number]["name"];
  /** Exact, with its sign. */
  readonly text: string;
  /** False if rows may be missing or are in question. */
  readonly isWhole: boolean;
}

/** For one account: another name starts over. */
export class SessionProfit {
  #name = "";
  /** Unix milliseconds at which the account was first seen. */
  sinceMs = 0;
  /** Number of rows in each log when it was first seen. */
  readonly #starts = new Map<Log, number>();
  readonly #sums = PARTS.map(() => new Memo<Decimal | undefined>());

  /** Records from which row on a log is newer than the start. */
  note(name: string, logs: Logs, atMs: number): void {
    if (name !== this.#name) {
      this.#starts.clear();
      this.sinceMs = atMs;
    }
    this.#name = name;
    for (const { log } of PARTS) {
      const { isReceived, total } = logs[log];
      // A log with fewer rows than at the start has been reset.
      if (isReceived && total < (this.#starts.get(log) ?? Number.POSITIVE_INFINITY)) {
        this.#starts.set(log, total);
      }
    }
  }

  /**
   * The sums that are known, after the profit if it is. A sum is unknown until a row has been received since the start, if a
   * row lacks the value, and if one is no longer held; the profit if that of the fills is not realised in each of them.
   */
  select(logs: Logs, aliases: Aliases): readonly ProfitPart[] {
    let profit = ZERO;
    let isProfitWhole = true;
    const parts = PARTS.flatMap(({ name, log, meaning, sign }, i) => {
      const { rows, total, mayMiss, inQuestion } = logs[log];
      const count = total - (this.#starts.get(log) ?? total);
      if (count <= 0 || count > rows.length) return [];
      const sum = this.#sums[i]?.get([rows, count], () =>
        sumValues(rows.slice(0, count), meaning, aliases),
      );
      if (sum === undefined) return [];
      const value = { ...sum, mantissa: sum.mantissa * sign };
      const isWhole = !mayMiss && inQuestion.size === 0;
      profit = addDecimal(profit, value);
      isProfitWhole &&= isWhole;
      return { name, text: withSign(formatDecimal(value)), isWhole };
    });
    const names = parts.map((part) => part.name);
    if (!names.includes("realised") || !names.includes("fees")) return parts;
    const text = withSign(formatDecimal(profit));
    return [{ name: "profit", text, isWhole: isProfitWhole }, ...parts];
  }
}

function sumValues(rows: readonly OpenRecord[], meaning: Meaning, aliases: Aliases) {
  let sum: Decimal | undefined = ZERO;
  for (const row of rows) {
    const value = readDecimal(row, meaning, aliases);
    sum = sum && value && addDecimal(sum, value);
  }
  return sum;
}
