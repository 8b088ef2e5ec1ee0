// Accounts of composed services, watched for sixteen minutes: no row that a pane shows as live or quiet is wrong, missing or
// doubled unless it is marked. MONITOR_SEED chooses the first seed; MONITOR_SOAK=long makes it 20,000 services.
import { expect, test } from "vitest";
import { stringifyExact } from "../../src/protocol/exact-numbers.ts";
import type { OpenRecord } from "../../src/protocol/channels/update.ts";
import {
  ACCOUNT_LISTS,
  ACCOUNT_LOGS,
  type AccountState,
} from "../../src/store/account.ts";
import { type ComposedSession, openComposed, STEP_MS } from "../support/composed-session.ts";
import { type ComposedStream, composeStream } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { checkRows, type Finding } from "./truth-check.ts";

const RUNS = Number(
  process.env.MONITOR_RUNS ?? (process.env.MONITOR_SOAK === "long" ? 20_000 : 100),
);
const FIRST_SEED = Number(process.env.MONITOR_SEED ?? 1) * 1_000_000;
const MINUTES = Number(process.env.MONITOR_MINUTES ?? 16);
/** A look at a pane; the number is no divisor of what services count by. */
const LOOK_MS = Number(process.env.MONITOR_LOOK_MS ?? (process.env.MONITOR_SOAK === "long" ? 1000 : 3250));

type Truth = ChannelTruth & { kind: "account" };

interface Seen {
  readonly atMs: number;
  readonly findings: readonly Finding[];
}

interface Shown {
  readonly state: string;
  readonly data: AccountState;
}

const textsOf = (rows: readonly OpenRecord[]) => rows.map((row) => stringifyExact(row));

function listFindings({ state, data }: Shown, truth: Truth): Finding[] {
  return ACCOUNT_LISTS.flatMap((list) => {
    const { rows, inQuestion, hasCome, missing } = data.lists[list];
    if (!hasCome) return [];
    const marks = rows.map((row) => inQuestion.has(row));
    const shown = { list, rows: textsOf(rows), state, inQuestion: marks };
    const found = checkRows(shown, truth.lists[list], truth.zero);
    return missing > 0 ? found.filter(({ kind }) => kind !== "missing") : found;
  });
}

/** What came since the first frame is there; of what is older, as much as the service repeats. */
function logFindings({ state, data }: Shown, truth: Truth): Finding[] {
  return ACCOUNT_LOGS.flatMap((list) => {
    const { rows, inQuestion, mayMiss } = data.logs[list];
    const newest = [...rows].reverse();
    const all = truth.lists[list];
    const tail = all.slice(Math.max(0, all.length - rows.length));
    const shown = {
      list,
      rows: textsOf(newest),
      state,
      inQuestion: newest.map((row) => inQuestion.has(row)),
    };
    const found = checkRows(shown, tail, all);
    return mayMiss ? found.filter(({ kind }) => kind === "wrong") : found;
  });
}

function look(session: ComposedSession, { service }: ComposedStream, channel: string): Finding[] {
  if (!session.isHeard || !service.hasShownAll(channel)) return [];
  const truth = service.truth(channel);
  if (truth.kind !== "account") return [];
  const { store, clock } = session;
  const slice = store.slice("account", channel);
  const shown = { state: store.paneState(slice, clock.now()), data: slice.data };
  return [...listFindings(shown, truth), ...logFindings(shown, truth)].filter(
    ({ isInQuestion }) => !isInQuestion,
  );
}

interface Watched {
  readonly seen: Seen | undefined;
  readonly audits: number;
  /** Looks, and looks at which some row was marked. */
  readonly looks: number;
  readonly marked: number;
  readonly markedAtEnd: string;
}

/** Watches one service; answers the first moment at which something untrue was shown. */
function watch(composed: ComposedStream, seed: number): Watched {
  const session = openComposed(composed, seed);
  const channel = composed.facts.account?.channel ?? "";
  session.stream.subscribe(channel);
  let seen: Seen | undefined;
  let [looks, marked] = [0, 0];
  const { data } = session.store.slice("account", channel);
  const markedNow = () => {
    const { lists } = session.store.slice("account", channel).data;
    return ACCOUNT_LISTS.filter((list) => lists[list].inQuestion.size > 0).join(" ");
  };
  try {
    for (let atMs = 0; atMs < MINUTES * 60_000 && seen === undefined; atMs += STEP_MS) {
      session.step();
      if (atMs % LOOK_MS !== 0) continue;
      looks++;
      if (markedNow() !== "") marked++;
      const findings = look(session, composed, channel);
      if (findings.length > 0) seen = { atMs: session.clock.now(), findings };
    }
    void data;
    const { count } = session.store.auditsOf(channel);
    return { seen, audits: count, looks, marked, markedAtEnd: markedNow() };
  } finally {
    session.close();
  }
}

test(`what ${RUNS} composed accounts show as live or quiet is there, or marked (seed ${FIRST_SEED})`, {
  timeout: RUNS * 4000,
}, () => {
  let [audits, looks, marked, markedAtEnd] = [0, 0, 0, 0];
  const untrue: string[] = [];
  for (let run = 0, seed = FIRST_SEED; run < RUNS; seed++) {
    const composed = composeStream(seed);
    if (composed.facts.account === undefined) continue;
    if (process.env.MONITOR_CALM && composed.facts.delivery.takeAwayShare > 0) continue;
    run++;
    const watched = watch(composed, seed);
    audits += watched.audits;
    looks += watched.looks;
    marked += watched.marked;
    if (watched.markedAtEnd !== "") markedAtEnd++;
    if (process.env.MONITOR_MARKS && watched.markedAtEnd !== "")
      console.log(`MARKED ${watched.markedAtEnd}: seed ${seed} ${composed.describe}`);
    if (watched.seen === undefined) continue;
    const { atMs, findings } = watched.seen;
    const first = JSON.stringify(findings[0]);
    untrue.push(`seed ${seed} at ${atMs} ms: ${findings.length}, ${first}; ${composed.describe}`);
  }
  if (process.env.MONITOR_SOAK === "long" || process.env.MONITOR_RUNS) {
    console.log(
      `${RUNS} services, ${audits} audits; marked in ${marked} of ${looks} looks, at the end in ${markedAtEnd}`,
    );
  }
  expect(untrue).toEqual([]);
});
