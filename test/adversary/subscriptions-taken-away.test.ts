// `unsubscribed` is sent in connection with an unsubscribe command; nothing says that it is sent for nothing else, nor when.
import { describe, expect, test } from "vitest";
import { book, openChainRig, PERP } from "../support/chain-rig.ts";

const levels = book([[99, 1]], [[101, 1]]);

function open() {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, "10"], levels);
  rig.service.last.takeCommands();
  const end = () => rig.service.last.unsubscribed(PERP.book);
  return { ...rig, end };
}

/** Seconds until the client has sent this command. */
function secondsUntil(rig: ReturnType<typeof open>, command: string): number {
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 100) {
    if (rig.service.last.takeCommands().includes(command)) return waitedMs / 1000;
    rig.clock.advance(100);
  }
  return Number.POSITIVE_INFINITY;
}

describe("a subscription that the service ends by itself", () => {
  test("makes the pane `resync` at once, is told and counted, and is subscribed again", () => {
    const rig = open();
    rig.end();
    expect(rig.state(PERP.book)).toBe("resync");
    expect(rig.takeLines().map(({ event, detail }) => [event, detail])).toEqual([
      ["lost", "the service ended the subscription without being asked"],
      ["resync", "the service ended the subscription without being asked"],
    ]);
    expect(rig.feed(PERP.book)).toMatchObject({ gaps: 1, resyncs: 1 });
    expect(rig.store.log.lines.map(({ what }) => what)).toContain("lost");
    rig.clock.advance(0);
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.book}`]);
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.state(PERP.book)).toBe("live");
  });

  test("is subscribed ever later when that repeats", () => {
    const rig = open();
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      rig.end();
      waits.push(secondsUntil(rig, `subscribe ${PERP.book}`));
      rig.say(PERP.book, [null, `${20 + i}`], levels);
    }
    expect(waits[0]).toBeLessThanOrEqual(0.1);
    for (let i = 1; i < 6; i++) expect(waits[i]).toBeGreaterThanOrEqual(2 ** (i - 2));
  });

  test("before its first update is subscribed again, too", () => {
    const rig = openChainRig([PERP.book]);
    rig.service.last.takeCommands();
    rig.service.last.unsubscribed(PERP.book);
    expect(rig.takeTold()).toEqual(["lost", "resync"]);
    rig.clock.advance(0);
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.book}`]);
  });

  test("but stands all the same, and says so by 409, is ended for sure before it is shown again", () => {
    const rig = open();
    rig.end();
    rig.clock.advance(0);
    rig.service.last.takeCommands();
    rig.service.last.error(409, PERP.book);
    expect(rig.service.last.takeCommands()).toEqual([`unsubscribe ${PERP.book}`]);
    rig.end();
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.state(PERP.book)).toBe("live");
  });
});

describe("an unsubscribe that is answered late", () => {
  /** The client has fetched the channel anew without an answer, and subscribed again. */
  function openUnanswered() {
    const rig = open();
    rig.live.stream.resync(PERP.book, "asked for");
    rig.clock.advance(2001);
    expect(rig.service.last.takeCommands()).toEqual([
      `unsubscribe ${PERP.book}`,
      `subscribe ${PERP.book}`,
    ]);
    rig.takeTold();
    return rig;
  }

  test("before the first update ends nothing", () => {
    const rig = openUnanswered();
    rig.end();
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.takeTold()).toEqual([]);
    expect(rig.state(PERP.book)).toBe("live");
    expect(rig.service.last.takeCommands()).toEqual([]);
  });

  test("behind a first update leaves in doubt which subscription that was of: it is ended for sure", () => {
    const rig = openUnanswered();
    rig.say(PERP.book, [null, "20"], levels);
    rig.end();
    expect(rig.state(PERP.book)).toBe("resync");
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toEqual([`unsubscribe ${PERP.book}`]);
    rig.end();
    rig.say(PERP.book, [null, "30"], levels);
    expect(rig.state(PERP.book)).toBe("live");
  });

  test("twice, once for each of two, ends nothing in the end", () => {
    const rig = openUnanswered();
    rig.live.stream.resync(PERP.book, "asked for again");
    secondsUntil(rig, `unsubscribe ${PERP.book}`);
    rig.end();
    rig.end();
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.state(PERP.book)).toBe("live");
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.book}`]);
  });

  test("when nobody wants the channel any more, and somebody wants it again, ends nothing", () => {
    const rig = openChainRig([]);
    const release = rig.live.stream.subscribe(PERP.book);
    rig.say(PERP.book, [null, "10"], levels);
    release();
    rig.clock.advance(2001);
    rig.live.stream.subscribe(PERP.book);
    rig.service.last.unsubscribed(PERP.book);
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.takeTold()).toEqual([]);
    expect(rig.state(PERP.book)).toBe("live");
  });
});

describe("an unsubscribe that the service refuses, for it cannot be honoured now", () => {
  const change = book([[99, 2]], []);

  test("is sent again, and no change of the subscription that stands is taken for a first frame", () => {
    for (const channel of [PERP.book, undefined]) {
      const rig = open();
      rig.live.stream.resync(PERP.book, "asked for");
      rig.clock.advance(0);
      expect(rig.service.last.takeCommands()).toEqual([`unsubscribe ${PERP.book}`]);
      rig.service.last.error(503, channel);
      expect(rig.state(PERP.book)).toBe("offline");
      rig.say(PERP.book, [null, "20"], change);
      expect(secondsUntil(rig, `unsubscribe ${PERP.book}`)).toBeLessThan(2);
      rig.end();
      expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.book}`]);
      rig.say(PERP.book, [null, "30"], levels);
      expect(rig.state(PERP.book)).toBe("live");
      expect(rig.slice("orderbook", PERP.book).data.depth()).toEqual(levels.orderbook);
    }
  });

  test("is sent again where an error may have been about another command", () => {
    const rig = open();
    rig.live.stream.subscribe(PERP.stats);
    rig.live.stream.resync(PERP.book, "asked for");
    rig.clock.advance(0);
    rig.service.last.error(503);
    rig.service.last.takeCommands();
    expect(secondsUntil(rig, `unsubscribe ${PERP.book}`)).toBeLessThan(5);
    rig.say(PERP.book, [null, "20"], change);
    expect(rig.state(PERP.book)).not.toMatch(/live|quiet/);
    rig.end();
    rig.say(PERP.book, [null, "30"], levels);
    expect(rig.state(PERP.book)).toBe("live");
  });
});

test("a 409 behind a first frame says that it was a change of an older subscription, which is ended", () => {
  const rig = open();
  rig.live.stream.resync(PERP.book, "asked for");
  // No answer to the unsubscribe comes, and then a subscribe is sent.
  rig.clock.advance(2001);
  rig.service.last.takeCommands();
  rig.say(PERP.book, [null, "20"], book([[99, 2]], []));
  rig.service.last.error(409, PERP.book);
  expect(rig.state(PERP.book)).toBe("resync");
  expect(secondsUntil(rig, `unsubscribe ${PERP.book}`)).toBeLessThan(5);
});

test("an answer that comes twice, right behind the first, ends nothing", () => {
  const rig = open();
  rig.live.stream.resync(PERP.book, "asked for");
  rig.clock.advance(0);
  rig.end();
  rig.end();
  rig.say(PERP.book, [null, "20"], levels);
  expect(rig.takeTold()).toEqual(["resync"]);
  expect(rig.state(PERP.book)).toBe("live");
});
