// How the fields of open records are shown now: with the scale of each row's market, masked or not. Answers the same
// object until something of that changes, so that cells are formatted once.

import type { Aliases } from "../state/aliases.ts";
import type { Scales } from "../state/scales.ts";
import type { Scale } from "../units/scale.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Cell } from "./cells.ts";
import { formatMarket, marketOf } from "./market.ts";
import type { RecordFormat } from "./record-format.ts";

/** What the format follows. */
export interface ScaledFormatOptions {
  readonly aliases: Aliases;
  readonly scales: Scales;
  readonly wordsOf?: (record: OpenRecord, column: string) => Cell | undefined;
}

/** Keeps the format in force, and what it has been used with. */
export class ScaledFormat {
  readonly #options: ScaledFormatOptions;
  /** Scales that cells have been formatted with, by market. */
  readonly #used = new Map<string, Scale | undefined>();
  #format: RecordFormat;

  constructor(options: ScaledFormatOptions) {
    this.#options = options;
    this.#format = this.#make(false);
  }

  /** The format in force. Never throws. */
  now(isMasked: boolean): RecordFormat {
    const isOld = [...this.#used].some(
      ([market, scale]) => this.#options.scales.of(market).scale !== scale,
    );
    if (isOld) this.#used.clear();
    if (isOld || isMasked !== this.#format.isMasked) this.#format = this.#make(isMasked);
    return this.#format;
  }

  #make(isMasked: boolean): RecordFormat {
    const { aliases, wordsOf } = this.#options;
    return {
      aliases,
      isMasked,
      scaleOf: (record) => this.#scaleOf(record),
      ...(wordsOf && { wordsOf }),
    };
  }

  #scaleOf(record: OpenRecord): Scale | undefined {
    const market = marketOf(record, this.#options.aliases);
    if (market === undefined) return undefined;
    const name = formatMarket(market);
    const { scale } = this.#options.scales.of(name);
    this.#used.set(name, scale);
    return scale;
  }
}
