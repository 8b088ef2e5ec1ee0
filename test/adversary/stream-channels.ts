/**
 * The channels of a composed stream: each source is something that happens now and then, and shows on
 * one or two channels as payload fields of update frames.
 */
import {
  type AccountChange,
  type AccountOptions,
  type AccountRow,
  AccountWorld,
} from "./account-world.ts";
import { hash, type Random } from "./random.ts";
import {
  ACCOUNT_LISTS,
  type AccountList,
  type AccountMarket,
  type OpenRecord,
} from "./stream-rows.ts";

/** What is really there, as the service would publish it whole. Texts are JSON of one record each. */
export type ChannelTruth =
  | {
      kind: "account";
      account: string;
      /** Fills and payments are in order, oldest first, since the service began. */
      lists: Record<AccountList, string[]>;
      /** Rows of amount zero, of whatever list: shown or not, both are true. */
      zero: string[];
    }
  | { kind: "orderbook"; bids: Level[]; asks: Level[] }
  | { kind: "bbo"; bid: Level | null; ask: Level | null }
  /** Oldest first, since the service began (the last 20,000). */
  | { kind: "trades"; trades: string[] }
  | { kind: "rows"; rows: string[] }
  | { kind: "catalogue"; subaccounts: string[]; delegations: string[] }
  /** Oldest first; the last two at most. */
  | { kind: "candles"; candles: string[] };

export interface Level {
  price_ticks: string;
  size_base_lots: string;
}

export interface SnapshotRequest {
  /** In one part, whatever the options say. */
  isOneFrame: boolean;
  /** Stands for the last change, too: fills and trades of that change must be in it. */
  hasChange: boolean;
}

export interface Channel {
  readonly name: string;
  readonly kind: ChannelTruth["kind"];
  readonly isSequenced: boolean;
  /** Payload fields for what the last step changed, in parts of which each can be a frame; none if nothing did. */
  parts(): string[];
  /** Payload fields of everything, in parts; none where the channel has nothing to begin with. */
  snapshot(how: SnapshotRequest): string[];
  truth(): ChannelTruth;
  /** Payload fields of a frame that changes nothing; none where such a frame would mean something. */
  heartbeat(): string | undefined;
}

export interface Source {
  readonly channels: readonly Channel[];
  /** Mean events in a second. */
  readonly rate: number;
  /** True when the next change comes in the same millisecond. */
  step(nowMs: number): boolean;
}

/** What shows on one channel. */
abstract class OneChannel implements Source, Channel {
  readonly name: string;
  readonly rate: number;
  readonly channels: readonly Channel[] = [this];
  abstract readonly kind: ChannelTruth["kind"];
  abstract readonly isSequenced: boolean;

  constructor({ channel, rate }: { readonly channel: string; readonly rate: number }) {
    this.name = channel;
    this.rate = rate;
  }

  abstract parts(): string[];
  abstract snapshot(how: SnapshotRequest): string[];
  abstract truth(): ChannelTruth;
  abstract heartbeat(): string | undefined;
  abstract step(nowMs: number): boolean;
}

// ---- account ----

export type ListScheme = "rows" | "list" | "market";

export interface AccountChannelOptions extends AccountOptions {
  channel: string;
  schemes: Record<AccountList, ListScheme>;
  /** Under `list` and `market`, a row that ended comes once with its last state. */
  sendsEnded: boolean;
  /** Lists that are sent whole begin with another row each time. */
  turnsLists: boolean;
  /** Fills and payments in the first frame. */
  backlog: number;
  leavesOutEmptyLists: boolean;
  /** Each list in a frame of its own, where a transaction touches several. */
  splits: boolean;
  splitsSnapshot: boolean;
  hasAccountRecord: boolean;
  rate: number;
}

const APPENDED: readonly AccountList[] = ["fills", "funding_payments"];

function fieldOf(list: string, texts: readonly string[]): string {
  return `"${list}":[${texts.join(",")}]`;
}

function textsOf(rows: readonly AccountRow[]): string[] {
  return rows.map((row) => row.text);
}

export class AccountSource extends OneChannel {
  readonly kind = "account";
  readonly isSequenced = true;
  readonly #options: AccountChannelOptions;
  readonly #world: AccountWorld;
  #change: AccountChange = {};
  #steps = 0;

  constructor(options: AccountChannelOptions, random: Random, startMs: number) {
    super(options);
    this.#options = options;
    this.#world = new AccountWorld(options, random, startMs);
  }

  step(nowMs: number): boolean {
    const { change, isFollowed } = this.#world.step(nowMs);
    this.#change = change;
    this.#steps++;
    return isFollowed;
  }

  #turned(rows: readonly AccountRow[]): readonly AccountRow[] {
    if (!this.#options.turnsLists || rows.length < 2) return rows;
    const at = this.#steps % rows.length;
    return [...rows.slice(at), ...rows.slice(0, at)];
  }

  heartbeat(): string | undefined {
    const lists = ACCOUNT_LISTS.filter((list) => this.#options.schemes[list] === "rows");
    return lists.length === 0 ? undefined : lists.map((list) => fieldOf(list, [])).join(",");
  }

  #listed(list: AccountList, touched: readonly AccountRow[]): string[] {
    const scheme = this.#options.schemes[list];
    if (scheme === "rows") return touched.map((row) => row.partial ?? row.text);
    const rows: readonly AccountRow[] = this.#world[list];
    if (APPENDED.includes(list)) return textsOf(rows.slice(-Math.max(30, touched.length)));
    const ended = touched.filter((row) => row.state === "ended");
    if (scheme === "list") {
      return textsOf(this.#turned(this.#options.sendsEnded ? [...rows, ...ended] : rows));
    }
    const markets = new Set(touched.map((row) => row.market));
    const open = rows.filter((row) => markets.has(row.market));
    const standing = new Set(open.map((row) => row.market));
    // A market without any row left can only be named by the row that ended.
    const sent = ended.filter((row) => this.#options.sendsEnded || !standing.has(row.market));
    return textsOf(this.#turned([...open, ...sent]));
  }

  parts(): string[] {
    const parts: string[] = [];
    const { account } = this.#change;
    for (const list of ACCOUNT_LISTS) {
      const touched = this.#change[list];
      if (touched === undefined || touched.length === 0) continue;
      const texts = this.#listed(list, touched);
      // Each fill in a frame of its own: two of them may be equal.
      const isSplit =
        list === "fills" && this.#options.splits && this.#options.schemes.fills === "rows";
      if (isSplit) parts.push(...texts.map((text) => fieldOf(list, [text])));
      else parts.push(fieldOf(list, texts));
    }
    if (account !== undefined && this.#options.hasAccountRecord) parts.push(`"account":${account}`);
    return this.#options.splits || parts.length < 2 ? parts : [parts.join(",")];
  }

  #shown(list: AccountList, hasChange: boolean): readonly AccountRow[] {
    const rows: readonly AccountRow[] = this.#world[list];
    if (!APPENDED.includes(list)) return this.#turned(rows);
    const fresh = hasChange ? (this.#change[list]?.length ?? 0) : 0;
    const count = Math.max(this.#options.backlog, fresh);
    return count === 0 ? [] : rows.slice(-count);
  }

  snapshot({ isOneFrame, hasChange }: SnapshotRequest): string[] {
    const { leavesOutEmptyLists, hasAccountRecord, splitsSnapshot } = this.#options;
    const parts: string[] = [];
    for (const list of ACCOUNT_LISTS) {
      const rows = this.#shown(list, hasChange);
      if (rows.length > 0 || !leavesOutEmptyLists) parts.push(fieldOf(list, textsOf(rows)));
    }
    if (hasAccountRecord) parts.push(`"account":${this.#world.account}`);
    if (parts.length === 0) parts.push(`"orders":[]`);
    return splitsSnapshot && !isOneFrame ? parts : [parts.join(",")];
  }

  truth(): ChannelTruth {
    const zero: string[] = [];
    const lists = Object.fromEntries(ACCOUNT_LISTS.map((list) => [list, [] as string[]])) as Record<
      AccountList,
      string[]
    >;
    for (const list of ACCOUNT_LISTS) {
      for (const row of this.#world[list])
        (row.state === "zero" ? zero : lists[list]).push(row.text);
    }
    return { kind: "account", account: this.#world.account, lists, zero };
  }
}

// ---- book and bbo ----

export type BookScheme = "snapshots" | "deltas" | "deltas-and-snapshots";

export interface BookOptions {
  channel: string;
  bboChannel: string | undefined;
  scheme: BookScheme;
  /** Levels of a side that exist, and that are published. */
  levels: number;
  depth: number;
  splits: boolean;
  splitsSnapshot: boolean;
  isShuffled: boolean;
  /** Sends zero for a level that was not there, now and then. */
  removesUnknown: boolean;
  canBeEmpty: boolean;
  /** The best bid and offer are published at most this often; 0 for each change. */
  bboEveryMs: number;
  rate: number;
}

type Quote = [price: number, size: number];

function levelOf([price, size]: Quote): Level {
  return { price_ticks: String(price), size_base_lots: String(size) };
}

function quoteText([price, size]: Quote): string {
  return `{"price_ticks":"${price}","size_base_lots":"${size}"}`;
}

/** What is in `now` and was otherwise in `before`, and what is gone, as size 0. */
function differences(before: readonly Quote[], now: readonly Quote[]): Quote[] {
  const sizes = new Map(before);
  const changes: Quote[] = [];
  for (const [price, size] of now) {
    if (sizes.get(price) !== size) changes.push([price, size]);
    sizes.delete(price);
  }
  for (const price of sizes.keys()) changes.push([price, 0]);
  return changes;
}

export class BookSource implements Source, Channel {
  readonly name: string;
  readonly kind = "orderbook";
  readonly isSequenced = true;
  readonly channels: readonly Channel[];
  readonly rate: number;
  readonly #options: BookOptions;
  readonly #random: Random;
  /** Best first. */
  #bids: Quote[] = [];
  #asks: Quote[] = [];
  #bidsBefore: Quote[] = [];
  #asksBefore: Quote[] = [];
  #isEmptied = false;
  #steps = 0;
  #bboText = "";
  #bboMs = 0;
  #hasNewBbo = false;

  constructor(options: BookOptions, random: Random) {
    this.name = options.channel;
    this.rate = options.rate;
    this.#options = options;
    this.#random = random;
    this.channels =
      options.bboChannel === undefined ? [this] : [this, this.#bbo(options.bboChannel)];
    for (let i = 0; i < options.levels; i++) {
      this.#bids.push([50_000 - i * 2, this.#size()]);
      this.#asks.push([50_003 + i * 2, this.#size()]);
    }
    this.#bboText = this.#quotes();
  }

  #size(): number {
    return this.#random.int(1, 5_000);
  }

  #quotes(): string {
    const [bid, ask] = [this.#bids[0], this.#asks[0]];
    return `"bbo":{"bid":${bid ? quoteText(bid) : null},"ask":${ask ? quoteText(ask) : null}}`;
  }

  /** What is published is what there was when it was last due. */
  #bbo(name: string): Channel {
    return {
      name,
      kind: "bbo",
      isSequenced: false,
      parts: () => (this.#hasNewBbo ? [this.#bboText] : []),
      snapshot: () => [this.#bboText],
      heartbeat: () => undefined,
      truth: () => {
        const { bbo } = JSON.parse(`{${this.#bboText}}`) as { bbo: { bid: Level; ask: Level } };
        return { kind: "bbo", ...bbo };
      },
    };
  }

  #publishBbo(nowMs: number): void {
    const text = this.#quotes();
    const isDue = nowMs - this.#bboMs >= this.#options.bboEveryMs;
    this.#hasNewBbo = isDue && text !== this.#bboText;
    if (!this.#hasNewBbo) return;
    this.#bboText = text;
    this.#bboMs = nowMs;
  }

  /** A changed side: sizes change, levels come and go, the best may move by a few ticks. */
  #stepSide(side: Quote[], other: Quote[], sign: 1 | -1): Quote[] {
    const random = this.#random;
    const next = side.slice();
    const changes = random.int(1, 3);
    for (let i = 0; i < changes; i++) {
      const at = Math.floor(random.next() ** 2 * next.length);
      const draw = random.next();
      const level = next[at];
      if (level === undefined || draw < 0.25) this.#insert(next, other, sign);
      else if (draw < 0.5 && next.length > this.#options.levels / 2) next.splice(at, 1);
      else next[at] = [level[0], this.#size()];
    }
    return next;
  }

  /** Within ten ticks of the best, never through the other side. */
  #insert(side: Quote[], other: Quote[], sign: 1 | -1): void {
    const best = side[0]?.[0] ?? (other[0]?.[0] ?? 50_000) - sign * 5;
    const bound = (other[0]?.[0] ?? best + sign * 20) - sign;
    let price = best - sign * this.#random.int(-6, 10);
    if ((price - bound) * sign > 0) price = bound;
    const at = side.findIndex((level) => (level[0] - price) * sign <= 0);
    const size = this.#size();
    if (at < 0) side.push([price, size]);
    else if (side[at]?.[0] === price) side[at] = [price, size];
    else side.splice(at, 0, [price, size]);
    if (side.length > this.#options.levels * 2) side.pop();
  }

  step(nowMs: number): boolean {
    this.#change();
    this.#publishBbo(nowMs);
    return false;
  }

  heartbeat(): string | undefined {
    return this.#options.scheme === "snapshots" ? undefined : `"orderbook":{"bids":[],"asks":[]}`;
  }

  #change(): void {
    this.#steps++;
    this.#bidsBefore = this.#bids;
    this.#asksBefore = this.#asks;
    const draw = this.#random.next();
    if (this.#options.canBeEmpty && draw < 0.02) {
      this.#isEmptied = !this.#isEmptied;
      if (this.#isEmptied) this.#asks = [];
      return;
    }
    if (draw < 0.6) this.#bids = this.#stepSide(this.#bids, this.#asks, 1);
    if (draw > 0.4) this.#asks = this.#stepSide(this.#asks, this.#bids, -1);
  }

  #side(name: "bids" | "asks", quotes: readonly Quote[]): string {
    const list = this.#options.isShuffled
      ? quotes.toSorted((a, b) => hash(a[0]) - hash(b[0]))
      : quotes;
    return `"${name}":[${list.map(quoteText).join(",")}]`;
  }

  #frames(bids: readonly Quote[], asks: readonly Quote[], isSplit: boolean): string[] {
    const whole = [this.#side("bids", bids), this.#side("asks", asks)];
    if (!isSplit || bids.length === 0 || asks.length === 0)
      return [`"orderbook":{${whole.join(",")}}`];
    return [`"orderbook":{${whole[0]},"asks":[]}`, `"orderbook":{"bids":[],${whole[1]}}`];
  }

  parts(): string[] {
    const { depth, scheme, splits, removesUnknown } = this.#options;
    if (scheme === "snapshots")
      return this.#frames(this.#bids.slice(0, depth), this.#asks.slice(0, depth), false);
    const bids = differences(this.#bidsBefore.slice(0, depth), this.#bids.slice(0, depth));
    const asks = differences(this.#asksBefore.slice(0, depth), this.#asks.slice(0, depth));
    if (bids.length + asks.length === 0) return [];
    if (removesUnknown && this.#steps % 10 === 0) bids.push([40_000, 0]);
    return this.#frames(bids, asks, splits);
  }

  snapshot({ isOneFrame }: SnapshotRequest): string[] {
    const { depth, splitsSnapshot, scheme } = this.#options;
    const isSplit = splitsSnapshot && !isOneFrame && scheme === "deltas";
    return this.#frames(this.#bids.slice(0, depth), this.#asks.slice(0, depth), isSplit);
  }

  truth(): ChannelTruth {
    const { depth } = this.#options;
    return {
      kind: "orderbook",
      bids: this.#bids.slice(0, depth).map(levelOf),
      asks: this.#asks.slice(0, depth).map(levelOf),
    };
  }
}

// ---- trades ----

export interface TradesOptions {
  channel: string;
  backlog: number;
  /** An empty first frame where there is no backlog. */
  startsWithEmpty: boolean;
  isNewestFirst: boolean;
  splits: boolean;
  twinShare: number;
  /** Share of frames that begin with trades older than the newest that was sent. */
  lateShare: number;
  burst: number;
  rate: number;
}

export class TradesSource extends OneChannel {
  readonly kind = "trades";
  readonly isSequenced = true;
  readonly #options: TradesOptions;
  readonly #random: Random;
  readonly #trades: string[] = [];
  #last: string[] = [];
  #newest = "";
  #nowNs = 0;

  constructor(options: TradesOptions, random: Random, startMs: number) {
    super(options);
    this.#options = options;
    this.#random = random;
    for (let i = 0; i < options.backlog; i++) this.step(startMs - (options.backlog - i) * 500);
  }

  /** Microseconds are enough of a clock to tell most trades apart. */
  #trade(timeMs: number): string {
    const random = this.#random;
    this.#nowNs = (this.#nowNs + random.int(0, 3)) % 1_000;
    const price = 50_000 + random.int(-50, 50);
    const size = random.int(1, 400);
    return `{"timestamp_ns":"${timeMs}${String(this.#nowNs).padStart(3, "0")}000","price_ticks":"${price}","size_base_lots":"${size}","taker_is_bid":${random.chance(0.5)}}`;
  }

  heartbeat(): string | undefined {
    return this.#field([]);
  }

  step(nowMs: number): boolean {
    const random = this.#random;
    const list: string[] = [];
    if (this.#newest !== "" && random.chance(this.#options.lateShare)) {
      list.push(this.#trade(nowMs - 900), this.#newest);
    }
    const count = random.chance(0.7) ? 1 : random.int(2, this.#options.burst);
    for (let i = 0; i < count; i++) {
      const isTwin = this.#newest !== "" && random.chance(this.#options.twinShare);
      if (!isTwin) this.#newest = this.#trade(nowMs);
      list.push(this.#newest);
    }
    this.#last = list;
    this.#trades.push(...list);
    if (this.#trades.length > 20_000) this.#trades.splice(0, 5_000);
    return false;
  }

  #field(trades: readonly string[]): string {
    return fieldOf("trades", this.#options.isNewestFirst ? trades.toReversed() : trades);
  }

  parts(): string[] {
    const list = this.#last;
    if (!this.#options.splits || list.length < 2) return [this.#field(list)];
    const half = list.length >> 1;
    return [this.#field(list.slice(0, half)), this.#field(list.slice(half))];
  }

  snapshot({ hasChange }: SnapshotRequest): string[] {
    const { backlog, startsWithEmpty } = this.#options;
    const count = Math.max(backlog, hasChange ? this.#last.length : 0);
    if (count > 0) return [this.#field(this.#trades.slice(-count))];
    return startsWithEmpty ? [this.#field([])] : [];
  }

  truth(): ChannelTruth {
    return { kind: "trades", trades: [...this.#trades] };
  }
}

// ---- markets and their statistics ----

export interface RowsOptions {
  channel: string;
  field: "markets" | "market_stats";
  scheme: "rows" | "list";
  markets: readonly AccountMarket[];
  hasType: boolean;
  /** Further markets, numbered from 20,000. */
  extraMarkets: number;
  /** Now and then a market id is given to another symbol. */
  reassigns: boolean;
  splitsSnapshot: boolean;
  rate: number;
}

/** Market records or statistics: few fields of which some change. */
export class RowsSource extends OneChannel {
  readonly kind = "rows";
  readonly isSequenced = true;
  readonly #options: RowsOptions;
  readonly #random: Random;
  readonly #records: OpenRecord[];
  readonly #texts: string[];
  #touched: number[] = [];

  constructor(options: RowsOptions, random: Random) {
    super(options);
    this.#options = options;
    this.#random = random;
    const extra = Array.from({ length: options.extraMarkets }, (_, i): AccountMarket => {
      return { type: "perp", id: 20_000 + i, symbol: `X${i}-PERP` };
    });
    this.#records = [...options.markets, ...extra].map((market) => this.#record(market));
    this.#texts = this.#records.map((record) => JSON.stringify(record));
  }

  #record(market: AccountMarket): OpenRecord {
    const record: OpenRecord = { market_id: market.id };
    if (this.#options.hasType) record.market_type = market.type;
    if (this.#options.field === "markets") {
      return {
        ...record,
        symbol: market.symbol,
        tick_size: "0.01",
        lot_size: "0.001",
        status: "active",
      };
    }
    return { ...record, last_price: "100.00", mark_price: "100.00", open_interest: "5" };
  }

  heartbeat(): string | undefined {
    return this.#options.scheme === "rows" ? fieldOf(this.#options.field, []) : undefined;
  }

  step(): boolean {
    const random = this.#random;
    const at = random.int(0, this.#records.length - 1);
    const record = this.#records[at];
    this.#touched = [at];
    if (record === undefined) return false;
    if (this.#options.field === "market_stats") {
      record.last_price = `${random.int(90, 110)}.${random.int(10, 99)}`;
      record.mark_price = `${random.int(90, 110)}.${random.int(10, 99)}`;
    } else if (this.#options.reassigns && random.chance(0.3)) {
      record.symbol = `NEW${random.int(1, 99_999)}-PERP`;
    } else {
      record.status = record.status === "active" ? "post_only" : "active";
    }
    this.#texts[at] = JSON.stringify(record);
    return false;
  }

  parts(): string[] {
    const { field, scheme } = this.#options;
    if (scheme === "list") return [fieldOf(field, this.#texts)];
    return [
      fieldOf(
        field,
        this.#touched.map((at) => this.#texts[at] ?? ""),
      ),
    ];
  }

  snapshot({ isOneFrame }: SnapshotRequest): string[] {
    const { field, splitsSnapshot, scheme } = this.#options;
    const half = this.#texts.length >> 1;
    if (!splitsSnapshot || isOneFrame || scheme === "list" || half === 0)
      return [fieldOf(field, this.#texts)];
    return [fieldOf(field, this.#texts.slice(0, half)), fieldOf(field, this.#texts.slice(half))];
  }

  truth(): ChannelTruth {
    return { kind: "rows", rows: [...this.#texts] };
  }
}

// ---- candles ----

export interface CandlesOptions {
  channel: string;
  isMark: boolean;
  intervalMs: number;
  /** At the turn of a period the finished candle comes once more with the new one. */
  sendsTwo: boolean;
  rate: number;
}

interface Candle {
  openMs: number;
  prices: [open: number, high: number, low: number, close: number];
  count: number;
}

export class CandlesSource extends OneChannel {
  readonly kind = "candles";
  readonly isSequenced = false;
  readonly #options: CandlesOptions;
  readonly #random: Random;
  #candle: Candle | undefined;
  #finished: Candle | undefined;
  #isTurn = false;

  constructor(options: CandlesOptions, random: Random) {
    super(options);
    this.#options = options;
    this.#random = random;
  }

  heartbeat(): undefined {
    return undefined;
  }

  step(nowMs: number): boolean {
    this.#trade(nowMs);
    return false;
  }

  #trade(nowMs: number): void {
    const openMs = nowMs - (nowMs % this.#options.intervalMs);
    const close = (this.#candle?.prices[3] ?? 10_000) + this.#random.int(-20, 20);
    this.#isTurn = this.#candle?.openMs !== openMs;
    if (this.#candle === undefined || this.#isTurn) {
      this.#finished = this.#candle;
      this.#candle = { openMs, prices: [close, close, close, close], count: 1 };
      return;
    }
    const [open, high, low] = this.#candle.prices;
    this.#candle.prices = [open, Math.max(high, close), Math.min(low, close), close];
    this.#candle.count++;
  }

  #text(candle: Candle): string {
    const [open, high, low, close] = candle.prices.map((price) => `"${(price / 100).toFixed(2)}"`);
    const head = `"open_time_ms":${candle.openMs},"open":${open},"high":${high},"low":${low},"close":${close}`;
    if (this.#options.isMark) return `{${head},"samples":${candle.count}}`;
    return `{${head},"volume_base":"${candle.count}.5","volume_quote":"${candle.count * 50}.25","trades":${candle.count}}`;
  }

  #items(hasFinished: boolean): string[] {
    const list = hasFinished && this.#finished ? [this.#finished] : [];
    if (this.#candle) list.push(this.#candle);
    return list.map((candle) => this.#text(candle));
  }

  parts(): string[] {
    return [fieldOf("candles", this.#items(this.#isTurn && this.#options.sendsTwo))];
  }

  snapshot(): string[] {
    return this.#candle === undefined
      ? []
      : [fieldOf("candles", this.#items(this.#options.sendsTwo))];
  }

  truth(): ChannelTruth {
    return { kind: "candles", candles: this.#items(true) };
  }
}

// ---- the subaccounts of an address ----

export interface CatalogueOptions {
  channel: string;
  scheme: "rows" | "list";
  subaccounts: number;
  /** Two delegates may be of one subaccount; under `list` a delegation may end. */
  delegations: number;
  rate: number;
}

const STATUSES = ["active", "restricted", "closed"];
const PERMISSIONS = [[], ["trade"], ["trade", "withdraw"]];

/** AccountCatalogEntry and AccountDelegation, as section 2.2 defines them. */
export class CatalogueSource extends OneChannel {
  readonly kind = "catalogue";
  readonly isSequenced = true;
  readonly #options: CatalogueOptions;
  readonly #random: Random;
  readonly #createdNs: string;
  #subaccounts: string[] = [];
  #delegations: string[] = [];
  /** What the last step changed. */
  #touched: [subaccounts: string[], delegations: string[]] = [[], []];

  constructor(options: CatalogueOptions, random: Random, startMs: number) {
    super(options);
    this.#options = options;
    this.#random = random;
    this.#createdNs = `${startMs - 86_400_000}000001`;
    for (let i = 0; i < options.subaccounts; i++) this.#subaccounts.push(this.#entry(i, "active"));
    for (let i = 0; i < options.delegations; i++) this.#delegations.push(this.#delegation(i));
  }

  #entry(id: number, status: string): string {
    return `{"subaccount_id":${id},"status":"${status}","created_at_ns":"${this.#createdNs}"}`;
  }

  #delegation(number: number): string {
    const random = this.#random;
    const record: OpenRecord & { permissions?: string[] } = {};
    const optional = random.chance(0.5)
      ? { expires_at_ns: `${random.int(1, 9)}000000000000000000` }
      : {};
    Object.assign(record, {
      subaccount_id: number % this.#options.subaccounts,
      delegate: `delegate-${number}`,
      permissions: random.pick(PERMISSIONS),
      ...optional,
      ...(random.chance(0.5) ? { name: `bot ${number}` } : {}),
    });
    return JSON.stringify(record);
  }

  step(): boolean {
    const random = this.#random;
    this.#touched = [[], []];
    if (this.#delegations.length > 0 && random.chance(0.4)) this.#stepDelegations();
    else {
      const at = random.int(0, this.#subaccounts.length - 1);
      const text = this.#entry(at, random.pick(STATUSES));
      this.#subaccounts[at] = text;
      this.#touched[0].push(text);
    }
    return false;
  }

  #stepDelegations(): void {
    const at = this.#random.int(0, this.#delegations.length - 1);
    if (this.#options.scheme === "list" && this.#random.chance(0.3)) {
      this.#delegations.splice(at, 1);
      return;
    }
    const number = Number(/delegate-(\d+)/.exec(this.#delegations[at] ?? "")?.[1]);
    const text = this.#delegation(number);
    this.#delegations[at] = text;
    this.#touched[1].push(text);
  }

  #fields(subaccounts: readonly string[], delegations: readonly string[]): string[] {
    return [`${fieldOf("subaccounts", subaccounts)},${fieldOf("delegations", delegations)}`];
  }

  parts(): string[] {
    return this.#options.scheme === "list" ? this.snapshot() : this.#fields(...this.#touched);
  }

  snapshot(): string[] {
    return this.#fields(this.#subaccounts, this.#delegations);
  }

  heartbeat(): string | undefined {
    return this.#options.scheme === "rows" ? this.#fields([], [])[0] : undefined;
  }

  truth(): ChannelTruth {
    return {
      kind: "catalogue",
      subaccounts: [...this.#subaccounts],
      delegations: [...this.#delegations],
    };
  }
}
