// The stream's view of one subaccount while its fills are read: its positions.
import type { Context } from "../args/context.ts";
import { accountChannel, type Subaccount } from "../select/account.ts";
import { positionDirection, positionSize } from "../select/fields.ts";
import { readRecordMarket } from "../select/market.ts";
import { openScales } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Clock } from "../units/clock.ts";
import { absoluteDecimal, addDecimal, type Decimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { msOfNs } from "../units/time.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import type { OpenRecord } from "../wire/update.ts";
import { HeadlessSession } from "./headless-session.ts";
import type { Service } from "./service.ts";
import { Upkeep } from "./upkeep.ts";

/** By market; undefined if the size is in question, or only known in lots. Long is positive. */
export type Sizes = ReadonlyMap<string, Decimal | undefined>;

/** Unix milliseconds by the service's clock. */
export interface PositionsAt {
  readonly ms: number;
  readonly sizes: () => Sizes;
}

/** After a first frame, its positions may arrive in a separate part. */
const PART_MS = 2000;

export class HeldPositions {
  readonly #session: HeadlessSession;
  readonly #account: Subaccount;
  readonly #scales: Scales;
  readonly #upkeep: Upkeep;
  readonly #clock: Clock;
  #snapshot: PositionsAt | undefined;
  /** Monotonic milliseconds of a first frame whose positions have not arrived yet. */
  #firstAtMs: number | undefined;

  constructor(
    context: Context,
    service: Service,
    account: Subaccount,
    knownScales: Readonly<Record<string, Scale>>,
  ) {
    this.#account = account;
    this.#session = new HeadlessSession(context, service, (event) => this.#observe(event));
    const { store, stream } = this.#session.live;
    this.#scales = openScales(store, knownScales);
    this.#clock = context.clock;
    const { live } = this.#session;
    this.#upkeep = new Upkeep(context, service, live, this.#scales, () => this.#session.check());
    stream.subscribe(accountChannel(account));
    stream.subscribe("markets");
  }

  close(): void {
    this.#upkeep.stop();
    this.#session.close();
  }

  /**
   * The positions of a first frame, which is a snapshot. Each further call requests a new one.
   * @returns a string: why there are none
   * @throws {ServiceError} when the first connection cannot be made
   */
  async take(timeoutMs: number): Promise<PositionsAt | string> {
    if (this.#snapshot !== undefined) {
      this.#snapshot = undefined;
      const channel = accountChannel(this.#account);
      this.#session.live.stream.resync(channel, "compared with the fills");
    }
    await this.#session.until(() => this.#isSettled, timeoutMs);
    const { feed } = this.#slice;
    const isRefused = feed.phase === "refused" || feed.frames === 0;
    const why = isRefused ? feed.reason : "the stream shows no list of positions";
    return this.#snapshot ?? why ?? "no data of the account received";
  }

  get #isSettled(): boolean {
    this.#upkeep.follow(this.#account);
    const { feed } = this.#slice;
    if (this.#snapshot !== undefined) return this.#upkeep.hasMeasuredAccount;
    const firstAtMs = this.#firstAtMs ?? Number.POSITIVE_INFINITY;
    const isWithout = this.#clock.now() - firstAtMs > PART_MS;
    return isWithout || (feed.frames === 0 && isAnswered(feed));
  }

  get #slice() {
    return this.#session.live.store.slice("account", accountChannel(this.#account));
  }

  #observe(event: StreamEvent): void {
    if (event.type !== "update" || event.channel !== accountChannel(this.#account)) return;
    const { frame } = event.update;
    if (event.isFirst) this.#firstAtMs = this.#clock.now();
    if (this.#firstAtMs === undefined || !("positions" in frame)) return;
    this.#firstAtMs = undefined;
    const { rows, inQuestion, unnamed } = this.#slice.data.lists.positions;
    const questions = new Set([...inQuestion, ...unnamed]);
    // Evaluated later, when the lot size may be known; later frames have no effect.
    const sizes = () => this.#sizesOf(rows, questions);
    this.#snapshot = { ms: msOfNs(frame.timestamp_ns), sizes };
  }

  #marketOf(row: OpenRecord): string | undefined {
    return readRecordMarket(row, this.#session.live.store.aliases);
  }

  /** Several positions of one market, as with isolated margin, are summed. */
  #sizesOf(rows: readonly OpenRecord[], questions: ReadonlySet<OpenRecord>): Sizes {
    const sizes = new Map<string, Decimal | undefined>();
    for (const row of rows) {
      const market = this.#marketOf(row);
      if (market === undefined) continue;
      const size = questions.has(row) ? undefined : this.#sizeOf(row, market);
      const before = sizes.has(market) ? sizes.get(market) : { mantissa: 0n, places: 0 };
      sizes.set(market, before && size && addDecimal(before, size));
    }
    return sizes;
  }

  #sizeOf(row: OpenRecord, market: string): Decimal | undefined {
    const { aliases } = this.#session.live.store;
    const size = positionSize(row, aliases, this.#scales.of(market).scale?.lotSize);
    if (size === undefined || size.mantissa === 0n) return size;
    const direction = positionDirection(row, aliases);
    const { mantissa, places } = absoluteDecimal(size);
    return direction && { mantissa: direction === "long" ? mantissa : -mantissa, places };
  }
}
