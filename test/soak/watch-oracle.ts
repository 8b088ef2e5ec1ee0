// What should have fired, worked out from the ledger of the simulated exchange alone: prices of trades one after the other, and
// when each was made. It shares no code with what it judges.

/** A line of `monitor watch`, as far as it is looked at. */
export interface WatchLine {
  readonly event: string;
  readonly rule: string;
  readonly value: string | null;
  readonly state: string;
  readonly why?: string;
  readonly crossed_while_data_were_missing?: boolean;
}

/** A time during which the price stood beyond the level without a break. */
interface Stay {
  readonly beganMs: number;
  endedMs: number;
  readonly first: bigint;
  readonly prices: Set<bigint>;
  firings: number;
}

interface Blind {
  readonly fromMs: number;
  untilMs: number;
}

/** How long a trade may be on its way, and be taken for present. */
const FRESH_MS = 2500;
/** A connection that died without a word is found dead within this time: what came meanwhile is missed before that is said. */
const UNNOTICED_MS = 25_000;
/** What was on its way when a rule could be evaluated again. */
const UNDER_WAY_MS = 1000;
/** A watch that has just begun has to connect first. */
const FIRST_MS = 30_000;
/** What is older than this can concern nothing any more. */
const KEPT_MS = 180_000;

/** One rule: `last` above or below a level. */
export class CrossingOracle {
  readonly wrong: string[] = [];
  crossings = 0;
  fired = 0;
  /** Crossings while the rule could not be evaluated. */
  missed = 0;
  readonly #rule: string;
  readonly #level: bigint;
  readonly #isAbove: boolean;
  #isBeyond: boolean | undefined;
  #stays: readonly Stay[] = [];
  #blind: readonly Blind[];

  constructor(rule: string, level: bigint, isAbove: boolean, startMs: number) {
    this.#rule = rule;
    this.#level = level;
    this.#isAbove = isAbove;
    this.#blind = [{ fromMs: startMs, untilMs: startMs + FIRST_MS }];
  }

  trade(price: bigint, atMs: number): void {
    const isBeyond = this.#isAbove ? price > this.#level : price < this.#level;
    const last = this.#stays.at(-1);
    if (isBeyond && this.#isBeyond === false) {
      const stay = { beganMs: atMs, endedMs: Number.POSITIVE_INFINITY, first: price };
      this.#stays = [...this.#stays, { ...stay, prices: new Set([price]), firings: 0 }];
      this.crossings++;
    } else if (isBeyond) last?.prices.add(price);
    else if (this.#isBeyond && last !== undefined) last.endedMs = atMs;
    this.#isBeyond = isBeyond;
  }

  line({ event, value, state, ...rest }: WatchLine, atMs: number): void {
    if (event === "not evaluated") {
      // A missed frame is noticed with the next one.
      const unnoticedMs = rest.why === "resync" ? FRESH_MS : UNNOTICED_MS;
      const fromMs = atMs - unnoticedMs;
      this.#blind = [...this.#blind, { fromMs, untilMs: Number.POSITIVE_INFINITY }];
    } else if (event === "evaluated") {
      const last = this.#blind.at(-1);
      if (last !== undefined) last.untilMs = atMs;
    } else if (event === "alert") {
      const isSeen = rest.crossed_while_data_were_missing !== true;
      this.#fire(BigInt(value ?? "-1"), isSeen, state, atMs);
    }
  }

  #fire(value: bigint, isSeen: boolean, state: string, atMs: number): void {
    this.fired++;
    if (state !== "live" && state !== "quiet") this.#fault(`fired while ${state}`, atMs);
    const stay = this.#stays.find(({ beganMs, endedMs, first, prices, firings }) => {
      if (firings > 0 || endedMs < atMs - KEPT_MS) return false;
      if (!isSeen) return prices.has(value) && endedMs >= atMs - UNNOTICED_MS * 3;
      return first === value && beganMs >= atMs - FRESH_MS;
    });
    if (stay === undefined) this.#fault(`fired at ${value}, where no crossing was`, atMs);
    else stay.firings++;
  }

  /** Judges what began longer ago than that. */
  settle(nowMs: number, keptMs = KEPT_MS): void {
    const isOver = ({ beganMs }: Stay) => beganMs < nowMs - keptMs;
    for (const stay of this.#stays) {
      if (!isOver(stay) || stay.firings > 0) continue;
      if (this.#isExcused(stay)) this.missed++;
      else this.#fault(`missed a crossing at ${stay.first}`, stay.beganMs);
    }
    // One that goes on may fire late, after an outage: its prices are needed.
    this.#stays = this.#stays.filter((stay) => !isOver(stay));
    this.#blind = this.#blind.filter(({ untilMs }) => untilMs >= nowMs - KEPT_MS * 2);
  }

  #isExcused({ beganMs }: Stay): boolean {
    return this.#blind.some(
      ({ fromMs, untilMs }) => beganMs >= fromMs && beganMs <= untilMs + UNDER_WAY_MS,
    );
  }

  #fault(what: string, atMs: number): void {
    this.wrong.push(`${new Date(atMs).toISOString()} ${this.#rule}: ${what}`);
  }
}
