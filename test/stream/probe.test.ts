// Three questions about a silent channel: is it quiet, was it lost, is the service unable to say?
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import type { Script } from "../support/scripted-service.ts";
import { runs } from "../support/soak.ts";
import { bookFrame, openStreamRig } from "../support/stream-rig.ts";

const book = "orderbook/perp/1";
const twenty = Array.from({ length: 20 }, (_, i) => `orderbook/perp/${i + 1}`);

function createRig(channels: readonly string[] = [book], script: Script = {}) {
  const rig = openStreamRig(channels, {}, script);
  for (const channel of channels) rig.service.last.send(bookFrame(null, "10", channel));
  rig.service.last.takeCommands();
  rig.takeEvents();
  return rig;
}

describe("a channel that falls silent", () => {
  test("is asked after half a minute, and is quiet when the service answers 409", () => {
    const { service, clock, takeEvents } = createRig();
    clock.advance(29_000);
    expect(service.last.takeCommands()).toEqual([]);
    clock.advance(2000);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
    service.last.error(409, book);
    clock.advance(20_000);
    expect(takeEvents()).toEqual([`probing ${book}`, `confirmed ${book}`]);
  });

  test("is not asked again within five minutes, whatever it does", () => {
    const { service, clock } = createRig();
    let asked = 0;
    for (let s = 0; s < 3600; s++) {
      clock.advance(1000);
      for (const command of service.last.takeCommands()) {
        expect(command).toBe(`subscribe ${book}`);
        asked++;
        service.last.error(409, book);
      }
      if (s % 97 === 0) service.last.send(bookFrame(`${10 + s / 97}`, `${11 + s / 97}`));
    }
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThanOrEqual(12);
  });

  test("was lost when the second subscribe is honoured: it is fetched whole again, at once", () => {
    const { service, clock, takeEvents } = createRig();
    clock.advance(31_000);
    service.last.takeCommands();
    service.last.send(bookFrame(null, "20"));
    expect(takeEvents()).toEqual([`probing ${book}`, `lost ${book}`, `resync ${book}`]);
    clock.advance(0);
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${book}`]);
    service.last.unsubscribed(book);
    service.last.send(bookFrame(null, "21"));
    expect(takeEvents()).toEqual([`subscribing ${book}`, `first ${book} 21`]);
  });

  test("was lost when no error comes, even though what came says nothing new", () => {
    const { service, clock, takeEvents } = createRig();
    clock.advance(31_000);
    service.last.send(bookFrame("9", "10"));
    clock.advance(10_000);
    expect(takeEvents()).toEqual([
      `probing ${book}`,
      `update ${book} 10`,
      `lost ${book}`,
      `resync ${book}`,
    ]);
  });

  test("has spoken for itself when the next update follows the last one", () => {
    const { service, clock, takeEvents } = createRig();
    clock.advance(31_000);
    service.last.send(bookFrame("10", "11"));
    service.last.error(409, book);
    clock.advance(20_000);
    expect(takeEvents()).toEqual([`probing ${book}`, `update ${book} 11`]);
  });

  test.each([503, 404, 400])("follows the service's word when the answer is %i", (code) => {
    const { service, clock, takeEvents } = createRig();
    clock.advance(31_000);
    service.last.error(code, book);
    expect(takeEvents().at(-1)).toMatch(code === 503 ? /^unavailable/ : /^refused/);
  });

  test("is asked one at a time", () => {
    const { service, clock } = createRig(twenty);
    clock.advance(35_000);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
    service.last.error(409, book);
    clock.advance(1000);
    expect(service.last.takeCommands()).toEqual(["subscribe orderbook/perp/2"]);
  });

  test("that never spoke is asked after ten seconds", () => {
    const { service, clock, takeEvents } = openStreamRig([book]);
    clock.advance(11_000);
    service.last.error(409, book);
    service.last.send(bookFrame(null, "1"));
    expect(takeEvents()).toEqual([
      `subscribing ${book}`,
      `probing ${book}`,
      `confirmed ${book}`,
      `first ${book} 1`,
    ]);
  });
});

describe("asking stops for good", () => {
  /** The connection ends behind an answer, and the next one has the book again. */
  function reconnect({ service, clock }: ReturnType<typeof createRig>): void {
    clock.advance(1000);
    service.last.end();
    clock.advance(60_000);
    service.last.accept();
    service.last.hello();
    service.last.send(bookFrame(null, "10"));
  }

  test("when connections end after the answer, twice", () => {
    const rig = createRig();
    const { service, clock, events } = rig;
    for (let i = 0; i < 2; i++) {
      clock.advance(31_000);
      service.last.error(409, book);
      reconnect(rig);
    }
    const count = events.filter(({ type }) => type === "probing").length;
    expect(events.some(({ type }) => type === "probing-off")).toBe(true);
    clock.advance(400_000);
    expect(events.filter(({ type }) => type === "probing").length).toBe(count);
  });

  test("but not when connections end behind an answer by chance, after others that were borne", () => {
    const rig = createRig();
    const { service, clock, events } = rig;
    for (let i = 0; i < 3; i++) {
      for (const silentMs of [31_000, 301_000, 301_000]) {
        clock.advance(silentMs);
        service.last.error(409, book);
      }
      reconnect(rig);
    }
    expect(events.filter(({ type }) => type === "confirmed").length).toBe(9);
    expect(events.some(({ type }) => type === "probing-off")).toBe(false);
  });

  test("when the service never answers a second subscribe", () => {
    const { service, clock, events } = createRig([book, "orderbook/perp/2"]);
    service.last.takeCommands();
    for (let s = 0; s < 1200; s++) {
      clock.advance(1000);
      for (const each of service.last.takeCommands()) {
        const [type, channel = ""] = each.split(" ");
        if (type === "unsubscribe") service.last.unsubscribed(channel);
      }
    }
    const off = events.filter((event) => event.type === "probing-off");
    expect(off).toMatchObject([{ reason: expect.stringContaining("never answered") }]);
  });
});

/** Books that change now and then, or not at all; the service keeps to the document, and can lose a subscription. */
function createBooks(channels: readonly string[]) {
  const sequences = new Map(channels.map((channel) => [channel, 10]));
  const rig = createRig(channels, {
    isByHand: true,
    answer: (channel) => [bookFrame(null, `${sequences.get(channel)}`, channel)],
  });
  const { clock, service } = rig;
  const held = service.last.channels;
  for (const channel of channels) held.add(channel);
  return {
    ...rig,
    lose: (channel: string) => held.delete(channel),
    /** A second passes: books that move are published, then commands are answered. */
    second(moves: (channel: string) => boolean): void {
      clock.advance(1000);
      for (const [channel, sequence] of sequences) {
        if (!moves(channel)) continue;
        sequences.set(channel, sequence + 1);
        const frame = bookFrame(`${sequence}`, `${sequence + 1}`, channel);
        if (held.has(channel)) service.last.send(frame);
      }
      for (const command of service.last.commands.splice(0)) service.obey(service.last, command);
    },
  };
}

test("one frozen channel of twenty is found lost within 35 s, the others are left alone", () => {
  const random = createRandom(3);
  for (let trial = 0; trial < runs(10, 50); trial++) {
    const { clock, events, lose, second } = createBooks(twenty);
    const frozen = twenty[Math.floor(random() * twenty.length)] ?? "";
    for (let s = 0; s < 5; s++) second(() => true);
    lose(frozen);
    const from = clock.now();
    for (let s = 0; s < 40; s++) second((channel) => channel !== frozen);
    const lost = events.filter((event) => event.type === "lost");
    expect(lost.map((event) => "channel" in event && event.channel)).toEqual([frozen]);
    expect((lost[0]?.atMs ?? 0) - from).toBeLessThanOrEqual(35_000);
  }
});

test("a day of a quiet market brings no gap, no loss and no resync", () => {
  const { events, second } = createBooks(twenty);
  const random = createRandom(4);
  for (let s = 0; s < 86_400; s++) second(() => random() < 0.002);
  const alarms = events.filter(({ type }) =>
    /gap|lost|resync|probing-off|service-error/.test(type),
  );
  expect(alarms).toEqual([]);
  const asked = events.filter(({ type }) => type === "probing").length;
  expect(asked).toBeLessThanOrEqual(20 * 289);
});
