import { describe, expect, test } from "vitest";
import { bboFrame, bookFrame, createStreamRig, openStreamRig } from "../support/stream-rig.ts";

const book = "orderbook/perp/1";
const bbo = "bbo/perp/1";

/** The connection has ended: the next one is opened, and greeted. */
function reconnect({ service, clock }: ReturnType<typeof createStreamRig>): void {
  clock.advance(500);
  service.last.accept();
  service.last.hello();
}

describe("hello", () => {
  /** A connection that is open and has not been greeted. */
  function open() {
    const rig = createStreamRig();
    rig.stream.subscribe(book);
    rig.stream.open();
    rig.service.last.accept();
    return rig;
  }

  test("is waited for before the first command", () => {
    const { service, clock } = open();
    clock.advance(2900);
    expect(service.last.takeCommands()).toEqual([]);
    service.last.hello();
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
  });

  test("that never comes is not waited for longer than three seconds", () => {
    const { stream, service, clock } = open();
    clock.advance(3000);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
    service.last.hello();
    expect(service.last.takeCommands()).toEqual([]);
    expect(stream.link.protocolVersion).toBe(1);
  });

  test("of another protocol version is kept and the stream goes on", () => {
    const { stream, service } = open();
    service.last.hello(2);
    expect(stream.link.protocolVersion).toBe(2);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
  });
});

describe("subscriptions", () => {
  test("are asked for once, however many want them, and given back when the last one lets go", () => {
    const { stream, service, connect, takeEvents } = createStreamRig();
    const undo = [stream.subscribe(bbo), stream.subscribe(bbo)];
    connect();
    expect(service.last.takeCommands()).toEqual([`subscribe ${bbo}`]);
    undo[0]?.();
    undo[0]?.();
    expect(service.last.takeCommands()).toEqual([]);
    undo[1]?.();
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${bbo}`]);
    service.last.unsubscribed(bbo);
    expect(takeEvents()).toEqual([`subscribing ${bbo}`, `unsubscribed ${bbo}`]);
  });

  test("are over when nobody wants them while the connection is down, or when it ends before the answer", () => {
    const { stream, service, connect, takeEvents } = createStreamRig();
    connect();
    const leaveBook = stream.subscribe(book);
    const leaveBbo = stream.subscribe(bbo);
    leaveBook();
    takeEvents();
    service.last.end();
    expect(takeEvents()).toEqual([`unsubscribed ${book}`]);
    leaveBbo();
    expect(takeEvents()).toEqual([`unsubscribed ${bbo}`]);
  });

  test.each([true, false])(
    "wait for `unsubscribed` before they start again, for two seconds at the most (it comes: %j)",
    (comes) => {
      const { stream, service, clock, undo } = openStreamRig([bbo]);
      undo();
      stream.subscribe(bbo);
      expect(service.last.takeCommands()).toEqual([`subscribe ${bbo}`, `unsubscribe ${bbo}`]);
      clock.advance(1999);
      expect(service.last.takeCommands()).toEqual([]);
      if (comes) service.last.unsubscribed(bbo);
      else clock.advance(1);
      expect(service.last.takeCommands()).toEqual([`subscribe ${bbo}`]);
    },
  );

  test("drop updates that come while they end, and after", () => {
    const { service, takeEvents, undo } = openStreamRig([bbo]);
    service.last.send(bboFrame);
    undo();
    service.last.send(bboFrame);
    service.last.unsubscribed(bbo);
    service.last.send(bboFrame);
    expect(takeEvents()).toEqual([`subscribing ${bbo}`, `first ${bbo}`, `unsubscribed ${bbo}`]);
  });

  test("are replayed once on each new connection, and start with a first update again", () => {
    const rig = openStreamRig([bbo, book]);
    const { service, takeEvents } = rig;
    service.last.send(bboFrame);
    service.last.end();
    reconnect(rig);
    expect(service.last.takeCommands()).toEqual([`subscribe ${bbo}`, `subscribe ${book}`]);
    service.last.send(bboFrame);
    service.last.send(bookFrame("4", "5"));
    const asked = [`subscribing ${bbo}`, `subscribing ${book}`];
    expect(takeEvents()).toEqual([
      ...[...asked, `first ${bbo}`],
      ...[...asked, `first ${bbo}`, `first ${book} 5`],
    ]);
  });

  test("that nobody wants any more are not replayed", () => {
    const rig = openStreamRig([bbo]);
    const { service, undo } = rig;
    service.last.end();
    undo();
    reconnect(rig);
    expect(service.last.takeCommands()).toEqual([]);
  });

  test("that the service goes on sending are ended again, every ten seconds at the most", () => {
    const { service, clock, undo } = openStreamRig([bbo]);
    service.last.send(bboFrame);
    undo();
    clock.advance(2000);
    service.last.takeCommands();
    for (let second = 0; second < 25; second++) {
      service.last.send(bboFrame);
      clock.advance(1000);
    }
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${bbo}`, `unsubscribe ${bbo}`]);
  });

  test("refuse a name that is no channel before anything is sent", () => {
    const { stream } = createStreamRig();
    expect(() => stream.subscribe("orderbook/perp")).toThrow(RangeError);
  });
});

describe("sequence chain", () => {
  function startBook(options = {}) {
    const rig = openStreamRig([book], options);
    rig.service.last.send(bookFrame(null, "10"));
    rig.service.last.send(bookFrame("10", "12"));
    rig.service.last.takeCommands();
    rig.takeEvents();
    return rig;
  }

  test("that breaks leads to a resync: nothing is delivered until the channel is whole again", () => {
    const { service, clock, takeEvents } = startBook();
    service.last.send(bookFrame("14", "15"));
    expect(takeEvents()).toEqual([`gap ${book}`, `resync ${book}`]);
    clock.advance(0);
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${book}`]);
    service.last.send(bookFrame("15", "16"));
    service.last.unsubscribed(book);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
    service.last.send(bookFrame(null, "18"));
    service.last.send(bookFrame("18", "19"));
    expect(takeEvents()).toEqual([`subscribing ${book}`, `first ${book} 18`, `update ${book} 19`]);
  });

  test("that breaks again and again is repaired ever later", () => {
    const { service, clock } = startBook();
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      service.last.send(bookFrame("5000", "6000"));
      const from = clock.now();
      while (service.last.takeCommands().length === 0) clock.advance(50);
      waits.push(clock.now() - from);
      service.last.unsubscribed(book);
      service.last.takeCommands();
      service.last.send(bookFrame(null, "10"));
    }
    expect(waits[0]).toBeLessThanOrEqual(50);
    for (let i = 1; i < 6; i++) expect(waits[i]).toBeGreaterThanOrEqual(500 * 2 ** (i - 1));
  });

  test("that breaks twice a minute is repaired at once each time", () => {
    const { service, clock } = startBook();
    for (let i = 1; i < 20; i++) {
      service.last.send(bookFrame(`${i}000`, `${i}500`));
      clock.advance(50);
      expect(service.last.takeCommands()).toEqual([`unsubscribe ${book}`]);
      service.last.unsubscribed(book);
      service.last.takeCommands();
      service.last.send(bookFrame(null, `${i}600`));
      for (let s = 1; s < 30; s++) {
        clock.advance(1000);
        const sequence = i * 1000 + 600 + s;
        service.last.send(bookFrame(`${sequence - 1}`, `${sequence}`));
      }
    }
  });

  test("passes over late duplicates", () => {
    const { service, takeEvents } = startBook();
    service.last.send(bookFrame("10", "12"));
    service.last.send(bookFrame("12", "13"));
    expect(takeEvents()).toEqual([`late ${book}`, `update ${book} 13`]);
  });

  test("is repaired on demand, and passes over a first update without a number that comes again behind a late one", () => {
    const { stream, service, clock, takeEvents } = startBook();
    stream.resync(book, "asked for");
    clock.advance(0);
    expect(service.last.takeCommands()).toEqual([`unsubscribe ${book}`]);
    service.last.unsubscribed(book);
    expect(takeEvents()).toEqual([`resync ${book}`, `subscribing ${book}`]);
    const first = bookFrame(null, null);
    service.last.send(first);
    service.last.send(bookFrame("10", "12"));
    service.last.send(first);
    expect(takeEvents()).toEqual([`first ${book} null`, `late ${book}`, `late ${book}`]);
  });

  test("that breaks is only counted where each update is whole", () => {
    const { service, takeEvents } = startBook({ toleratesGaps: () => true });
    service.last.send(bookFrame("14", "15"));
    expect(takeEvents()).toEqual([`gap ${book}`, `update ${book} 15`]);
  });

  test("does not trust a first update that follows an unreadable message", () => {
    const { service, clock, takeEvents } = openStreamRig([book]);
    service.last.send('{"type":"update","channel":"orderbook/perp/1","timest');
    service.last.send(bookFrame("10", "12"));
    expect(takeEvents()).toEqual([`subscribing ${book}`, "rejected undefined", `resync ${book}`]);
    clock.advance(0);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`, `unsubscribe ${book}`]);
  });

  test("is fetched again after an unreadable message, where no number would show that it held an update", () => {
    const garbage = `{"type":"update","channel":"${book}","timestamp_ns":7}`;
    for (const [first, next, expected] of [
      [bookFrame(null, "12"), bookFrame("12", "13"), [`update ${book} 13`]],
      [{ ...bookFrame(null, "12"), sequence: null }, undefined, [`resync ${book}`]],
    ] as const) {
      const { service, takeEvents } = openStreamRig([book]);
      service.last.send(first);
      takeEvents();
      service.last.send(garbage);
      if (next !== undefined) service.last.send(next);
      expect(takeEvents()).toEqual([`rejected ${book}`, ...expected]);
    }
  });
});

describe("drift", () => {
  test("is counted each time and described the first time", () => {
    const { service, events } = openStreamRig([bbo]);
    service.last.send({ ...bboFrame, shard: 3 });
    service.last.send({ ...bboFrame, shard: 3 });
    const drifts = events.flatMap((event) => (event.type === "drift" ? [event.drifts] : []));
    expect(drifts.map((list) => list.length)).toEqual([1, 0]);
    expect(drifts[0]?.[0]?.detail).toContain("shard");
    expect(events.filter(({ type }) => type === "update").length).toBe(2);
  });
});

test("a closed stream sends nothing, tells nothing and leaves no timer behind", () => {
  const { stream, service, clock, events } = openStreamRig([book]);
  service.last.send(bookFrame(null, "10"));
  service.last.send(bookFrame("11", "12"));
  events.length = 0;
  stream.close();
  service.last.takeCommands();
  clock.advance(3_600_000);
  expect(service.last.takeCommands()).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(["link"]);
  expect(clock.pending).toBe(0);
});
