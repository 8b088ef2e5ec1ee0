// Errors that do not say which channel they mean: none is ever blamed on the wrong one, and every channel
// still ends where the service wants it.
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import type { Peer } from "../support/scripted-service.ts";
import { runs } from "../support/soak.ts";
import { bookFrame, openStreamRig } from "../support/stream-rig.ts";

const CHANNELS = ["orderbook/perp/1", "orderbook/perp/2", "orderbook/perp/3", "orderbook/perp/4"];
type Verdict = "honoured" | 404 | 503;

/** Answers commands; half of its errors do not name their channel. */
class MumblingService {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly #held = new Set<string>();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    const pick = (): Verdict => (random() < 0.4 ? "honoured" : random() < 0.5 ? 404 : 503);
    this.verdicts = new Map(CHANNELS.map((channel) => [channel, pick()]));
  }

  answer(connection: Peer): void {
    // In any order: nothing says that answers come in the order of the commands.
    const commands = connection.takeCommands();
    if (this.#random() < 0.5) commands.reverse();
    for (const command of commands) this.#obey(command, connection);
  }

  #obey(command: string, connection: Peer): void {
    const [type, channel = ""] = command.split(" ");
    if (type === "unsubscribe") {
      this.#held.delete(channel);
      connection.unsubscribed(channel);
    } else if (this.#held.has(channel)) this.#error(connection, 409, channel);
    else {
      const verdict = this.verdicts.get(channel) ?? 404;
      if (verdict === "honoured") {
        this.#held.add(channel);
        connection.send(bookFrame(null, "1", channel));
      } else this.#error(connection, verdict, channel);
    }
  }

  #error(connection: Peer, code: number, channel: string): void {
    connection.error(code, this.#random() < 0.5 ? channel : undefined);
  }
}

/** The service's word on each channel, as the stream received it: all of them, in order. */
function textOf(events: readonly StreamEvent[]): [channel: string, word: Verdict][] {
  return events.flatMap((event): [string, Verdict][] => {
    if (event.type === "refused") return [[event.channel, event.code as Verdict]];
    if (event.type === "unavailable") return [[event.channel, 503]];
    return event.type === "update" ? [[event.channel, "honoured"]] : [];
  });
}

/** Four minutes with a service that leaves the channel out of half of its errors. */
function playMumbling(seed: number) {
  const { stream, service, clock, events } = openStreamRig(CHANNELS);
  const mumbling = new MumblingService(createRandom(seed));
  for (let s = 0; s < 240; s++) {
    mumbling.answer(service.last);
    clock.advance(1000);
  }
  stream.close();
  return { received: textOf(events), verdicts: mumbling.verdicts };
}

describe("error frames without a channel", () => {
  test("are never blamed on another channel, and the service's word reaches each channel in the end", () => {
    for (let seed = 1; seed <= runs(200, 2000); seed++) {
      const { received, verdicts } = playMumbling(seed);
      expect([seed, received.filter(([channel, word]) => verdicts.get(channel) !== word)]).toEqual([
        seed,
        [],
      ]);
      expect([seed, new Map(received.sort())]).toEqual([seed, new Map(verdicts)]);
    }
  });

  test("of a duplicate are no news for anybody", () => {
    const { service, events } = openStreamRig(CHANNELS);
    for (const _ of CHANNELS) service.last.error(409);
    expect(events.filter(({ type }) => type === "service-error")).toEqual([]);
  });
});

/** An hour of 503 on one channel, while the other one lives. */
function playUnavailable(seed: number, away: string, well: string) {
  const rig = openStreamRig([away, well], { random: createRandom(seed) });
  const { service, clock } = rig;
  service.last.send(bookFrame(null, "1", well));
  let tries = 0;
  for (let s = 1; s <= 3600; s++) {
    service.last.send(bookFrame(`${s}`, `${s + 1}`, well));
    const asked = service.last.takeCommands().filter((command) => command === `subscribe ${away}`);
    for (const _ of asked) service.last.error(503, away);
    tries += asked.length;
    clock.advance(1000);
  }
  return { ...rig, tries };
}

test("a stream that is unavailable for an hour is tried at most 70 times, and is back within a minute", () => {
  const [away = "", well = ""] = CHANNELS;
  for (let seed = 1; seed <= runs(5, 20); seed++) {
    const { service, clock, takeEvents, tries } = playUnavailable(seed, away, well);
    expect(tries).toBeLessThanOrEqual(70);
    expect(takeEvents().filter((event) => event.startsWith(`update ${well}`)).length).toBe(3600);
    const from = clock.now();
    while (!service.last.takeCommands().includes(`subscribe ${away}`)) clock.advance(100);
    expect(clock.now() - from).toBeLessThanOrEqual(60_000);
  }
});
