// Books and lists of markets of composed services, watched for sixteen minutes: what a pane that says live or quiet
// shows is there, once and whole. MONITOR_SEED chooses the first seed; MONITOR_SOAK=long makes it 20,000 services.
import { expect, test } from "vitest";
import type { Store } from "../../src/state/store.ts";
import { type ComposedSession, openComposed, STEP_MS } from "../support/composed-session.ts";
import { type ComposedStream, composeStream } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { checkRows, type Finding } from "./truth-check.ts";

const RUNS = Number(
  process.env.MONITOR_RUNS ?? (process.env.MONITOR_SOAK === "long" ? 20_000 : 200),
);
const FIRST_SEED = Number(process.env.MONITOR_SEED ?? 1) * 1_000_000;
const MINUTES = 16;
const LOOK_MS = 1000;
const LONG_LIST = 500;

interface Seen {
  readonly atMs: number;
  readonly findings: readonly Finding[];
}

/** Levels of both sides as records, with the side in them. */
function levelTexts(book: { bids: readonly object[]; asks: readonly object[] }): string[] {
  const side = (name: "bids" | "asks") =>
    book[name].map((level, rank) => JSON.stringify({ ...level, side: name, rank }));
  return [...side("bids"), ...side("asks")];
}

function bookFindings(store: Store, channel: string, truth: ChannelTruth, nowMs: number) {
  const slice = store.slice("orderbook", channel);
  // A book whose interpretation is only assumed says so.
  if (truth.kind !== "orderbook" || !slice.data.isDecided) return [];
  const rows = levelTexts(slice.data.depth());
  return checkRows(
    { list: channel, rows, state: store.paneState(slice, nowMs) },
    levelTexts(truth),
  );
}

function recordFindings(store: Store, channel: string, truth: ChannelTruth, nowMs: number) {
  if (truth.kind !== "rows") return [];
  // A long list is looked at once a minute: it takes a second to compare.
  if (truth.rows.length > LONG_LIST && nowMs % 60_000 >= LOOK_MS) return [];
  const slice = store.slice(channel === "markets" ? "markets" : "market-stats", channel);
  const rows = slice.data.records.map((record) => JSON.stringify(record));
  return checkRows({ list: channel, rows, state: store.paneState(slice, nowMs) }, truth.rows);
}

function look(session: ComposedSession, { service }: ComposedStream, channels: readonly string[]) {
  const nowMs = session.clock.now();
  if (!session.isHeard) return [];
  return channels.flatMap((channel) => {
    if (!service.hasShownAll(channel)) return [];
    const truth = service.truth(channel);
    const find = channel.startsWith("orderbook") ? bookFindings : recordFindings;
    return find(session.store, channel, truth, nowMs);
  });
}

/**
 * Services with a book or a list of markets. Frames that are left out cannot be known where every `previous_sequence` is its
 * `sequence` less one: then nothing tells them from transactions of other channels.
 */
function isWatched({ facts }: ComposedStream): boolean {
  const { account, book, trades, markets, delivery } = facts;
  const { foreignTransactions, sequenceStep, lossShare } = delivery;
  if (book === undefined && markets === undefined) return false;
  const isAlone = account === undefined && trades === undefined && markets === undefined;
  const isCounted = isAlone && foreignTransactions === 0 && sequenceStep === 1;
  return lossShare === 0 || !isCounted;
}

/** Watches one service; answers the first moment at which something untrue was shown. */
function watch(composed: ComposedStream, seed: number) {
  const session = openComposed(composed, seed);
  const channels = composed.channels.filter((name) => /^(?:orderbook|bbo|markets?)/.test(name));
  for (const channel of channels) session.stream.subscribe(channel);
  let seen: Seen | undefined;
  try {
    for (let atMs = 0; atMs < MINUTES * 60_000 && seen === undefined; atMs += STEP_MS) {
      session.step();
      if (atMs % LOOK_MS !== 0) continue;
      const findings = look(session, composed, channels);
      if (findings.length > 0) seen = { atMs: session.clock.now(), findings };
    }
    const audits = channels.reduce((sum, each) => sum + session.store.auditsOf(each).count, 0);
    return { seen, audits };
  } finally {
    session.close();
    expect(session.clock.pending).toBe(0);
  }
}

test(`what ${RUNS} composed books and lists of markets show as live or quiet is there`, {
  timeout: RUNS * 2000,
}, () => {
  let audits = 0;
  const untrue: string[] = [];
  for (let run = 0, seed = FIRST_SEED; run < RUNS; seed++) {
    const composed = composeStream(seed);
    if (!isWatched(composed)) continue;
    run++;
    const watched = watch(composed, seed);
    audits += watched.audits;
    if (watched.seen === undefined) continue;
    const { atMs, findings } = watched.seen;
    const first = JSON.stringify(findings[0]);
    untrue.push(`seed ${seed} at ${atMs} ms: ${findings.length}, ${first}; ${composed.describe}`);
  }
  expect(untrue).toEqual([]);
  expect(audits).toBeGreaterThan(RUNS);
});
