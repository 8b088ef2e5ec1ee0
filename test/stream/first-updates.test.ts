// An update that only follows another is not the first of a subscription.
import { describe, expect, test } from "vitest";
import { createDecoder, type ReceivedUpdate } from "../../src/protocol/decode.ts";
import { FirstUpdates } from "../../src/stream/first-updates.ts";
import { bookFrame, createStreamRig } from "../support/stream-rig.ts";

const BOOK = "orderbook/perp/1";
const OTHER = "orderbook/perp/2";

function received(frame: object): ReceivedUpdate {
  const decoded = createDecoder(false).decode(JSON.stringify(frame));
  if (!decoded.ok || decoded.received.type !== "update") throw new Error("no update");
  return decoded.received;
}

const anew = received(bookFrame(null, "5"));
const self = received(bookFrame("5", "5"));
const following = received(bookFrame("5", "6"));

describe("first updates of a channel kind", () => {
  test("are taken as they come where none of them has ever begun anew", () => {
    const firsts = new FirstUpdates();
    expect([1, 2, 3].map(() => firsts.mayBegin(following))).toEqual([true, true, true]);
  });

  test("do not follow others where one of them has begun anew", () => {
    const firsts = new FirstUpdates();
    const all = [anew, following, self, following, anew];
    expect(all.map((each) => firsts.mayBegin(each))).toEqual([true, false, true, false, true]);
  });

  test("are taken as they come, for good, where eight in a row follow others", () => {
    const firsts = new FirstUpdates();
    firsts.mayBegin(anew);
    const taken = Array.from({ length: 9 }, () => firsts.mayBegin(following));
    expect(taken).toEqual([...Array(7).fill(false), true, true]);
    firsts.mayBegin(anew);
    expect(firsts.mayBegin(following)).toBe(true);
  });
});

describe("a subscription whose first update does not come", () => {
  /** One book has begun anew, so that it is known what first updates look like. */
  function open() {
    const rig = createStreamRig();
    rig.connect();
    rig.stream.subscribe(OTHER);
    rig.service.last.say(bookFrame(null, "1", OTHER));
    rig.stream.subscribe(BOOK);
    rig.takeEvents();
    return rig;
  }

  test("takes the one behind a late update of before", () => {
    const { service, takeEvents } = open();
    service.last.say(bookFrame("5", "6"));
    expect(takeEvents()).toEqual([]);
    service.last.say(bookFrame(null, "8"));
    expect(takeEvents()).toEqual([`first ${BOOK} 8`]);
  });

  test("takes none without a number behind one of before: nothing says what it holds", () => {
    const { service, takeEvents } = open();
    service.last.say(bookFrame("5", "6"));
    service.last.say(bookFrame(null, null));
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });

  test("shows nothing again that came before, behind a first one without a number", () => {
    const { service, takeEvents, clock } = open();
    service.last.say(bookFrame("5", "6"));
    service.last.say(bookFrame("6", "7"));
    clock.advance(1);
    service.last.unsubscribed(BOOK);
    service.last.say(bookFrame(null, null));
    takeEvents();
    service.last.say(bookFrame("6", "7"));
    expect(takeEvents()).toEqual([`late ${BOOK}`]);
  });

  test("begins again when another update follows, and none is shown", () => {
    const { service, takeEvents } = open();
    service.last.say(bookFrame("5", "6"));
    service.last.say(bookFrame("6", "7"));
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });

  test("begins again after a second in which nothing else comes", () => {
    const { service, takeEvents, clock } = open();
    service.last.say(bookFrame("5", "6"));
    clock.advance(999);
    expect(takeEvents()).toEqual([]);
    clock.advance(1);
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });
});
