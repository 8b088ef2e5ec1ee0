// What became of an export of a composed listing, told from its ledger.
import type { ComposedListing } from "./compose-listing.ts";
import type { TruthRow } from "./listing-service.ts";

/** Equal for equal records, whatever the order of their fields. */
function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const plain = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  const names = Object.keys(plain).sort();
  return `{${names.map((name) => `${name}:${stableText(plain[name])}`).join(",")}}`;
}

/** The records of an export, newest first, and how many requests were made until it had ended. */
export interface Sight {
  readonly rows: readonly object[];
  readonly requests: number;
}

export interface Difference {
  /** Rows that existed from the first request to the last one and were not exported. */
  readonly missing: number;
  /** Rows that never were, or were exported too often. */
  readonly extra: number;
  readonly isOrdered: boolean;
}

export function compareWithTruth(composed: ComposedListing, exported: Sight): Difference {
  const { hasShuffledKeys, hasExtraFields } = composed.service.options;
  const isPlain = !hasShuffledKeys && !hasExtraFields;
  const textOf = ({ record, text }: TruthRow) => (isPlain ? text : stableText(record));
  const texts = exported.rows.map((row) => (isPlain ? JSON.stringify(row) : stableText(row)));
  const { expiringPerRequest } = composed.service.options;
  const { hasUnstableOrder, isGrowing, lag } = composed.facts;
  const first = composed.truth().map(textOf);
  const isStill = !isGrowing && expiringPerRequest === 0;
  const last = isStill ? first : composed.service.truthAt(exported.requests).map(textOf);
  // What the service lists no more need not have been exported, and may have been.
  const gone = expiringPerRequest === 0 ? [] : within(first, last, false);
  const atFirst = gone.length === 0 ? first : within(first, last);
  // A copy that is behind may have answered first: the listing is read as it was there.
  const behind = lag === 0 ? 0 : rowsBehind(composed, texts, textOf);
  const extra = countBeyond(texts, [...last, ...gone]);
  return {
    missing: countBeyond(atFirst.slice(behind), texts),
    // A row may have arrived after the first request and have expired before the last.
    extra:
      extra === 0 || expiringPerRequest === 0
        ? extra
        : countBeyond(texts, everListed(composed, exported.requests, textOf)),
    isOrdered:
      hasUnstableOrder || isGrowing || texts.every((text, i) => text === first[behind + i]),
  };
}

/** All rows that some request could have found, each as often as one of them could have found it. */
function everListed(
  { service }: ComposedListing,
  requests: number,
  textOf: (row: TruthRow) => string,
): string[] {
  let ever: string[] = [];
  for (let request = 1; request <= requests; request++) {
    const now = service.truthAt(request).map(textOf);
    ever = [...ever, ...within(now, ever, false)];
  }
  return ever;
}

/** Rows of the newest transactions, at most as many as a copy can be behind, of which none was exported. */
function rowsBehind(
  { truth, facts }: ComposedListing,
  texts: readonly string[],
  textOf: (row: TruthRow) => string,
): number {
  const exported = new Set(texts);
  const rows = truth();
  const newest = [...new Set(rows.map(({ index }) => index))].slice(0, facts.lag);
  const first = rows.findIndex((row) => exported.has(textOf(row)) || !newest.includes(row.index));
  return Math.max(0, first);
}

/** How many of some texts are not among others as often. */
function countBeyond(some: readonly string[], others: readonly string[]): number {
  return within(some, others, false).length;
}

/** Those of some texts that are among others, each as often as there; or the rest. */
function within(some: readonly string[], others: readonly string[], isAvailable = true): string[] {
  const left = new Map<string, number>();
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1);
  return some.filter((text) => {
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    return count > 0 === isAvailable;
  });
}

/** Distances below a last row grow by this factor from probe to probe, or by less. */
const PROBE_RATIO = 1.75;

/**
 * Could looking below the last exported row, at distances that grow by half or a little more each time, not have missed
 * the rows that are left out? So it is where pages hold rows at all cursors of a range whose far end lies so many times
 * further away than its near end.
 */
export function isInSight(composed: ComposedListing, exported: Sight): boolean {
  const { ledger } = composed.service;
  const lastIndex = indexOfLast(composed, exported);
  const at = exported.requests;
  const isSeenAt = (cursor: bigint) => composed.facts.countOfPage(cursor, 1000, at) > 0;
  let range: Range | undefined;
  for (let t = ledger.index.length - 2; t >= 0; t--) {
    const index = ledger.index[t] ?? 0n;
    if (index >= lastIndex) continue;
    const above = minimum(ledger.index[t + 1] ?? index + 1n, lastIndex);
    const top = highestSeen(index + 1n, above, isSeenAt);
    if (top === undefined) continue;
    range = joined(range, lastIndex - top, lastIndex - index);
    if (Number(range.far) / Math.max(1, Number(range.near)) >= PROBE_RATIO) return true;
  }
  return false;
}

/** Distances below the last row at which pages hold rows. */
interface Range {
  readonly near: bigint;
  readonly far: bigint;
}

function joined(range: Range | undefined, near: bigint, far: bigint): Range {
  const isConnected = range !== undefined && near <= range.far + 1n;
  return { near: isConnected ? range.near : near, far };
}

/** Of the oldest exported row, when all that is missing lies below it; above all others where none was. */
function indexOfLast(composed: ComposedListing, { rows, requests }: Sight): bigint {
  const { service, truth, facts } = composed;
  const textOf = (record: object) => stableText(record);
  const first = truth();
  const texts = rows.map(textOf);
  const behind = facts.lag === 0 ? 0 : rowsBehind(composed, texts, ({ record }) => textOf(record));
  const isGrowing = service.options.arriving > 0;
  // What has come since the first request stands above.
  const newer = isGrowing
    ? countBeyond(
        texts,
        first.map(({ record }) => textOf(record)),
      )
    : 0;
  const oldest = first[behind + rows.length - newer - 1];
  // More may have come since the last row was listed.
  const isLast = ({ record }: TruthRow) => textOf(record) === texts.at(-1);
  const last = oldest ?? service.truthAt(requests).find(isLast);
  return rows.length === 0 || last === undefined ? (1n << 63n) - 1n : last.index;
}

function highestSeen(
  low: bigint,
  high: bigint,
  isSeenAt: (cursor: bigint) => boolean,
): bigint | undefined {
  if (!isSeenAt(low)) return undefined;
  let [seen, unseen] = [low, high + 1n];
  if (isSeenAt(high)) return high;
  while (unseen - seen > 1n) {
    const middle = (seen + unseen) >> 1n;
    if (isSeenAt(middle)) seen = middle;
    else unseen = middle;
  }
  return seen;
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
