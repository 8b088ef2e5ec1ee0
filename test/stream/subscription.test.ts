// Subscriptions under whatever users, services and networks do, in any order: at the end the service holds
// exactly what somebody wants, and every wanted channel has had its first update.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Peer } from "../support/scripted-service.ts";
import { isSoak, runs } from "../support/soak.ts";
import { bboFrame, bookFrame, createStreamRig, openStreamRig } from "../support/stream-rig.ts";

const CHANNELS = ["orderbook/perp/1", "orderbook/perp/2", "orderbook/spot/1"];
const RUNS = runs(250, 10_000);

/** How a service treats one command; only an unsubscribe can be ignored. */
type Treatment = "honour" | "ignore" | "unavailable" | "no-update";

type Step =
  | { readonly type: "subscribe" | "release" | "resync"; readonly channel: number }
  | { readonly type: "answer"; readonly treatment: Treatment }
  | { readonly type: "update" | "gap" | "garbage" | "drop" }
  | { readonly type: "pass"; readonly ms: number };

const channel = fc.nat({ max: CHANNELS.length - 1 });
const treatments: Treatment[] = ["honour", "ignore", "unavailable", "no-update"];
const MISHAPS = ["update", "gap", "garbage", "drop"] as const;
const PAUSES_MS = [1, 300, 2500, 40_000];
const user = fc.constantFrom("subscribe" as const, "release" as const, "resync" as const);
const treatment = fc.constantFrom<Treatment>("honour", "honour", ...treatments);
const step = fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
  { weight: 4, arbitrary: fc.record({ type: user, channel }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("answer" as const), treatment }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom(...MISHAPS) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("pass" as const),
      ms: fc.constantFrom(...PAUSES_MS),
    }),
  },
);

/** A service that holds what it was told to hold, on one connection at a time. */
class ModelService {
  readonly held = new Set<string>();
  #connection: Peer | undefined;
  #answered = 0;
  #sequence = 1;

  /** Answers the oldest command that waits for an answer. */
  answer(connection: Peer, treatment: Treatment): boolean {
    this.#follow(connection);
    const command = connection.commands[this.#answered];
    if (command === undefined) return false;
    this.#answered++;
    if (command.type === "unsubscribe") {
      if (treatment === "ignore") return true;
      this.held.delete(command.channel);
      connection.unsubscribed(command.channel);
    } else if (this.held.has(command.channel)) connection.error(409, command.channel);
    else if (treatment === "unavailable") connection.error(503, command.channel);
    else {
      this.held.add(command.channel);
      if (treatment !== "no-update") this.update(connection, command.channel, null);
    }
    return true;
  }

  update(connection: Peer, name: string, previous: string | null): void {
    this.#follow(connection);
    if (!this.held.has(name)) return;
    this.#sequence += 2;
    connection.send(bookFrame(previous, `${this.#sequence}`, name));
  }

  #follow(connection: Peer): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#answered = 0;
    this.held.clear();
  }
}

/** A stream, its users and its service, driven step by step. */
class Play {
  readonly rig = createStreamRig();
  readonly service = new ModelService();
  readonly #users = new Map<string, (() => void)[]>();
  readonly #acts: { readonly [T in Step["type"]]: (step: Extract<Step, { type: T }>) => void } = {
    subscribe: ({ channel: at }) => {
      const name = CHANNELS[at] ?? "";
      this.#users.set(name, [...(this.#users.get(name) ?? []), this.rig.stream.subscribe(name)]);
    },
    release: ({ channel: at }) => this.#users.get(CHANNELS[at] ?? "")?.pop()?.(),
    resync: ({ channel: at }) => this.rig.stream.resync(CHANNELS[at] ?? "", "test"),
    answer: ({ treatment }) => {
      this.service.answer(this.#connection, treatment);
    },
    update: () => this.#updateAll(null),
    gap: () => this.#updateAll("999999"),
    garbage: () => this.#connection.send("{"),
    drop: () => this.#connection.end(),
    pass: ({ ms }) => this.rig.clock.advance(ms),
  };

  constructor() {
    this.rig.connect();
  }

  act(each: Step): void {
    this.#reconnect();
    (this.#acts[each.type] as (step: Step) => void)(each);
  }

  /** Five minutes of a service that does what it is told, and of a market that moves. */
  calmDown(): void {
    for (let i = 0; i < 60; i++) {
      this.#reconnect();
      while (this.service.answer(this.#connection, "honour"));
      this.#updateAll(null);
      this.rig.clock.advance(5000);
    }
  }

  get wanted(): string[] {
    return CHANNELS.filter((name) => (this.#users.get(name)?.length ?? 0) > 0);
  }

  /** Channels that have had their first update since they were last asked for. */
  get received(): Set<string> {
    const received = new Set<string>();
    for (const event of this.rig.events) {
      if (event.type === "subscribing") received.delete(event.channel);
      if (event.type === "update") received.add(event.channel);
    }
    return received;
  }

  get #connection(): Peer {
    return this.rig.service.last;
  }

  #updateAll(previous: string | null): void {
    for (const held of this.service.held) this.service.update(this.#connection, held, previous);
  }

  #reconnect(): void {
    if (this.#connection.isOver) this.rig.clock.advance(60_000);
    if (this.#connection.isAccepted) return;
    this.#connection.accept();
    this.#connection.hello();
  }
}

function expectSettled(steps: readonly Step[]): void {
  const play = new Play();
  for (const each of steps) play.act(each);
  play.calmDown();
  const words = JSON.stringify(steps);
  expect([...play.service.held].sort(), words).toEqual([...play.wanted].sort());
  expect(
    play.wanted.filter((name) => !play.received.has(name)),
    words,
  ).toEqual([]);
  play.rig.stream.close();
  expect(play.rig.clock.pending, words).toBe(0);
}

test(`are settled once everything calms down, whatever came before (${RUNS} times)`, () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 40, size: "max" }), expectSettled), {
    numRuns: RUNS,
  });
});

/** Each step once, on one channel where it has any. */
const EACH_STEP: readonly Step[] = [
  ...(["subscribe", "release", "resync"] as const).map((type) => ({ type, channel: 0 })),
  ...treatments.map((treatment) => ({ type: "answer" as const, treatment })),
  ...MISHAPS.map((type) => ({ type })),
  ...PAUSES_MS.map((ms) => ({ type: "pass" as const, ms })),
];

test.runIf(isSoak)("are settled after any three steps behind a first subscribe", () => {
  const subscribe: Step = { type: "subscribe", channel: 0 };
  for (const a of EACH_STEP)
    for (const b of EACH_STEP) for (const c of EACH_STEP) expectSettled([subscribe, a, b, c]);
});

test("a field named sequence on a channel that has none is only a field that is not listed", () => {
  const { service, takeEvents } = openStreamRig([bboFrame.channel]);
  for (const sequence of [5, {}, "x", null]) service.last.send({ ...bboFrame, sequence });
  expect(takeEvents().filter((word) => /^(first|update|late|gap)/.test(word))).toHaveLength(4);
});
