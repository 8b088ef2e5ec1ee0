// How soon a stream finds out that it is dead, and how soon it is back: the worst of many moments, on a virtual clock.
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import type { Peer } from "../support/scripted-service.ts";
import { runs } from "../support/soak.ts";
import { bboFrame, bookFrame, createStreamRig, openStreamRig } from "../support/stream-rig.ts";

const SEED = 3;
const TRIALS = runs(100, 500);
const bbo = "bbo/perp/1";
const BOOK = "orderbook/perp/1";

type Rig = ReturnType<typeof createStreamRig>;

/** A service behind a network that can be up, down (refused at once), or a hole that swallows everything. */
class Network {
  state: "up" | "down" | "hole" = "up";
  readonly rig: Rig;
  readonly #greeted = new Set<Peer>();

  constructor(rig: Rig) {
    this.rig = rig;
    rig.stream.subscribe(bbo);
    rig.stream.open();
  }

  /** Lets time pass; what is up answers, and says something on the channel each time. */
  pass(ms: number, stepMs: number): void {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.rig.clock.advance(stepMs);
      this.#serve();
    }
  }

  #serve(): void {
    const { last } = this.rig.service;
    last.answersPings = this.state === "up";
    if (last.isOver || this.state === "hole") return;
    if (this.state === "down") {
      last.end("refused");
      return;
    }
    if (!this.#greeted.has(last)) {
      this.#greeted.add(last);
      last.accept();
      last.hello();
    }
    if (last.commands.some(({ type }) => type === "subscribe")) last.send(bboFrame);
  }
}

/** From a moment on until it is met, in steps; fails when it is not within the bound. */
function timeUntil(network: Network, isMet: () => boolean, boundMs: number, stepMs: number) {
  let passed = 0;
  while (!isMet() && passed <= boundMs) {
    network.pass(stepMs, stepMs);
    passed += stepMs;
  }
  expect(isMet(), `seed ${SEED}: not within ${boundMs} ms`).toBe(true);
  return passed;
}

describe("a stream", () => {
  test("finds a network that swallows everything within 20 s, at whatever moment it begins", () => {
    const random = createRandom(SEED);
    for (let trial = 0; trial < TRIALS; trial++) {
      const network = new Network(createStreamRig({ random }));
      const { service, stream } = network.rig;
      // Sometimes before hello or the first update; mostly amid a flow of them.
      const moment = random();
      if (moment < 0.1) service.last.accept();
      else network.pass(moment < 0.2 ? 100 : random() * 40_000, 250);
      network.state = "hole";
      const dead = service.last;
      timeUntil(network, () => dead.isOver, 20_500, 250);
      stream.close();
    }
  });

  test("is back within 31 s of the network, and after a short outage within two seconds mostly", () => {
    const random = createRandom(SEED);
    const short: number[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      const network = new Network(createStreamRig({ random }));
      const { events, stream } = network.rig;
      network.pass(35_000, 500);
      network.state = "down";
      const outageMs = random() < 0.5 ? random() * 5000 : random() * 300_000;
      network.pass(outageMs, 100);
      network.state = "up";
      events.length = 0;
      const isBack = () => events.some(({ type }) => type === "update");
      const tookMs = timeUntil(network, isBack, 31_000, 50);
      if (outageMs < 5000) short.push(tookMs);
      stream.close();
    }
    expect(short.length).toBeGreaterThan(TRIALS / 4);
    expect(short.sort((a, b) => a - b)[short.length >> 1]).toBeLessThanOrEqual(2000);
  });

  test("receives a service that was restarted and counts from the beginning, from its first update on", () => {
    const { service, clock, takeEvents } = openStreamRig([BOOK]);
    service.last.send(bookFrame(null, "18446744073709551000"));
    for (let restart = 1; restart <= 200; restart++) {
      service.last.end();
      clock.advance(60_000);
      service.last.accept();
      service.last.hello();
      takeEvents();
      service.last.send(bookFrame(null, "1"));
      service.last.send(bookFrame("1", `${1 + restart}`));
      expect(takeEvents()).toEqual([`first ${BOOK} 1`, `update ${BOOK} ${1 + restart}`]);
    }
  });
});
