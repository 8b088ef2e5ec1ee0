/**
 * Listings composed at random from what the document allows, and listings that break it.
 *
 *   const { service, facts, truth, describe } = composeListing(seed);      // legal
 *   const lying = composeLyingListing(seed);                               // facts.isLegal is false
 *
 * The same seed makes the same service. `facts` says what an oracle needs to decide whether "complete"
 * could be known; `facts.countOfPage` answers for any probe what a page there would hold.
 */
import { type CursorField, createLedger, type Ledger } from "./listing-ledger.ts";
import { type ListingKind, makeOwner } from "./listing-rows.ts";
import {
  createListingService,
  type ListingLie,
  type ListingOptions,
  type ListingService,
  type TruthRow,
} from "./listing-service.ts";
import { createRandom, hash, type Random } from "./random.ts";

export interface ListingFacts {
  isLegal: boolean;
  lie: ListingLie | undefined;
  transactions: number;
  /** Most rows of a page at any limit, byte budget apart. */
  capacity: number;
  /** 0 for none. */
  byteBudget: number;
  /** Pages may be empty although older rows exist. */
  hasPageFilter: boolean;
  shortensPages: boolean;
  /** Transactions with more rows than any one page can hold: what is beyond cannot be reached. */
  oversizedTransactions: number;
  /** Oddities of which it can be argued that the document forbids them; only by `composeDisputedListing`. */
  disputed: string[];
  /** The order of rows inside a transaction is not the same in each answer. */
  hasUnstableOrder: boolean;
  isGrowing: boolean;
  /** In transactions; 0 for none. */
  lag: number;
  hasFaults: boolean;
  /** Rows of a page below this cursor, faults of the moment apart. */
  countOfPage(before: bigint | undefined, limit: number, requestNumber?: number): number;
}

export interface ComposedListing {
  service: ListingService;
  kind: ListingKind;
  marketType: "perp" | "spot";
  marketId: number;
  owner: string;
  subaccountId: number;
  /** As of the first request, newest first. An export holds these, and may hold what arrived since. */
  truth(): TruthRow[];
  facts: ListingFacts;
  describe: string;
}

/** A listing without any oddity: what every composed one starts from. */
export const PLAIN_LISTING: ListingOptions = {
  seed: 0,
  kind: "trades",
  marketType: "perp",
  marketTypeText: "perp",
  marketId: 1,
  owner: makeOwner(1),
  subaccountId: 0,
  addressCase: "lower",
  isBland: false,
  selfTradeShare: 0,
  hasManyMarkets: false,
  hasBigIds: false,
  hasOddNumbers: false,
  listsSelfTradesTwice: false,
  timeJitterMs: 0,
  largestLimit: 0,
  expiringPerRequest: 0,
  hasExtraFields: false,
  hasShuffledKeys: false,
  cursor: "trade-id",
  transactions: 200,
  arriving: 0,
  sizes: "one",
  oldestSize: 0,
  hugeSize: 0,
  gaps: "small",
  firstIndex: 1_000_000n,
  pace: "busy",
  foreign: 0,
  quietStretch: 0,
  quietHead: 0,
  twinShare: 0,
  ids: "dense",
  prefix: "",
  cap: 0,
  byteBudget: 0,
  shortensPages: false,
  shortensToNothing: false,
  scans: false,
  lookBack: 0n,
  keepsTransactionsWhole: false,
  orderInTransaction: "fixed",
  arrivalsPerRequest: 0,
  arrivesInParts: false,
  lagShare: 0,
  lag: 0,
  rejectsAboveNewest: false,
  rejectsBelowOldest: false,
  rejectsLargeLimit: true,
  header: "",
  withoutHeader: "401",
  faultShare: 0,
  retryAfter: "none",
  emptyPage: "list",
  pageStatus: 200,
  isPretty: false,
  lie: undefined,
};

function composeLedger(random: Random, options: ListingOptions): void {
  options.cursor = random.weighted<CursorField>([
    [5, "none"],
    [3, "trade-id"],
    [3, "trade-id-of-transaction"],
    [1, "trade-id-times-1000"],
    [2, "timestamp-ms"],
    [1, "timestamp-us"],
    [1, "timestamp-ns"],
    [1, "timestamp-s"],
    [2, "row-number"],
  ]);
  options.transactions = random.weighted([
    [2, 0],
    [4, 1],
    [14, random.int(2, 20)],
    [60, random.int(20, 300)],
    [18, random.int(300, 1_500)],
    [2, random.int(2_500, 3_000)],
  ]);
  options.sizes = random.weighted([
    [5, "one"],
    [3, "few"],
    [2, "many"],
  ]);
  if (options.sizes === "many") options.transactions = Math.ceil(options.transactions / 10);
  if (random.chance(0.12)) options.oldestSize = random.int(2, 160);
  if (random.chance(0.12)) options.hugeSize = random.int(20, 160);
  if (random.chance(0.01)) options.oldestSize = random.int(900, 1_100);
  options.gaps = random.pick(["one", "small", "wide", "nanoseconds", "mixed"]);
  options.firstIndex = random.pick([
    0n,
    1n,
    BigInt(random.int(2, 1_000_000)),
    BigInt(random.int(1, 1_000_000_000)) * 1_000n,
    1_700_000_000_000_000_000n,
    9_200_000_000_000_000_000n,
  ]);
  options.pace = random.pick(["burst", "busy", "slow", "coarse"]);
  options.ids = random.pick(["dense", "scattered", "falling"]);
}

function composeTwins(random: Random, options: ListingOptions): void {
  if (random.chance(0.8)) return;
  options.isBland = true;
  options.ids = "zero";
  options.pace = random.pick(["burst", "coarse"]);
  options.twinShare = random.pick([0.1, 0.5, 0.9]);
}

function composeForeign(random: Random, options: ListingOptions): void {
  if (random.chance(0.7)) return;
  options.scans = true;
  options.foreign = random.pick([0, 3, 10, 60]);
  if (random.chance(0.6)) {
    options.quietStretch = random.pick([120, 990, 1_010, 2_400, 20_000, 3_000_000]);
  }
  if (random.chance(0.05)) options.quietHead = random.pick([5, 300, 1_500]);
}

/** From a little less than the usual distance of rows to many times it. */
function composeLookBack(random: Random, options: ListingOptions): void {
  if (random.chance(0.9) || options.transactions < 2) return;
  const { index } = createLedger(options);
  const from = random.int(0, index.length - 2);
  const gap = (index[from + 1] ?? 0n) - (index[from] ?? 0n);
  options.lookBack = gap * BigInt(random.pick([1, 2, 10, 100])) + 1n;
}

function composePages(random: Random, options: ListingOptions): void {
  if (random.chance(0.25)) {
    options.cap = random.pick([1, 7, 40, 99, 100, 250, 500, random.int(2, 999)]);
  }
  if (random.chance(0.06)) options.largestLimit = random.pick([150, 500, 999]);
  if (random.chance(0.1)) options.byteBudget = random.int(600, 100_000);
  if (random.chance(0.15)) {
    options.shortensPages = true;
    options.shortensToNothing = random.chance(0.1);
  }
  if (random.chance(0.06)) {
    options.cap = random.pick([7, 40, 99, 250]);
    options.oldestSize = options.cap + random.int(-1, 60);
  }
  if (random.chance(0.1)) options.keepsTransactionsWhole = true;
  if (random.chance(0.15) && options.cursor !== "timestamp-s") {
    options.orderInTransaction = random.pick(["oldest-first", "by-request", "by-cursor"]);
  }
  options.rejectsLargeLimit = random.chance(0.5);
  if (random.chance(0.15)) options.rejectsAboveNewest = true;
  if (random.chance(0.04)) options.rejectsBelowOldest = true;
}

function composeTime(random: Random, options: ListingOptions): void {
  if (random.chance(0.2)) {
    options.arriving = random.int(1, 200);
    options.arrivalsPerRequest = random.pick([0.2, 1, 5, 60]);
    options.arrivesInParts = random.chance(0.15);
  }
  if (random.chance(0.08)) {
    options.lagShare = random.pick([0.1, 0.5]);
    options.lag = random.int(1, 5);
  }
  if (random.chance(0.15)) {
    options.faultShare = random.pick([0.01, 0.05, 0.2]);
    options.retryAfter = random.pick(["none", "0", "1", "2", "past-date"]);
  }
}

function composeRows(random: Random, options: ListingOptions): void {
  options.kind = random.weighted<ListingKind>([
    [4, "trades"],
    [4, "fills"],
    [2, "liquidations"],
  ]);
  options.marketType = options.kind === "liquidations" || random.chance(0.7) ? "perp" : "spot";
  options.marketTypeText = options.marketType;
  options.marketId = random.pick([0, 1, 7, 15_000, 2_147_483_646]);
  options.owner = makeOwner(hash(options.seed, 80));
  options.subaccountId = random.pick([0, 1, 65_534]);
  options.addressCase = random.pick(["lower", "mixed", "mixed-by-row"]);
  if (random.chance(0.2)) options.selfTradeShare = random.pick([0.05, 1]);
  options.listsSelfTradesTwice = options.selfTradeShare > 0 && random.chance(0.4);
  options.hasManyMarkets = random.chance(0.5);
  options.hasBigIds = random.chance(0.3);
  options.hasExtraFields = random.chance(0.05);
  options.hasShuffledKeys = random.chance(0.1);
  options.isPretty = random.chance(0.05);
  options.prefix = random.pick(["", "", "", "/v1", "/api/x"]);
}

function composeOptions(seed: number): ListingOptions {
  const random = createRandom(hash(seed, 90));
  const options: ListingOptions = { ...PLAIN_LISTING, seed };
  composeRows(random, options);
  if (random.chance(0.03)) return options;
  composeLedger(random, options);
  composeTwins(random, options);
  composeForeign(random, options);
  composePages(random, options);
  composeTime(random, options);
  composeLookBack(random, options);
  composeStatus(random, options);
  return options;
}

/** Last of all, so that a seed means what it meant. */
function composeStatus(random: Random, options: ListingOptions): void {
  options.emptyPage = random.pick(["list", "list", "list", "204", "404-list", "404-error"]);
  options.pageStatus = random.pick([200, 200, 200, 200, 203, 206]);
}

const LIES: Record<ListingKind, ListingLie[]> = {
  trades: ["other-market", "other-market-type", "rewritten", "not-newest-first", "malformed-row"],
  liquidations: ["rewritten", "not-newest-first", "malformed-row"],
  fills: ["other-owner", "other-subaccount", "rewritten", "not-newest-first", "malformed-row"],
};

function sizesOf(ledger: Ledger, transactions: number): number[] {
  const sizes: number[] = [];
  for (let t = 0; t < transactions; t++) {
    sizes.push((ledger.start[t + 1] ?? 0) - (ledger.start[t] ?? 0));
  }
  return sizes;
}

function capacityOf({ cap, largestLimit }: ListingOptions): number {
  const limit = largestLimit > 0 ? Math.max(largestLimit, 100) : 1_000;
  return cap > 0 ? Math.min(cap, limit) : limit;
}

/** Bytes of each transaction, oldest first; none where no page has a budget of them. */
function bytesOf(service: ListingService): number[] {
  const bytes = new Map<bigint, number>();
  if (service.options.byteBudget === 0) return [];
  for (const { index, text } of service.truthAt(1).reverse()) {
    bytes.set(index, (bytes.get(index) ?? 0) + text.length + 1);
  }
  return [...bytes.values()];
}

/** A page that begins at the top of the transaction is cut by its capacity and its bytes only. */
function countOversized(service: ListingService, sizes: number[]): number {
  const { byteBudget } = service.options;
  const capacity = capacityOf(service.options);
  const bytes = bytesOf(service);
  const isOver = (size: number, t: number): boolean =>
    size > capacity || (size > 1 && (bytes[t] ?? 0) > byteBudget);
  return sizes.filter(isOver).length;
}

function disputedOf(options: ListingOptions): string[] {
  const { timeJitterMs, expiringPerRequest, hasOddNumbers, marketType, marketTypeText } = options;
  const list: [boolean, string][] = [
    [timeJitterMs > 0, "times do not fall strictly with the order"],
    [expiringPerRequest > 0, "the oldest rows vanish while they are read"],
    [hasOddNumbers, "numeric text with an exponent, a plus or zeros before it"],
    [marketType !== marketTypeText, "another spelling of the market type"],
  ];
  return list.filter(([isSo]) => isSo).map(([, text]) => text);
}

function factsOf(service: ListingService): ListingFacts {
  const { options, ledger } = service;
  return {
    isLegal: options.lie === undefined,
    lie: options.lie,
    transactions: options.transactions,
    capacity: capacityOf(options),
    byteBudget: options.byteBudget,
    hasPageFilter: options.scans || options.lookBack > 0n || options.shortensToNothing,
    shortensPages: options.shortensPages,
    oversizedTransactions: countOversized(service, sizesOf(ledger, options.transactions)),
    hasUnstableOrder: options.orderInTransaction.startsWith("by-"),
    disputed: disputedOf(options),
    isGrowing: options.arriving > 0,
    lag: options.lagShare > 0 ? options.lag : 0,
    hasFaults: options.faultShare > 0,
    countOfPage: (before, limit, requestNumber = 1) =>
      service.countOfPage(before, limit, requestNumber),
  };
}

function describeOptions(options: ListingOptions): string {
  const plain: Record<string, unknown> = { ...PLAIN_LISTING };
  const odd = Object.entries(options).filter(([name, value]) => plain[name] !== value);
  return odd.map(([name, value]) => `${name}=${String(value)}`).join(" ");
}

/** A service of chosen oddities, over a plain listing. */
export function listingOf(chosen: Partial<ListingOptions>): ComposedListing {
  const options: ListingOptions = { ...PLAIN_LISTING, ...chosen };
  const service = createListingService(options);
  return {
    service,
    kind: options.kind,
    marketType: options.marketType,
    marketId: options.marketId,
    owner: options.owner,
    subaccountId: options.subaccountId,
    truth: () => service.truthAt(1),
    facts: factsOf(service),
    describe: describeOptions(options),
  };
}

export function composeListing(seed: number): ComposedListing {
  return listingOf(composeOptions(seed));
}

/** What makes an end hard to prove, several at once: filtered and cut pages, equal rows, a transaction that fills pages. */
export function composeTangledListing(seed: number): ComposedListing {
  const options = composeOptions(seed);
  const random = createRandom(hash(seed, 93));
  options.transactions = random.int(20, 400);
  if (["trade-id", "row-number"].includes(options.cursor)) options.cursor = "none";
  if (random.chance(0.85)) {
    Object.assign(options, { scans: false, lookBack: 0n, shortensPages: false });
    const filter = random.pick(["scan", "look-back", "nothing"]);
    options.scans = filter === "scan";
    options.foreign = random.pick([3, 10, 60]);
    options.quietStretch = random.pick([0, 120, 1_010, 20_000]);
    options.shortensPages = filter === "nothing";
    options.shortensToNothing = filter === "nothing";
    if (filter === "look-back") options.lookBack = 1n << BigInt(random.int(4, 40));
  }
  options.byteBudget = random.chance(0.85) ? random.int(600, 40_000) : 0;
  if (random.chance(0.85)) {
    Object.assign(options, { isBland: true, ids: "zero", pace: random.pick(["burst", "coarse"]) });
    options.twinShare = random.pick([0.1, 0.5, 0.9]);
  }
  if (random.chance(0.85)) {
    options[random.pick(["hugeSize", "oldestSize"] as const)] = random.int(20, 160);
    if (random.chance(0.3)) options.cap = random.pick([7, 40, 99]);
  }
  if (random.chance(0.1)) options.expiringPerRequest = random.pick([0.2, 3]);
  return listingOf(options);
}

/** Legal by one way to read the document, see `facts.disputed`; one oddity each. */
export function composeDisputedListing(seed: number): ComposedListing {
  const options = composeOptions(seed);
  const random = createRandom(hash(seed, 92));
  switch (random.int(0, 3)) {
    case 0:
      options.timeJitterMs = random.pick([3, 500]);
      break;
    case 1:
      options.expiringPerRequest = random.pick([0.2, 3]);
      break;
    case 2:
      options.hasOddNumbers = true;
      break;
    default:
      options.marketTypeText = random.pick([options.marketType.toUpperCase(), "perpetual", ""]);
  }
  return listingOf(options);
}

export function composeLyingListing(seed: number): ComposedListing {
  const options = composeOptions(seed);
  const random = createRandom(hash(seed, 91));
  options.lie = random.pick(LIES[options.kind]);
  options.transactions = Math.max(options.transactions, 30);
  return listingOf(options);
}
