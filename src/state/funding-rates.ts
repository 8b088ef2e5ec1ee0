// Folds the funding rates of one market: the first frame is the full list, later ones add points or change the newest.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases } from "./aliases.ts";
import { RecordsState } from "./records.ts";
import { readTimeNs } from "./time-value.ts";

/** Points kept: five full frames of the service (section 8). */
const MAX_POINTS = 1000;

/** The rates of one market, one per point in time. Only the fold changes it. */
export class FundingRatesState extends RecordsState {
  private sorted: readonly OpenRecord[] | undefined;

  constructor(aliases: Aliases) {
    super(aliases, [["fundingTime"], ["time"]]);
  }

  /** Ascending by time; in order of arrival where they have none. */
  get rates(): readonly OpenRecord[] {
    this.sorted ??= [...this.records]
      .sort((a, b) => compareTime(this.timeOf(a), this.timeOf(b)))
      .slice(-MAX_POINTS);
    return this.sorted;
  }

  /** Unix nanoseconds of the point in time; undefined if the record has none. */
  timeOf(rate: OpenRecord): bigint | undefined {
    const aliases = this.aliases;
    return (
      readTimeNs(aliases.value(rate, "fundingTime")) ?? readTimeNs(aliases.value(rate, "time"))
    );
  }

  override update(...update: Parameters<RecordsState["update"]>): void {
    super.update(...update);
    this.sorted = undefined;
    // Points are added as long as the channel is received: without this, there would be no room for new ones at some point.
    if (this.size <= 2 * MAX_POINTS) return;
    this.keepOnly(new Set(this.rates));
    this.sorted = undefined;
  }
}

function compareTime(a: bigint | undefined, b: bigint | undefined): number {
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}
