// An update that only follows another is not the first of a subscription.
import { describe, expect, test } from "vitest";
import { SnapshotPolicy } from "../../src/stream/snapshot-policy.ts";
import { createDecoder, type ReceivedUpdate } from "../../src/wire/decode.ts";
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
const tradesAnew = received({
  type: "update",
  channel: "trades/perp/1",
  timestamp_ns: "1000",
  previous_sequence: null,
  sequence: "5",
  trades: [],
});

describe("first updates of a channel kind", () => {
  test("are taken as they come where none of them has ever begun anew", () => {
    const policy = new SnapshotPolicy();
    expect([1, 2, 3].map(() => policy.mayBegin(following, "soon"))).toEqual([true, true, true]);
  });

  test("do not follow others where one of them has begun anew", () => {
    const policy = new SnapshotPolicy();
    const all = [anew, following, self, following, anew];
    expect(all.map((each) => policy.mayBegin(each, "soon"))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("are taken as they come, for good, where four subscriptions in a row begin with one that follows", () => {
    const policy = new SnapshotPolicy();
    policy.mayBegin(anew, "soon");
    const taken = Array.from({ length: 5 }, () => policy.mayBegin(following, "soon"));
    expect(taken).toEqual([false, false, false, true, true]);
    policy.mayBegin(anew, "soon");
    expect(policy.mayBegin(following, "soon")).toBe(true);
  });

  test("are suspect once of a kind that has not been seen, where those of another have begun anew", () => {
    const policy = new SnapshotPolicy();
    policy.mayBegin(tradesAnew, "soon");
    expect([1, 2, 3].map(() => policy.mayBegin(following, "soon"))).toEqual([false, true, true]);
  });

  test("are suspect once where they come long after the subscribe, though none has been seen at all", () => {
    const policy = new SnapshotPolicy();
    expect([1, 2, 3].map(() => policy.mayBegin(following, "tardy"))).toEqual([false, true, true]);
  });

  test("are never what follows one that was no first update itself", () => {
    const policy = new SnapshotPolicy();
    policy.mayBegin(anew, "soon");
    for (let i = 0; i < 3; i++) {
      expect(policy.mayBegin(following, "soon")).toBe(false);
      expect(policy.mayBegin(following, "behind")).toBe(false);
    }
    expect(policy.mayBegin(following, "soon")).toBe(true);
  });
});

describe("a subscription whose first update does not come", () => {
  /** One book has begun anew, so that it is known what first updates look like. */
  function open() {
    const rig = createStreamRig();
    rig.connect();
    rig.stream.subscribe(OTHER);
    rig.service.last.send(bookFrame(null, "1", OTHER));
    rig.stream.subscribe(BOOK);
    rig.takeEvents();
    return rig;
  }

  test("takes the one behind a late update of before", () => {
    const { service, takeEvents } = open();
    service.last.send(bookFrame("5", "6"));
    expect(takeEvents()).toEqual([]);
    service.last.send(bookFrame(null, "8"));
    expect(takeEvents()).toEqual([`first ${BOOK} 8`]);
  });

  test("takes none without a number behind one of before: nothing says what it holds", () => {
    const { service, takeEvents } = open();
    service.last.send(bookFrame("5", "6"));
    service.last.send(bookFrame(null, null));
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });

  test("shows nothing again that came before, behind a first one without a number", () => {
    const { service, takeEvents, clock } = open();
    service.last.send(bookFrame("5", "6"));
    service.last.send(bookFrame("6", "7"));
    clock.advance(1);
    service.last.unsubscribed(BOOK);
    service.last.send(bookFrame(null, null));
    takeEvents();
    service.last.send(bookFrame("6", "7"));
    expect(takeEvents()).toEqual([`late ${BOOK}`]);
  });

  test("begins again when another update follows, and none is shown", () => {
    const { service, takeEvents } = open();
    service.last.send(bookFrame("5", "6"));
    service.last.send(bookFrame("6", "7"));
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });

  test("begins again when one that follows another comes after two seconds, though none is known", () => {
    const { service, stream, takeEvents, clock, connect } = createStreamRig();
    connect();
    stream.subscribe(BOOK);
    clock.advance(2001);
    service.last.send(bookFrame("5", "6"));
    service.last.send(bookFrame("6", "7"));
    expect(takeEvents().filter((event) => /first|resync/.test(event))).toEqual([`resync ${BOOK}`]);
  });

  test("begins again after a second in which nothing else comes", () => {
    const { service, takeEvents, clock } = open();
    service.last.send(bookFrame("5", "6"));
    clock.advance(999);
    expect(takeEvents()).toEqual([]);
    clock.advance(1);
    expect(takeEvents()).toEqual([`resync ${BOOK}`]);
  });
});
