// What the stream shows of one subaccount while its fills are read: its positions at each moment, and the funding that was paid.
import type { Context } from "../args/context.ts";
import { accountChannel, type Subaccount } from "../select/account.ts";
import { positionDirection, positionSize } from "../select/fields.ts";
import { formatMarket, parseMarketRecord } from "../select/market.ts";
import { openScales } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import { readTimeNs } from "../state/time-value.ts";
import type { SeenPayment } from "../statement/funding.ts";
import { absoluteDecimal, addDecimal, type Decimal, parseDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { msOfNs, NS_PER_MS } from "../units/time.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import type { OpenRecord } from "../wire/update.ts";
import { AccountScaleProbes } from "./account-scale-probes.ts";
import { HeadlessSession } from "./headless-session.ts";
import { openRecentTrades, type RecentTrades } from "./recent-trades.ts";
import type { Service } from "./service.ts";

/** By market; undefined where the size is in question, or not said in base currency. Long is positive. */
export type Sizes = ReadonlyMap<string, Decimal | undefined>;

interface Moment {
  /** Unix milliseconds by the service's clock, from which on these were the positions. */
  readonly ms: number;
  readonly text: string;
  readonly rows: readonly OpenRecord[];
}

/** Moments that are remembered: minutes of an account that never rests. */
const MOST_MOMENTS = 20_000;
/** How far apart the clocks of listing and stream may be, and how late the stream may say what a fill has changed. */
const APART_MS = 2000;

/** From its making on until `close`. */
export class HeldPositions {
  readonly #session: HeadlessSession;
  readonly #account: Subaccount;
  readonly #scales: Scales;
  readonly #probes: AccountScaleProbes;
  readonly #trades: RecentTrades | undefined;
  #moments: Moment[] = [];

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
    this.#trades = openRecentTrades(context, service);
    const { clock } = context;
    this.#probes = new AccountScaleProbes({
      ...{ store, stream, scales: this.#scales, clock, trades: this.#trades },
      onReceived: () => this.#session.check(),
    });
    stream.subscribe(accountChannel(account));
    stream.subscribe("markets");
  }

  close(): void {
    this.#probes.stop();
    this.#trades?.close();
    this.#session.close();
  }

  /**
   * Waits until there is something to compare with.
   * @returns why there is not; undefined when there is
   * @throws {ServiceError} when the first connection cannot be made
   */
  async wait(timeoutMs: number): Promise<string | undefined> {
    await this.#session.until(() => {
      this.#probes.follow(this.#account);
      return isAnswered(this.#slice.feed) && this.#probes.hasTried;
    }, timeoutMs);
    const { feed, data } = this.#slice;
    if (feed.frames === 0) return feed.reason ?? "no data of the account came";
    return data.lists.positions.hasCome ? undefined : "the stream shows no list of positions";
  }

  get #slice() {
    return this.#session.live.store.slice("account", accountChannel(this.#account));
  }

  /**
   * The positions about a time, each way they were then; the last one is the likeliest.
   * @param ms Unix milliseconds by the service's clock; undefined: now
   */
  about(ms: number | undefined): readonly Sizes[] {
    const at = ms ?? Number.POSITIVE_INFINITY;
    const near = this.#moments.filter((moment, i) => {
      const until = this.#moments[i + 1]?.ms ?? Number.POSITIVE_INFINITY;
      return moment.ms <= at + APART_MS && until >= at - APART_MS;
    });
    const [first] = this.#moments;
    const all = near.length === 0 && first !== undefined ? [first] : near;
    return all.map(({ rows }) => this.#sizesOf(rows));
  }

  get funding(): { readonly payments: readonly SeenPayment[]; readonly mayMiss: boolean } {
    const { aliases } = this.#session.live.store;
    const { rows, mayMiss } = this.#slice.data.logs.funding_payments;
    const payments = rows.flatMap((row) => {
      const amount = parseDecimal(aliases.text(row, "amount") ?? "");
      if (amount === undefined) return [];
      const ns = readTimeNs(aliases.value(row, "time"));
      const ms = ns === undefined ? undefined : Number(ns / NS_PER_MS);
      return [{ market: this.#marketOf(row), ms, amount }];
    });
    return { payments, mayMiss };
  }

  #observe(event: StreamEvent): void {
    if (event.type !== "update" || event.channel !== accountChannel(this.#account)) return;
    const { rows, hasCome } = this.#slice.data.lists.positions;
    const last = this.#moments.at(-1);
    if (!hasCome || rows === last?.rows) return;
    const text = rows.map((row) => this.#textOf(row)).join(" ");
    if (text === last?.text) return;
    this.#moments.push({ ms: msOfNs(event.update.frame.timestamp_ns), text, rows });
    if (this.#moments.length > MOST_MOMENTS) this.#moments = this.#moments.slice(-MOST_MOMENTS / 2);
  }

  /** What of a position may change by a fill. */
  #textOf(row: OpenRecord): string {
    const { aliases } = this.#session.live.store;
    const size = aliases.text(row, "size") ?? aliases.text(row, "sizeLots");
    return `${this.#marketOf(row)}:${positionDirection(row, aliases)}:${size}`;
  }

  #marketOf(row: OpenRecord): string | undefined {
    const market = parseMarketRecord(row, this.#session.live.store.aliases);
    return market && formatMarket(market);
  }

  /** Several positions of one market, as in isolated margins, are one sum. */
  #sizesOf(rows: readonly OpenRecord[]): Sizes {
    const { inQuestion, unnamed } = this.#slice.data.lists.positions;
    const sizes = new Map<string, Decimal | undefined>();
    for (const row of rows) {
      const market = this.#marketOf(row);
      if (market === undefined) continue;
      const size = inQuestion.has(row) || unnamed.has(row) ? undefined : this.#sizeOf(row, market);
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
