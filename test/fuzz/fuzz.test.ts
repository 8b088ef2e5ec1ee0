// The fuzz: frames and REST bodies of every kind and none through decode and fold. Short here, a million frames and a
// hundred thousand bodies in `npm run soak`. MONITOR_SEED chooses others.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { accountViewJson } from "../../src/print/account-json.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { createRandom } from "../../src/units/random.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { isSoak, runs, SEED } from "../support/soak.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { anyFrame, hostile } from "./hostile-messages.ts";

const FRAMES = runs(2500, 1_000_000);
const _BODIES = runs(400, 100_000);
/** Between two messages: repeated faults make the program wait for up to half a minute. */
const STEP_MS = 300;
const PRINT_EVERY = 500;
/** Everything is capped: what is held when a tenth has come is about what is held in the end. */
const MAX_GROWTH_MIB = 48;
const MIB = 1024 * 1024;

const ADDRESS = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");
const all = [
  ...Object.values(channels),
  "market-stats/spot",
  `accounts/${ADDRESS}`,
  `account/${ADDRESS}/0`,
];

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const keysOfPrototypes = () => prototypes.map((each) => Reflect.ownKeys(each).length);

function heapMib(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / MIB;
}

function startSession() {
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const counts = { accepted: 0, rejected: 0 };
  const live = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(SEED),
    onEvent: ({ type }: StreamEvent) => {
      if (type === "rejected") counts.rejected++;
      else if (type === "update") counts.accepted++;
    },
  });
  for (const channel of all) live.stream.subscribe(channel);
  service.last.accept();
  service.last.hello();
  const scales = openScales(live.store, {});
  /** What was refused stays so until somebody asks: somebody does. */
  const askAgain = () => {
    const refused = live.store.slices.filter(({ feed }) => feed.phase === "refused");
    for (const { channel } of refused) live.stream.subscribe(channel)();
  };
  /** Plays the service: opens what was ended, and confirms what is left. */
  const answer = () => {
    if (service.last.isOver) clock.advance(40_000);
    if (!service.last.isAccepted) {
      service.last.accept();
      service.last.hello();
    }
    askAgain();
    for (const command of service.last.takeCommands()) {
      const [type, channel = ""] = command.split(" ");
      if (type === "unsubscribe") service.last.unsubscribed(channel);
    }
  };
  const print = () => {
    const account = { address: ADDRESS, subaccountId: "0" };
    const common = { store: live.store, account, nowMs: clock.now() };
    const scale = scales.of("perp/1");
    return [
      marketJson({ ...common, market, channels, interval: "1m", scale, wallMs: 0 }),
      accountViewJson({ ...common, scales }),
    ].map((printed) => JSON.stringify(printed));
  };
  return { clock, service, live, counts, answer, print };
}

describe("whatever comes", () => {
  test(`${FRAMES} frames from seed ${SEED} are folded or counted as rejected`, () => {
    const random = createRandom(SEED);
    const before = keysOfPrototypes();
    const { clock, service, live, counts, answer, print } = startSession();
    let heapEarly = 0;
    let slowestMs = 0;
    for (let i = 0; i < FRAMES; i++) {
      const text = hostile(random, anyFrame(random, all, i));
      const started = performance.now();
      service.last.send(text);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      clock.advance(STEP_MS);
      answer();
      if (i % PRINT_EVERY === 0) expect(print().every((each) => each.length < 16 * MIB)).toBe(true);
      if (i === FRAMES / 10) heapEarly = heapMib();
    }
    const growth = heapMib() - heapEarly;
    const counted = live.store.slices.reduce((sum, { feed }) => sum + feed.rejected, 0);
    expect(counted + live.store.counts.rejected).toBe(counts.rejected);
    expect(counts.rejected).toBeGreaterThan(FRAMES / 4);
    // Some are folded all the time, although a channel waits for its service after each gap, and all that is unseen is one.
    expect(counts.accepted).toBeGreaterThan(FRAMES / 40);
    expect(live.store.slices.length).toBe(all.length);
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(keysOfPrototypes()).toEqual(before);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    if (isSoak) {
      const facts = `${counts.accepted} accepted, ${counts.rejected} rejected, slowest ${slowestMs.toFixed(1)} ms`;
      process.stdout.write(`${FRAMES} frames: ${facts}, heap grew by ${growth.toFixed(1)} MiB\n`);
    }
    live.close();
  });
});
