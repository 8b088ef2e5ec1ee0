// What became of an account's equity since it was first seen: values of the service, once a second at the most.
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { withSign } from "./fields.ts";
import { formatBlock, selectSparkline } from "./sparkline.ts";

/** Samples that are kept: every other one goes when there are more. */
const MAX_SAMPLES = 256;
const FIRST_STEP_MS = 1000;

interface Sample {
  readonly atMs: number;
  readonly value: Decimal;
}

/** Of one account: another name begins anew. */
export class EquityHistory {
  #name = "";
  #samples: readonly Sample[] = [];
  /** Between two samples, at the least: twice as long each time that there were too many. */
  #stepMs = FIRST_STEP_MS;

  /** @param text as the service has it; undefined, and text that is no decimal, is passed over */
  note(name: string, text: string | undefined, atMs: number): void {
    if (name !== this.#name) {
      this.#samples = [];
      this.#stepMs = FIRST_STEP_MS;
    }
    this.#name = name;
    const value = parseDecimal(text ?? "");
    if (value === undefined) return;
    // The first one stays, what has changed since is said of it; the last one is that of now.
    const before = this.#samples.at(-2) ?? this.#samples[0];
    const isSoon =
      this.#samples.length > 1 && before !== undefined && atMs - before.atMs < this.#stepMs;
    const samples = [...(isSoon ? this.#samples.slice(0, -1) : this.#samples), { atMs, value }];
    const isFull = samples.length > MAX_SAMPLES;
    if (isFull) this.#stepMs *= 2;
    this.#samples = isFull ? samples.filter((_, i) => i % 2 === 0) : samples;
  }

  /** What has changed since the first value, exactly, with its sign; undefined before a second one. */
  get change(): { readonly text: string; readonly sinceMs: number } | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || first === last) return undefined;
    if (compareDecimal(first.value, last.value) === 0) return undefined;
    const text = withSign(formatDecimal(subtractDecimal(last.value, first.value)));
    return { text, sinceMs: first.atMs };
  }

  /** The values as blocks in so many cells, from the lowest to the highest of them; empty while all are the same. */
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
