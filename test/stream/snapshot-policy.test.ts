// An update that only follows another is not the first of a subscription.
import { describe, expect, test } from "vitest";
import { SnapshotPolicy } from "../../src/stream/snapshot-policy.ts";
import { received } from "../support/market-feed.ts";
import { bookFrame, openStreamRig } from "../support/stream-rig.ts";

const BOOK = "orderbook/perp/1";
const OTHER = "orderbook/perp/2";

const anew = received(bookFrame(null, "5"));
const self = received(bookFrame("5", "5"));
const following = received(bookFrame("5", "6"));
const trades = received({
  type: "update",
  channel: "trades/perp/1",
  timestamp_ns: "1000",
  previous_sequence: null,
  sequence: "5",
  trades: [],
});
const UPDATES = { anew, self, following, trades };

describe("first updates of a channel kind", () => {
  /** First updates in turn, and which of them are taken. */
  test.each([
    [
      "are taken as they come where none of them has ever begun anew",
      "following following following",
      [true, true, true],
    ],
    [
      "do not follow others where one of them has begun anew",
      "anew following self following anew",
      [true, false, true, false, true],
    ],
    [
      "are taken as they come, for good, where four subscriptions in a row begin with one that follows",
      "anew following following following following following anew following",
      [true, false, false, false, true, true, true, true],
    ],
    [
      "are suspect once of a kind that has not been seen, where those of another have begun anew",
      "trades following following following",
      [true, false, true, true],
    ],
    [
      "are suspect once where they come long after the subscribe, though none has been seen at all",
      "following:tardy following:tardy following:tardy",
      [false, true, true],
    ],
    [
      "are never what follows one that was no first update itself",
      "anew following following:behind following following:behind following following:behind following",
      [true, false, false, false, false, false, false, true],
    ],
  ])("%s", (_, updates, taken) => {
    const policy = new SnapshotPolicy();
    const mayBegin = (each: string) => {
      const [name, place = "soon"] = each.split(":");
      return policy.mayBegin(UPDATES[name as keyof typeof UPDATES], place as "soon");
    };
    expect(updates.split(" ").map(mayBegin)).toEqual(taken);
  });
});

describe("a subscription whose first update does not come", () => {
  /** One book has begun anew, so that it is known what first updates look like. */
  function open() {
    const rig = openStreamRig([OTHER]);
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
    const { service, takeEvents, clock } = openStreamRig([BOOK]);
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
