// How many requests get through, on a clock that the test moves.
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openingBurst, RequestBudget } from "../../../src/listing/rest/request-budget.ts";
import { RestClient } from "../../../src/listing/rest/rest-client.ts";
import { httpAnswer, serveScript } from "../../support/scripted-http.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** Each request has one of its own: Node warns of more than ten who listen to one. */
const neverAborted = () => new AbortController().signal;
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

function open(perSecond = 2, burst = openingBurst(perSecond)) {
  const clock = createVirtualClock();
  const budget = new RequestBudget({ clock, perSecond, burst });
  const granted: number[] = [];
  const ask = (signal = neverAborted()) =>
    budget.take(signal).then(
      () => granted.push(clock.now()),
      () => {},
    );
  /** In steps of ten milliseconds: who is let through notes the time of the step. */
  const pass = async (ms: number) => {
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    for (let passed = 0; passed < ms; passed += 10) {
      clock.advance(Math.min(10, ms - passed));
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    }
  };
  return { clock, budget, granted, ask, pass };
}

test("of requests at any times no more than a burst and the rate get through in any span", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ waitMs: fc.nat(1500), count: fc.nat(6) }), { maxLength: 30 }),
      fc.constantFrom(0.5, 2, 5),
      async (steps, perSecond) => {
        const { pass, granted, ask } = open(perSecond);
        for (const { waitMs, count } of steps) {
          await pass(waitMs);
          for (let i = 0; i < count; i++) void ask();
        }
        await pass(10);
        const burst = openingBurst(perSecond);
        for (const [i, from] of granted.entries()) {
          for (const [j, until] of granted.slice(i).entries()) {
            const most = burst + (perSecond * (until - from)) / 1000;
            // Of a step nobody knows when in it they were let through.
            expect(j + 1).toBeLessThanOrEqual(Math.floor(most + (perSecond * 10) / 1000));
          }
        }
      },
    ),
  );
});

test("at two a second nine get through in the first second and thirteen in three", async () => {
  const { pass, granted, ask } = open();
  for (let i = 0; i < 50; i++) void ask();
  await pass(3000);
  expect(granted.filter((at) => at <= 1000)).toHaveLength(9);
  expect(granted).toHaveLength(13);
});

test("who has gone away is passed over, and nothing waits when nobody does", async () => {
  const { clock, pass, granted, ask } = open(2, 1);
  const gone = new AbortController();
  void ask();
  void ask(gone.signal);
  gone.abort();
  expect(clock.pending).toBe(0);
  void ask();
  await pass(500);
  expect(granted).toEqual([0, 500]);
});

test("every try of a request is counted, and what the service asks for in Retry-After is kept besides", async () => {
  const failing = await serveScript([
    httpAnswer(500, "no"),
    httpAnswer(429, "slow down", { "retry-after": "60" }),
    httpAnswer(200, "[]"),
  ]);
  const clock = createVirtualClock();
  const budget = new RequestBudget({ clock, perSecond: 0.1, burst: 1 });
  const client = new RestClient({ baseUrl: failing.baseUrl, clock, random: () => 0, budget });
  onTestFinished(() => client.close());
  const times: number[] = [];
  let isDone = false;
  const got = client.get("/markets/1/trades", {}, neverAborted()).then((body) => {
    isDone = true;
    return body.text;
  });
  while (!isDone) {
    await settle();
    if (failing.requests.length > times.length) times.push(clock.now());
    else if (times.length > 0) clock.advance(100);
  }
  expect(await got).toBe("[]");
  const [first = 0, second = 0, third = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(9900);
  expect(third - second).toBeGreaterThanOrEqual(60_000);
});
