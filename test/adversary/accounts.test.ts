// Accounts of composed services, watched for sixteen minutes: no row that a pane shows as live or quiet is wrong, missing or
// doubled unless it is marked. MONITOR_SEED chooses the first seed, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 20,000.
import { expect, test } from "vitest";
import { ACCOUNT_LISTS, ACCOUNT_LOGS, type AccountState } from "../../src/state/account.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { type ComposedSession, openComposed, STEP_MS } from "../support/composed-session.ts";
import { type ComposedStream, composeStream } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { checkRows, type Finding } from "./truth-check.ts";

const IS_LONG = process.env.MONITOR_SOAK === "long";
const RUNS = Number(process.env.MONITOR_RUNS ?? (IS_LONG ? 20_000 : 20));
const FIRST_SEED = Number(process.env.MONITOR_SEED ?? 1) * 1_000_000;
const MINUTES = 16;
/** Between two looks; no divisor of what services count by. */
const LOOK_MS = IS_LONG ? 1000 : 3250;

type Truth = ChannelTruth & { kind: "account" };

interface Shown {
  readonly state: string;
  readonly data: AccountState;
}

function listFindings({ state, data }: Shown, truth: Truth): Finding[] {
  return ACCOUNT_LISTS.flatMap((list) => {
    const { rows, inQuestion, hasCome, missing } = data.lists[list];
    if (!hasCome) return [];
    const marks = rows.map((row) => inQuestion.has(row));
    const shown = { list, rows: rows.map(stringifyExact), state, inQuestion: marks };
    const found = checkRows(shown, truth.lists[list], truth.zero);
    // The list says itself that an audit has found more.
    return missing > 0 ? found.filter(({ kind }) => kind !== "missing") : found;
  });
}

/** What came since the first frame is there; of what is older, as much as the service repeats. */
function logFindings({ state, data }: Shown, truth: Truth): Finding[] {
  return ACCOUNT_LOGS.flatMap((list) => {
    const { rows, inQuestion, mayMiss } = data.logs[list];
    const all = truth.lists[list];
    const tail = all.slice(Math.max(0, all.length - rows.length));
    const marks = rows.map((row) => inQuestion.has(row));
    const shown = { list, rows: rows.map(stringifyExact), state, inQuestion: marks };
    const found = checkRows(shown, tail, mayMiss ? all : []);
    return mayMiss ? found.filter(({ kind }) => kind !== "missing") : found;
  });
}

function look(session: ComposedSession, { service }: ComposedStream, channel: string): Finding[] {
  if (!session.isHeard || !service.hasShownAll(channel)) return [];
  const truth = service.truth(channel);
  if (truth.kind !== "account") return [];
  const { store, clock } = session;
  const slice = store.slice("account", channel);
  const shown = { state: store.paneState(slice, clock.now()), data: slice.data };
  const found = [...listFindings(shown, truth), ...logFindings(shown, truth)];
  return found.filter(({ isInQuestion }) => !isInQuestion);
}

/** Watches one service; answers the first untrue things that were shown, and what was marked at the end. */
function watch(composed: ComposedStream, seed: number) {
  const session = openComposed(composed, seed);
  const channel = composed.facts.account?.channel ?? "";
  session.stream.subscribe(channel);
  const markedNow = () => {
    const { lists } = session.store.slice("account", channel).data;
    return ACCOUNT_LISTS.filter((list) => lists[list].inQuestion.size > 0);
  };
  let untrue = "";
  let [looks, marked] = [0, 0];
  try {
    for (let atMs = 0; atMs < MINUTES * 60_000 && untrue === ""; atMs += STEP_MS) {
      session.step();
      if (atMs % LOOK_MS !== 0) continue;
      looks++;
      if (markedNow().length > 0) marked++;
      const [first, ...others] = look(session, composed, channel);
      if (first === undefined) continue;
      const words = `${JSON.stringify(first)} and ${others.length} more`;
      untrue = `seed ${seed} at ${session.clock.now()} ms: ${words}; ${composed.describe}`;
    }
    const audits = session.store.auditsOf(channel).count;
    return { untrue, audits, looks, marked, markedAtEnd: markedNow() };
  } finally {
    session.close();
  }
}

/** Frames that are lost and streams that fail are the stream's to notice (numbered-streams.test.ts). */
function isWholeStream({ delivery }: ComposedStream["facts"]): boolean {
  return delivery.lossShare + delivery.outageShare === 0;
}

/** The first services with an account, from the seed on. */
function* services(count: number) {
  for (let run = 0, seed = FIRST_SEED; run < count; seed++) {
    const composed = composeStream(seed);
    if (composed.facts.account === undefined || !isWholeStream(composed.facts)) continue;
    run++;
    yield { composed, seed };
  }
}

test(`what ${RUNS} composed accounts show as live or quiet is there, or marked (from seed ${FIRST_SEED})`, {
  timeout: RUNS * 10_000,
}, () => {
  const untrue: string[] = [];
  let [audits, looks, marked] = [0, 0, 0];
  for (const { composed, seed } of services(RUNS)) {
    const watched = watch(composed, seed);
    if (watched.untrue !== "") untrue.push(watched.untrue);
    audits += watched.audits;
    looks += watched.looks;
    marked += watched.marked;
  }
  expect(untrue, `${marked} of ${looks} looks with marks, ${audits} audits`).toEqual([]);
  // A mark on everything would be true, and of no use.
  expect(marked / looks).toBeLessThan(0.5);
  expect(audits).toBeGreaterThan(RUNS);
});
