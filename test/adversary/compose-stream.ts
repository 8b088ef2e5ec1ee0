/**
 * Streams composed at random from what the document allows.
 *
 *   const { service, channels, facts, describe } = composeStream(seed);
 *   composeStream(seed, { startMs: realtime.now() })       // the same with something given
 *   const chosen = streamOf({ numbering: "service" }, { channels: ["account"] });  // one oddity
 *
 * `facts` are the options themselves, with the channels and their rates: what an oracle needs to know
 * which statements of a client could be true.
 */
import { createRandom, hash, type Random } from "./random.ts";
import {
  type AccountChannelOptions,
  AccountSource,
  type BookOptions,
  BookSource,
  type CandlesOptions,
  CandlesSource,
  type CatalogueOptions,
  CatalogueSource,
  type ListScheme,
  type RowsOptions,
  RowsSource,
  type Source,
  type TradesOptions,
  TradesSource,
} from "./stream-channels.ts";
import {
  ACCOUNT_LISTS,
  type AccountList,
  type AccountMarket,
  type AccountStyle,
} from "./stream-rows.ts";
import { type DeliveryOptions, StreamService } from "./stream-service.ts";

interface Channels {
  account: AccountChannelOptions;
  catalogue: CatalogueOptions;
  book: BookOptions;
  trades: TradesOptions;
  markets: RowsOptions;
  stats: RowsOptions;
  candles: CandlesOptions;
}

/** Which channels there are, each with what is odd about it; `{}` for a plain one. */
export type ChosenChannels = { [K in keyof Channels]?: Partial<Channels[K]> };

export type StreamFacts = { [K in keyof Channels]: Channels[K] | undefined } & {
  delivery: DeliveryOptions;
  /** Mean events in a second, over all channels. */
  rate: number;
};

export interface ComposedStream {
  service: StreamService;
  channels: string[];
  facts: StreamFacts;
  describe: string;
}

const ADDRESS = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";

const MARKETS: readonly AccountMarket[] = [
  { type: "perp", id: 1, symbol: "BTC-PERP" },
  { type: "spot", id: 1, symbol: "BTC/USDC" },
  { type: "perp", id: 2, symbol: "ETH-PERP" },
  { type: "perp", id: 15_000, symbol: "M15000" },
];

const PLAIN_DELIVERY: DeliveryOptions = {
  seed: 0,
  startMs: 1_800_000_000_000,
  hello: "at-once",
  numbering: "channel",
  hasNullSequences: false,
  foreignTransactions: 3,
  sequenceStep: 1,
  firstSequence: 1_000,
  firstPrevious: "null",
  firstSequenceOf: "channel",
  firstFrame: "at-once",
  splitPrevious: "held",
  hasRisingSplitTimes: false,
  resnapshotShare: 0,
  resnapshotsTrades: false,
  resnapshotsHeld: false,
  repeatShare: 0,
  repeatsLate: false,
  lossShare: 0,
  restartAfterMs: 0,
  restartPrevious: "null-snapshot",
  isPayloadFirst: false,
  isSpaced: false,
  heartbeatMs: 0,
  isHeartbeatCounted: false,
  timeJitterMs: 0,
  outageShare: 0,
  afterOutage: "whole",
  maxSubscriptions: 0,
  commandsPerSecond: 0,
  enforcesKeepalive: false,
  takeAwayShare: 0,
  givesAgain: "at-once",
  closeShare: 0,
  silentShare: 0,
  lifeSeconds: 300,
  refusesAfterClose: false,
  secondConnection: "allowed",
  firstUnavailable: 0,
  unsubscribeUnknown: "unsubscribed",
  hasLateUnsubscribed: false,
  errorsNameChannel: true,
  isBboFirst: false,
};

const OPEN_WORDS = [
  ["open", "partially_filled"],
  ["new", "partiallyFilled"],
  ["live", "live"],
  ["active", "partial"],
  ["resting", "resting"],
  ["untriggered", "working"],
  ["ACCEPTED", "PARTIALLY_FILLED"],
];

const END_WORDS = [
  ["filled", "canceled"],
  ["FILLED", "CANCELLED", "EXPIRED", "REJECTED"],
  ["filled", "marginCanceled", "reduceOnlyCanceled", "liquidatedCanceled"],
  ["filled", "user_cancelled", "system_cancelled"],
  ["done", "void", "killed"],
  ["settled", "expired", "rejected"],
  ["closed", "deleted"],
  ["Filled", "Cancelled", "Deactivated"],
  ["executed", "withdrawn", "failed"],
];

function plainAccount(): AccountChannelOptions {
  const schemes = Object.fromEntries(ACCOUNT_LISTS.map((list) => [list, "rows"]));
  return {
    channel: `account/${ADDRESS}/1`,
    style: {
      vocabulary: "wire",
      hasNumbersAsText: true,
      hasExtraFields: false,
      hasSortedFields: false,
      leavesOutNulls: false,
      orderIds: "unique-text",
      orderEnd: "status",
      positionEnd: "zero",
      positionKey: "market",
      balanceKey: "asset",
      fillIds: "unique",
      paymentIds: "unique",
      formatOpen: ["open", "partially_filled"],
      formatEnd: ["filled", "canceled"],
    },
    markets: MARKETS,
    maxOrders: 12,
    twinFillShare: 0,
    burst: 4,
    hasZeroStops: false,
    startsEmpty: false,
    sendsPartialOrders: false,
    sendsPartialPositions: false,
    schemes: schemes as Record<AccountList, ListScheme>,
    sendsEnded: true,
    turnsLists: false,
    backlog: 20,
    leavesOutEmptyLists: false,
    splits: false,
    splitsSnapshot: false,
    hasAccountRecord: true,
    rate: 0.7,
  };
}

const PLAIN_CATALOGUE: CatalogueOptions = {
  channel: `accounts/${ADDRESS}`,
  scheme: "rows",
  subaccounts: 3,
  delegations: 2,
  rate: 0.1,
};

const PLAIN_BOOK: BookOptions = {
  channel: "orderbook/perp/1",
  bboChannel: "bbo/perp/1",
  scheme: "deltas",
  levels: 12,
  depth: 1_000,
  splits: false,
  splitsSnapshot: false,
  isShuffled: false,
  removesUnknown: false,
  canBeEmpty: false,
  bboEveryMs: 0,
  rate: 1,
};

const PLAIN_TRADES: TradesOptions = {
  channel: "trades/perp/1",
  backlog: 20,
  startsWithEmpty: false,
  isNewestFirst: true,
  splits: false,
  twinShare: 0,
  lateShare: 0,
  burst: 5,
  rate: 0.8,
};

const PLAIN_ROWS: RowsOptions = {
  channel: "markets",
  field: "markets",
  scheme: "rows",
  markets: MARKETS,
  hasType: true,
  reassigns: false,
  extraMarkets: 0,
  splitsSnapshot: false,
  rate: 0.1,
};

const PLAIN_STATS: RowsOptions = {
  ...PLAIN_ROWS,
  channel: "market-stats/perp",
  field: "market_stats",
  markets: MARKETS.filter((market) => market.type === "perp"),
  rate: 0.5,
};

const PLAIN_CANDLES: CandlesOptions = {
  channel: "candles/perp/1/1m",
  isMark: false,
  intervalMs: 60_000,
  sendsTwo: true,
  rate: 0.5,
};

const plainChannels = (): Channels => ({
  account: plainAccount(),
  catalogue: PLAIN_CATALOGUE,
  book: PLAIN_BOOK,
  trades: PLAIN_TRADES,
  markets: PLAIN_ROWS,
  stats: PLAIN_STATS,
  candles: PLAIN_CANDLES,
});

function sourcesOf(facts: StreamFacts): Source[] {
  const { seed, startMs } = facts.delivery;
  const random = (salt: number): Random => createRandom(hash(seed, 300, salt));
  const { account, catalogue, book, trades, markets, stats, candles } = facts;
  return [
    account && new AccountSource(account, random(1), startMs),
    book && new BookSource(book, random(2)),
    trades && new TradesSource(trades, random(3), startMs),
    markets && new RowsSource(markets, random(4)),
    stats && new RowsSource(stats, random(5)),
    candles && new CandlesSource(candles, random(6)),
    catalogue && new CatalogueSource(catalogue, random(7), startMs),
  ].filter((source) => source !== undefined);
}

/** A service of chosen channels and oddities, over plain ones. */
export function streamOf(
  delivery: Partial<DeliveryOptions>,
  chosen: ChosenChannels,
): ComposedStream {
  const options: DeliveryOptions = { ...PLAIN_DELIVERY, ...delivery };
  const plain = plainChannels();
  const of = <K extends keyof Channels>(kind: K): Channels[K] | undefined =>
    chosen[kind] && { ...plain[kind], ...chosen[kind] };
  const facts: StreamFacts = {
    delivery: options,
    account: of("account"),
    catalogue: of("catalogue"),
    book: of("book"),
    trades: of("trades"),
    markets: of("markets"),
    stats: of("stats"),
    candles: of("candles"),
    rate: 0,
  };
  const sources = sourcesOf(facts);
  facts.rate = sources.reduce((sum, source) => sum + source.rate, 0);
  const service = new StreamService(options, sources);
  return { service, channels: service.channels, facts, describe: describeFacts(facts) };
}

function describeFacts(facts: StreamFacts): string {
  const plains = { delivery: PLAIN_DELIVERY, ...plainChannels() };
  const texts = Object.entries(plains).flatMap(([name, plain]) => {
    const options = facts[name as keyof typeof plains];
    if (options === undefined) return [];
    const odd = Object.entries(options).filter(
      ([key, value]) => JSON.stringify(plain[key as keyof typeof plain]) !== JSON.stringify(value),
    );
    return `${name}(${odd.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(" ")})`;
  });
  return texts.join(" ");
}

function composeStyle(random: Random, schemes: Record<AccountList, ListScheme>): AccountStyle {
  const hasNamelessOrders = schemes.orders === "list" && random.chance(0.15);
  const hasTwinBalances = schemes.balances === "list" && random.chance(0.2);
  return {
    vocabulary: random.pick(["wire", "wire", "short", "camel", "nested"]),
    hasNumbersAsText: random.chance(0.8),
    hasExtraFields: random.chance(0.15),
    hasSortedFields: random.chance(0.2),
    leavesOutNulls: false,
    orderIds: hasNamelessOrders
      ? "none"
      : random.weighted([
          [3, "unique-text"],
          [3, "unique-number"],
          [3, "mixed"],
          [1, "number-and-text"],
          [3, "by-market"],
          [2, "long-text"],
          [1, "long-number"],
          [3, "number-then-text"],
          [2, "reused"],
        ]),
    orderEnd: random.weighted([
      [8, "status"],
      [1, "closed-flag"],
      [1, "active-flag"],
    ]),
    positionEnd: random.chance(0.07) ? "closed-flag" : "zero",
    positionKey: random.pick(["market", "id-is-market", "market-and-side", "isolated-margins"]),
    balanceKey: hasTwinBalances
      ? "amt-ccy-twice"
      : random.pick(["asset", "amt-ccy", "isolated-margins", "id-is-asset"]),
    fillIds: random.pick(["unique", "shared-by-order", "id-is-market", "none"]),
    paymentIds: random.pick(["unique", "id-is-market", "none"]),
    formatOpen: random.pick(OPEN_WORDS),
    formatEnd: random.pick(END_WORDS),
  };
}

function composeAccount(random: Random): AccountChannelOptions {
  const options = plainAccount();
  const scheme = random.pick<ListScheme | "mixed">(["rows", "rows", "list", "market", "mixed"]);
  for (const list of ACCOUNT_LISTS) {
    const drawn = scheme === "mixed" ? random.pick<ListScheme>(["rows", "list", "market"]) : scheme;
    // Balances, leverages, fills and payments have no market that a frame could be of.
    const canBeOfMarket = list === "orders" || list === "positions";
    options.schemes[list] = drawn === "market" && !canBeOfMarket ? "rows" : drawn;
  }
  options.style = composeStyle(random, options.schemes);
  options.markets = MARKETS.slice(0, random.int(1, MARKETS.length));
  options.maxOrders = random.pick([3, 12, 50]);
  options.twinFillShare = random.pick([0, 0.2]);
  options.hasZeroStops = random.chance(0.3);
  options.startsEmpty = random.chance(0.15);
  options.sendsPartialOrders = options.schemes.orders === "rows" && random.chance(0.05);
  options.sendsEnded = random.chance(0.5);
  options.turnsLists = random.chance(0.1);
  options.backlog = random.pick([0, 5, 50]);
  options.leavesOutEmptyLists = random.chance(0.4);
  options.splits = random.chance(0.3);
  options.splitsSnapshot = random.chance(0.2);
  options.hasAccountRecord = random.chance(0.7);
  options.rate = random.pick([0.3, 0.7, 1.5]);
  return options;
}

function composeBook(random: Random): BookOptions {
  return {
    ...PLAIN_BOOK,
    bboChannel: random.chance(0.7) ? PLAIN_BOOK.bboChannel : undefined,
    scheme: random.pick(["snapshots", "deltas", "deltas", "deltas-and-snapshots"]),
    levels: random.pick([2, 12, 25]),
    depth: random.pick([1_000, 1_000, 5]),
    splits: random.chance(0.35),
    splitsSnapshot: random.chance(0.2),
    isShuffled: random.chance(0.15),
    removesUnknown: random.chance(0.2),
    canBeEmpty: random.chance(0.1),
    bboEveryMs: random.chance(0.1) ? random.pick([200, 3_000]) : 0,
    rate: random.pick([0.5, 1, 2]),
  };
}

function composeTrades(random: Random): TradesOptions {
  return {
    ...PLAIN_TRADES,
    backlog: random.pick([0, 5, 100]),
    startsWithEmpty: random.chance(0.5),
    isNewestFirst: random.chance(0.5),
    splits: random.chance(0.35),
    twinShare: random.pick([0, 0, 0.2]),
    lateShare: random.pick([0, 0, 0.15]),
    rate: random.pick([0.5, 1, 2]),
  };
}

function composeRows(random: Random, plain: RowsOptions): RowsOptions {
  return {
    ...plain,
    scheme: random.pick(["rows", "rows", "list"]),
    hasType: plain.field === "markets" || random.chance(0.6),
    reassigns: random.chance(0.2),
    splitsSnapshot: random.chance(0.15),
  };
}

function composeCatalogue(random: Random): Partial<CatalogueOptions> {
  const scheme = random.pick<"rows" | "list">(["rows", "list"]);
  return { scheme, subaccounts: random.int(2, 6), delegations: random.int(0, 4) };
}

function composeMarkets(random: Random, chosen: ChosenChannels): void {
  chosen.markets = composeRows(random, PLAIN_ROWS);
  chosen.stats = composeRows(random, PLAIN_STATS);
  // Twelve thousand rows in each frame would be a test of memory.
  if (random.chance(0.02)) Object.assign(chosen.markets, { extraMarkets: 12_000, scheme: "rows" });
  if (random.chance(0.3)) chosen.stats.channel = "market-stats/perp/1";
  if (chosen.stats.channel === "market-stats/perp/1") chosen.stats.markets = MARKETS.slice(0, 1);
  chosen.candles = { sendsTwo: random.chance(0.7), isMark: random.chance(0.3) };
  if (chosen.candles.isMark) chosen.candles.channel = "mark-candles/1/1m";
}

/** Drawn apart: services of older seeds are otherwise as they were. */
function composeOmissions(random: Random, account: AccountChannelOptions): void {
  account.style.leavesOutNulls = random.chance(0.15);
  account.sendsPartialPositions = account.schemes.positions === "rows" && random.chance(0.1);
}

function composeChannels(random: Random, seed: number): ChosenChannels {
  const chosen: ChosenChannels = {};
  const focus = random.weighted([
    [5, "account"],
    [3, "book"],
    [2, "trades"],
    [1, "markets"],
    [1, "all"],
  ]);
  const has = (name: string): boolean => focus === name || focus === "all";
  if (has("account")) {
    const account = composeAccount(random);
    composeOmissions(createRandom(hash(seed, 302)), account);
    chosen.account = account;
    if (random.chance(0.2)) chosen.catalogue = composeCatalogue(random);
  }
  if (has("book")) chosen.book = composeBook(random);
  if (has("trades")) chosen.trades = composeTrades(random);
  if (has("markets")) composeMarkets(random, chosen);
  return chosen;
}

function composeNumbers(random: Random, options: DeliveryOptions): void {
  options.numbering = random.weighted([
    [10, "channel"],
    [2, "channel-history"],
    [3, "service"],
    [2, "minus-one"],
    [2, "null"],
  ]);
  if (options.numbering === "null") options.hasNullSequences = random.chance(0.5);
  options.foreignTransactions = random.pick([0, 0, 3, 40]);
  options.sequenceStep = random.pick([1, 1, 1, 1_000]);
  options.firstSequence = random.pick([1, 1_000, 4_000_000_000]);
  options.firstPrevious = random.pick(["null", "null", "history", "minus-one", "same"]);
  options.firstSequenceOf = random.weighted([
    [8, "channel"],
    [3, "service"],
    [1, "null-when-new"],
  ]);
  options.splitPrevious = random.pick(["held", "held", "before", "before", "restart"]);
  options.hasRisingSplitTimes = random.chance(0.3);
  if (options.hasNullSequences) return;
  if (random.chance(0.2)) options.repeatShare = random.pick([0.02, 0.2]);
  options.repeatsLate = random.chance(0.4);
  if (options.numbering === "channel" && random.chance(0.1)) options.lossShare = 0.01;
  if (random.chance(0.04)) {
    options.restartAfterMs = random.int(30_000, 400_000);
    options.restartPrevious = random.pick(["null-snapshot", "chained", "zero"]);
  }
}

function composeConnections(random: Random, options: DeliveryOptions): void {
  options.hello = random.weighted([
    [6, "at-once"],
    [2, "late"],
    [2, "after-command"],
    [1, "never"],
  ]);
  options.firstFrame = random.weighted([
    [8, "at-once"],
    [2, "delayed"],
    [1, "with-next-change"],
  ]);
  if (random.chance(0.1)) options.takeAwayShare = 0.5;
  options.givesAgain = random.pick(["at-once", "at-once", "after-503", "never"]);
  if (random.chance(0.12)) options.closeShare = random.pick([0.3, 0.8]);
  if (random.chance(0.08)) options.silentShare = 0.3;
  options.lifeSeconds = random.pick([60, 600]);
  options.refusesAfterClose = random.chance(0.3);
  options.secondConnection = random.weighted([
    [8, "allowed"],
    [1, "refused"],
    [1, "closes-first"],
  ]);
  if (random.chance(0.08)) options.firstUnavailable = random.int(1, 3);
  options.unsubscribeUnknown = random.pick(["unsubscribed", "400", "404"]);
  options.hasLateUnsubscribed = random.chance(0.2);
  options.errorsNameChannel = random.chance(0.8);
}

function composeTroubles(random: Random, options: DeliveryOptions): void {
  if (random.chance(0.15)) {
    options.heartbeatMs = random.pick([1_000, 5_000, 15_000]);
    options.isHeartbeatCounted = random.chance(0.5);
  }
  if (random.chance(0.08)) options.timeJitterMs = random.pick([2, 50]);
  if (random.chance(0.1)) {
    options.outageShare = 0.5;
    options.afterOutage = random.pick(
      options.numbering === "channel" ? ["whole", "gap", "gone"] : ["gone"],
    );
  }
  if (random.chance(0.03)) options.maxSubscriptions = random.int(1, 3);
  if (random.chance(0.04)) options.commandsPerSecond = random.int(1, 4);
}

export function composeStream(seed: number, given: Partial<DeliveryOptions> = {}): ComposedStream {
  const random = createRandom(hash(seed, 301));
  const chosen = composeChannels(random, seed);
  const options: DeliveryOptions = { ...PLAIN_DELIVERY, seed };
  composeNumbers(random, options);
  composeConnections(random, options);
  composeTroubles(random, options);
  options.isPayloadFirst = random.chance(0.1);
  options.isSpaced = random.chance(0.05);
  options.isBboFirst = random.chance(0.3);
  const isReset = chosen.book?.scheme === "deltas-and-snapshots" || random.chance(0.12);
  // Where no frame names another, two equal trades of a tape may be one that a snapshot lists again: nothing shows which.
  const isKnown = options.numbering !== "null" || chosen.trades === undefined;
  if (isReset && isKnown) {
    options.resnapshotShare = random.pick([0.02, 0.2]);
    options.resnapshotsTrades = random.chance(0.3);
    options.resnapshotsHeld = random.chance(0.3);
  }
  return streamOf({ ...options, ...given }, chosen);
}
