// Each built-in scenario against the real client: what it is for is what is shown of it, nothing untrue is ever called
// live, and in the end everything is received and equals the exchange's own ledger.
import { expect, test } from "vitest";
import { SCENARIO_NAMES } from "../../src/simulator/scenarios/scenario.ts";
import type { PaneState } from "../../src/state/pane-state.ts";
import { isSoak, SEED } from "../support/soak.ts";
import {
  type EventName,
  playScenario,
  type ScenarioSession,
  type SessionLength,
} from "./scenario-session.ts";
import type { Pane } from "./truth.ts";

/** Its past alone takes seconds to make. */
const SLOW = "busy";
/** What is to be seen happens by chance: with some seeds it takes its time. */
const PATIENCE = isSoak ? 4 : 1;

interface Promised extends SessionLength {
  /** Events of which there is one at least. */
  readonly some?: readonly EventName[];
  /** Events of which there is none. */
  readonly none?: readonly EventName[];
  /** States that each pane is in at some time. */
  readonly states?: Readonly<Partial<Record<Pane, readonly PaneState[]>>>;
  /** States that no pane is ever in. */
  readonly never?: readonly PaneState[];
  /** What is told of why a connection ended; without it, none ends. */
  readonly endedBy?: RegExp;
  /** What comes about in the end. */
  readonly until?: (session: ScenarioSession) => boolean;
  /** More, of the session as it is in the end. */
  readonly more?: (session: ScenarioSession) => void;
}

const TROUBLE: readonly PaneState[] = ["stale", "resync", "offline", "refused"];
const UNREST: readonly EventName[] = [
  "gap",
  "resync",
  "rejected",
  "late",
  "lost",
  "unavailable",
  "refused",
];
const BOOK = "orderbook/perp/1";

const PROMISES: Readonly<Record<string, Promised>> = {
  steady: { seconds: 5, none: [...UNREST, "drift", "service-error"], never: TROUBLE },
  busy: {
    seconds: 0.3,
    none: [...UNREST, "drift"],
    never: TROUBLE,
    more: ({ events }) => expect(events.get("update")).toBeGreaterThan(2000),
  },
  gaps: {
    seconds: 25,
    some: ["gap", "resync"],
    none: ["rejected", "refused"],
    states: { orderbook: ["resync", "live"] },
    never: ["offline", "refused"],
  },
  drops: { seconds: 45, states: { bbo: ["offline", "live"] }, endedBy: /1001|1006/ },
  unavailable: {
    seconds: 30,
    some: ["unavailable"],
    none: ["refused"],
    states: { orderbook: ["offline", "live"], trades: ["offline", "live"] },
    more: ({ states }) => expect(states.get("bbo")).not.toContain("offline"),
  },
  "half-open": {
    seconds: 110,
    states: { bbo: ["stale", "offline", "live"] },
    endedBy: /no pong|no sign of life|nothing/,
  },
  "no-pong": { seconds: 62, states: { bbo: ["offline"] }, endedBy: /pong/ },
  "late-hello": {
    seconds: 7,
    none: [...UNREST, "service-error"],
    never: TROUBLE,
    more: ({ rig, liveAtMs }) => {
      expect(rig.stream.link.protocolVersion).toBe(1);
      expect(liveAtMs).toBeLessThan(5000);
    },
  },
  "wrong-version": {
    seconds: 3,
    none: UNREST,
    never: TROUBLE,
    more: ({ rig }) => expect(rig.stream.link.protocolVersion).toBe(2),
  },
  refused: {
    seconds: 30,
    states: { bbo: ["live"] },
    endedBy: /HTTP 503/,
    more: ({ liveAtMs }) => expect(liveAtMs).toBeGreaterThan(20_000),
  },
  errors: { seconds: 25, some: ["service-error"], none: ["refused"], never: ["refused"] },
  repeats: { seconds: 60, some: ["late"], none: ["rejected"], never: ["offline", "refused"] },
  crossed: {
    seconds: 120,
    some: ["resync"],
    none: ["gap", "rejected"],
    states: { orderbook: ["resync", "live"] },
    more: ({ reasons }) =>
      expect(reasons).toContainEqual(expect.stringMatching(/crossed|disagree/)),
  },
  contradicted: {
    seconds: 120,
    some: ["resync"],
    none: ["gap", "rejected"],
    states: { orderbook: ["resync", "live"] },
  },
  "whole-books": {
    seconds: 6,
    none: UNREST,
    never: TROUBLE,
    more: ({ rig }) => {
      const { interpretation, isDecided } = rig.store.slice("orderbook", BOOK).data;
      expect([interpretation, isDecided]).toEqual(["whole", true]);
    },
  },
  garbage: { seconds: 20, some: ["rejected"], none: ["refused"] },
  drift: { seconds: 15, some: ["drift", "rejected"], none: ["refused"], never: ["offline"] },
  giant: { seconds: 70, states: { bbo: ["offline", "live"] }, endedBy: /payload size/ },
  slow: {
    seconds: 45,
    some: ["gap"],
    none: ["rejected", "refused"],
    states: { bbo: ["quiet", "live"] },
  },
  skewed: {
    seconds: 25,
    none: [...UNREST, "service-error"],
    more: ({ rig }) => expect(rig.stream.link.skewMs).toBeLessThan(-7_000_000),
  },
  "rest-trouble": {
    seconds: 180,
    isListed: true,
    none: UNREST,
    never: TROUBLE,
    until: ({ exports }) => exports !== undefined && exports.finished > 3 && exports.met.size > 2,
    more: ({ exports }) => expect(exports?.wrong).toEqual([]),
  },
  storm: { seconds: 60, some: ["gap", "resync", "rejected", "drift", "late"], endedBy: /./ },
};

function expectEvents(
  { events, ends }: ScenarioSession,
  { some = [], none = [], endedBy }: Promised,
): void {
  const seen = [...events.keys()];
  expect(seen).toEqual(expect.arrayContaining([...some]));
  expect(seen.filter((type) => none.includes(type))).toEqual([]);
  if (endedBy === undefined) expect(ends).toEqual([]);
  else expect(ends).toContainEqual(expect.stringMatching(endedBy));
}

function expectStates(session: ScenarioSession, { states = {}, never = [] }: Promised): void {
  const seen = new Set([...session.states.values()].flatMap((each) => [...each]));
  expect(never.filter((state) => seen.has(state))).toEqual([]);
  for (const [pane, wanted] of Object.entries(states)) {
    expect([...(session.states.get(pane as Pane) ?? [])]).toEqual(
      expect.arrayContaining([...wanted]),
    );
  }
}

/** Something is promised to be seen; else it is looked at all the time that it takes. */
function isToBeSeen({ some = [], states = {}, endedBy, until }: Promised): boolean {
  return some.length + Object.keys(states).length > 0 || (endedBy ?? until) !== undefined;
}

/** Everything that is promised to be seen has been. */
function isSeen(
  session: ScenarioSession,
  { some = [], states = {}, endedBy, until = () => true }: Promised,
): boolean {
  const wanted = Object.entries(states) as [Pane, readonly PaneState[]][];
  return (
    some.every((type) => session.events.has(type)) &&
    wanted.every(([pane, all]) => all.every((state) => session.states.get(pane)?.has(state))) &&
    (endedBy === undefined || session.ends.some((end) => endedBy.test(end))) &&
    until(session)
  );
}

test.each(SCENARIO_NAMES.filter((name) => isSoak || name !== SLOW))(
  "the scenario %s is shown as what it is",
  async (name) => {
    const promised = PROMISES[name] ?? { seconds: 0 };
    const isOver = (session: ScenarioSession) => isToBeSeen(promised) && isSeen(session, promised);
    const patience = isToBeSeen(promised) ? PATIENCE : 1;
    const length = { ...promised, seconds: promised.seconds * patience };
    const { session, untrue } = await playScenario(name, length, { seed: SEED, isOver });
    expect(untrue).toEqual([]);
    expect(session.watch.lies).toEqual([]);
    expectEvents(session, promised);
    expectStates(session, promised);
    expect(promised.until?.(session) ?? true).toBe(true);
    promised.more?.(session);
  },
);
