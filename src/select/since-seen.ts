// How an account's equity has changed since it was first seen: values of the service, at most once a second.

import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import {
  addDecimal,
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { Memo } from "../units/memo.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readDecimal, withSign } from "./fields.ts";

// Values as blocks of eight heights.

const BLOCKS = "▁▂▃▄▅▆▇█";

/** Heights of a sparkline, 0 to 7, newest last, one for each of the last values. */
export function selectSparkline(values: readonly bigint[], width: number): readonly number[] {
  const shown = values.slice(-Math.max(0, width));
  const [first = 0n] = shown;
  if (width <= 0) return [];
  const high = shown.reduce((most, value) => (value > most ? value : most), first);
  const low = shown.reduce((least, value) => (value < least ? value : least), first);
  const span = high - low;
  return shown.map((value) =>
    span === 0n ? 3 : Number(((value - low) * 7n * 2n + span) / (span * 2n)),
  );
}

export function formatBlock(height: number | undefined): string {
  return height === undefined ? " " : (BLOCKS[height] ?? " ");
}

/** With more samples, every other one is dropped. */
const MAX_SAMPLES = 256;
const FIRST_STEP_MS = 1000;

/** For one account: another name starts over. */
export class EquityHistory {
  #name = "";
  #samples: readonly { readonly atMs: number; readonly value: Decimal }[] = [];
  /** Minimum time between samples; doubled each time that there were too many. */
  #stepMs = FIRST_STEP_MS;

  /** @param text as the service sends it; undefined, and text that is not a decimal, is ignored */
  note(name: string, text: string | undefined, atMs: number): void {
    if (name !== this.#name) {
      this.#samples = [];
      this.#stepMs = FIRST_STEP_MS;
    }
    this.#name = name;
    const value = parseDecimal(text ?? "");
    if (value === undefined) return;
    // The first one stays, since the change is counted from it; the last one is the current value.
    const before = this.#samples.at(-2) ?? this.#samples[0];
    const isSoon =
      this.#samples.length > 1 && before !== undefined && atMs - before.atMs < this.#stepMs;
    const samples = [...(isSoon ? this.#samples.slice(0, -1) : this.#samples), { atMs, value }];
    const isFull = samples.length > MAX_SAMPLES;
    if (isFull) this.#stepMs *= 2;
    this.#samples = isFull ? samples.filter((_, i) => i % 2 === 0) : samples;
  }

  /** The exact change since the first value, with its sign; undefined if there is none. */
  get change(): { readonly text: string; readonly sinceMs: number } | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || first === last) return undefined;
    if (compareDecimal(first.value, last.value) === 0) return undefined;
    const text = withSign(formatDecimal(subtractDecimal(last.value, first.value)));
    return { text, sinceMs: first.atMs };
  }

  /** The values as blocks in this many cells, scaled from lowest to highest; empty while all are equal. */
  sparkline(cells: number): string {
    const { length } = this.#samples;
    const shown = Array.from({ length: Math.min(cells, length) }, (_, i) => {
      const at = length <= cells ? i : Math.round((i * (length - 1)) / (cells - 1));
      return this.#samples[at]?.value ?? { mantissa: 0n, places: 0 };
    });
    const places = Math.max(0, ...shown.map((value) => value.places));
    const values = shown.map((value) => widenDecimal(value, places).mantissa);
    if (values.every((value) => value === values[0])) return "";
    return selectSparkline(values, cells).map(formatBlock).join("");
  }
}

// Fees of an account's fills, and its funding payments, since the account was first seen.

const SUMMED = { fills: "fee", funding_payments: "amount" } as const satisfies Partial<
  Record<keyof AccountState["logs"], Meaning>
>;
type Summed = keyof typeof SUMMED;

/** For one account: another name starts over. */
export class PaidSince {
  #name = "";
  /** Number of rows in each log when it was first seen, and when that was. */
  readonly #starts = new Map<Summed, { readonly total: number; readonly atMs: number }>();
  readonly #sums = {
    fills: new Memo<Decimal | undefined>(),
    funding_payments: new Memo<Decimal | undefined>(),
  };

  /** Records from which row on a log is newer than the start. */
  note(name: string, logs: AccountState["logs"], atMs: number): void {
    if (name !== this.#name) {
      this.#starts.clear();
    }
    this.#name = name;
    for (const log of Object.keys(SUMMED) as Summed[]) {
      const { isReceived, total } = logs[log];
      const start = this.#starts.get(log);
      // A log with fewer rows than at the start has been reset.
      if (isReceived && (start === undefined || total < start.total)) {
        this.#starts.set(log, { total, atMs });
      }
    }
  }

  /**
   * A sum with the sign of the service; `isWhole` if no rows may be missing or are in question. Undefined until a row has
   * been received since the start, if a row lacks the value, and if one is no longer held.
   */
  select(name: Summed, logs: AccountState["logs"], aliases: Aliases) {
    const start = this.#starts.get(name);
    const { rows, total, mayMiss, inQuestion } = logs[name];
    const count = start === undefined ? 0 : total - start.total;
    if (start === undefined || count <= 0 || count > rows.length) return undefined;
    const sum = this.#sums[name].get([rows, count], () =>
      sumPayments(rows.slice(0, count), SUMMED[name], aliases),
    );
    if (sum === undefined) return undefined;
    const isWhole = !mayMiss && inQuestion.size === 0;
    return { text: formatDecimal(sum), sinceMs: start.atMs, isWhole };
  }
}

function sumPayments(rows: readonly OpenRecord[], meaning: Meaning, aliases: Aliases) {
  let sum: Decimal | undefined = { mantissa: 0n, places: 0 };
  for (const row of rows) {
    const value = readDecimal(row, meaning, aliases);
    sum = sum && value && addDecimal(sum, value);
  }
  return sum;
}
