// Funding rates of one market: the first frame is the list, later ones add points or change the newest.
// Interpretation: docs/adr/0007.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases } from "./aliases.ts";
import type { SliceFacts } from "./facts-schema.ts";
import { type RecordsPlace, RecordsState } from "./records.ts";
import { readTimeNs } from "./time-value.ts";

/** Points that are kept: five full frames of the service. */
const MAX_POINTS = 1000;

/** The rates of one market, each point in time once. Only the fold changes it. */
export class FundingRatesState {
  private readonly aliases: Aliases;
  private readonly points: RecordsState;
  private sorted: readonly OpenRecord[] | undefined;

  constructor(aliases: Aliases) {
    this.aliases = aliases;
    this.points = new RecordsState(aliases, [["fundingTime"], ["time"]]);
  }

  /** The fields that distinguish points; empty when none do. */
  get key(): string {
    return this.points.key;
  }

  /** By time, oldest first; in the order first seen where they have no time. */
  get rates(): readonly OpenRecord[] {
    this.sorted ??= [...this.points.records]
      .sort((a, b) => compareTime(this.timeOf(a), this.timeOf(b)))
      .slice(-MAX_POINTS);
    return this.sorted;
  }

  /** Unix nanoseconds of the moment that a point is for; undefined when it is not provided. */
  timeOf(rate: OpenRecord): bigint | undefined {
    const aliases = this.aliases;
    return (
      readTimeNs(aliases.value(rate, "fundingTime")) ?? readTimeNs(aliases.value(rate, "time"))
    );
  }

  facts(): SliceFacts["funding-rates"] {
    return this.points.facts();
  }

  restore(facts: SliceFacts["funding-rates"]): this {
    this.points.restore(facts);
    return this;
  }

  update(came: readonly OpenRecord[], place: RecordsPlace): this {
    this.points.update(came, place);
    this.sorted = undefined;
    return this;
  }
}

function compareTime(a: bigint | undefined, b: bigint | undefined): number {
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}
