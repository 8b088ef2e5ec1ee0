import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openEarlyStream } from "../../src/stream/early-stream.ts";
import { createRandom } from "../../src/units/random.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { bookFrame, createStreamRig } from "../support/stream-rig.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const book = "orderbook/perp/1";
const bbo = "bbo/perp/1";
const tolerates = () => false;

function createEarly(channels: readonly string[] = [book]) {
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const early = openEarlyStream(
    { openSocket: service.connect, clock, random: createRandom(7) },
    channels,
  );
  return { clock, service, early };
}

type Rig = Pick<ReturnType<typeof createEarly>, "clock" | "service">;

/** What a service may do, and time. */
const STEPS: Readonly<Record<string, (rig: Rig, step: number) => void>> = {
  accept: ({ service }) => service.last.accept(),
  hello: ({ service }) => service.last.hello(),
  book: ({ service }, step) => service.last.send(bookFrame(`${step}`, `${step + 1}`)),
  gap: ({ service }, step) => service.last.send(bookFrame(`${step + 7}`, `${step + 8}`)),
  error: ({ service }) => service.last.error(503, book),
  end: ({ service }) => service.last.end(),
  second: ({ clock }) => clock.advance(1000),
};

describe("a stream that is opened early", () => {
  test("brings the same events in the same order, whenever it is taken", async () => {
    const steps = fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 16 }), async (names, takenAfter) => {
        const { early, ...rig } = createEarly();
        const direct = createStreamRig();
        direct.stream.subscribe(book);
        direct.stream.open();
        const received: StreamEvent[] = [];
        early.stream.subscribe(book);
        for (const [step, name] of ["accept", "hello", ...names].entries()) {
          if (step === takenAfter) {
            expect(received).toEqual([]);
            early.take((event) => received.push(event), tolerates);
            expect(received).toEqual([]);
            await Promise.resolve();
          }
          STEPS[name]?.(rig, step);
          STEPS[name]?.(direct, step);
        }
        if (names.length + 2 <= takenAfter) early.take((event) => received.push(event), tolerates);
        await Promise.resolve();
        expect(received).toEqual(direct.events);
        early.stream.close();
        direct.stream.close();
      }),
    );
  });

  test("has what its events bring about behind those that wait", async () => {
    const { early, service } = createEarly([book]);
    service.last.accept();
    service.last.hello();
    const received: string[] = [];
    early.take((event) => {
      if (received.length === 0) early.stream.subscribe(bbo);
      received.push(event.type === "subscribing" ? event.channel : event.type);
    }, tolerates);
    await Promise.resolve();
    expect(received.indexOf(bbo)).toBeGreaterThan(received.indexOf(book));
    expect(received.indexOf(bbo)).toBe(received.length - 1);
  });

  test("gives its subscriptions back once it is taken; what is in use by then goes on", async () => {
    const { early, service } = createEarly([book, bbo]);
    service.last.accept();
    service.last.hello();
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`, `subscribe ${bbo}`]);
    early.take(() => {}, tolerates);
    early.stream.subscribe(bbo);
    await Promise.resolve();
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${book}`]);
  });

  test("is ended where nobody has taken it, and left alone where somebody has", () => {
    const left = createEarly();
    left.service.last.accept();
    left.early.close();
    expect(left.early.stream.link.state).toBe("closed");
    const taken = createEarly();
    taken.service.last.accept();
    taken.early.take(() => {}, tolerates);
    taken.early.close();
    expect(taken.early.stream.link.state).toBe("open");
  });
});
