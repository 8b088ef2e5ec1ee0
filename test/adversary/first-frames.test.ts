// A first snapshot may come in several frames, and what comes again may come behind what followed it.
import { expect, test } from "vitest";
import { book, openChainRig, PERP } from "../support/chain-rig.ts";

const bids = book([[99, 1]], []);
const asks = book([], [[101, 1]]);
const whole = book([[99, 1]], [[101, 1]]);
const depth = (rig: ReturnType<typeof openChainRig>) =>
  rig.slice("orderbook", PERP.book).data.depth();

test("the rest of a first snapshot whose beginning was doubted is never shown as all there is", () => {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, null], whole);
  for (let i = 0; i < 6; i++) {
    rig.live.stream.resync(PERP.book, "asked for");
    rig.resubscribe(PERP.book);
    const sequence = `${100 * (i + 1)}`;
    rig.say(PERP.book, [`${50 + i}`, sequence], bids);
    rig.say(PERP.book, [sequence, sequence], asks);
    const state = rig.state(PERP.book);
    if (state === "live") expect(depth(rig)).toEqual(whole.orderbook);
    else expect(state).toBe("resync");
  }
  // That this service's subscriptions begin so is learned.
  expect(rig.state(PERP.book)).toBe("live");
});

test("a frame without a number that comes again behind a numbered one changes nothing", () => {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, null], whole);
  const first = rig.say(PERP.book, [null, null], book([[99, 2]], []));
  rig.say(PERP.book, [null, "10"], book([[99, 3]], []));
  rig.takeTold();
  rig.service.last.send(first);
  expect(rig.takeTold()).toEqual(["repeat"]);
  expect(depth(rig).bids).toEqual(book([[99, 3]], []).orderbook.bids);
  rig.say(PERP.book, ["10", "11"], book([[99, 4]], []));
  expect(depth(rig).bids).toEqual(book([[99, 4]], []).orderbook.bids);
  expect(rig.feed(PERP.book)).toMatchObject({ gaps: 0, resyncs: 0 });
});

test.each<[what: string, ...numbers: (readonly [string | null, string | null])[]]>([
  ["a first frame", [null, null]],
  ["a change", [null, null], [null, null]],
  ["a first frame with a number", [null, "9"]],
])(
  "%s that comes again behind the next subscription's first frame changes nothing",
  (_, ...numbers) => {
    const rig = openChainRig([PERP.book]);
    const sent = numbers.map((pair, i) =>
      rig.say(PERP.book, pair, i === 0 ? whole : book([[99, 2]], []), `${5000 + i}`),
    );
    rig.live.stream.resync(PERP.book, "asked for");
    rig.resubscribe(PERP.book);
    rig.say(PERP.book, numbers[0] ?? [null, null], book([[99, 3]], [[101, 1]]), "6000");
    rig.takeTold();
    rig.service.last.send(sent.at(-1) ?? "");
    expect(rig.takeTold()).toEqual(["late"]);
    expect(depth(rig).bids).toEqual(book([[99, 3]], []).orderbook.bids);
  },
);

test("a change of the moment of a first frame is taken, although one with its words came before", () => {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, null], whole, "5000");
  rig.say(PERP.book, [null, null], book([[99, 2]], []), "6000");
  rig.live.stream.resync(PERP.book, "asked for");
  rig.resubscribe(PERP.book);
  rig.say(PERP.book, [null, null], book([[99, 3]], [[101, 1]]), "6000");
  rig.say(PERP.book, [null, null], book([[99, 2]], []), "6000");
  expect(depth(rig).bids).toEqual(book([[99, 2]], []).orderbook.bids);
});

// A server time orders nothing: what comes behind a first frame may have any.
test.each([
  ["names none", null],
  ["names another", "4"],
])(
  "a change with an earlier server time that %s, behind a first frame without a number, is never left out of a live pane",
  (_, previous) => {
    const rig = openChainRig([PERP.book]);
    for (let size = 1; rig.feed(PERP.book)?.resyncs !== 3; size++) {
      rig.say(PERP.book, [null, null], book([[99, size]], []), "5000");
      rig.say(PERP.book, [previous, `${4 + size}`], book([[99, size + 1]], []), "4999");
      expect(rig.state(PERP.book)).toBe("resync");
      rig.resubscribe(PERP.book);
    }
    rig.say(PERP.book, [null, null], book([[99, 8]], []), "5000");
    rig.say(PERP.book, [previous, "9"], book([[99, 9]], []), "4999");
    expect(rig.state(PERP.book)).toBe("live");
    expect(depth(rig).bids).toEqual(book([[99, 9]], []).orderbook.bids);
  },
);

test("a change with an earlier server time, of a count that begins anew, is never left out of a live pane", () => {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, "100"], book([[99, 1]], []), "5000");
  rig.say(PERP.book, ["4", "5"], book([[99, 2]], []), "4999");
  expect(rig.state(PERP.book)).toBe("resync");
  rig.resubscribe(PERP.book);
  rig.say(PERP.book, [null, "5"], book([[99, 2]], []), "6000");
  rig.say(PERP.book, ["5", "6"], book([[99, 3]], []), "5999");
  expect(rig.state(PERP.book)).toBe("live");
  expect(depth(rig).bids).toEqual(book([[99, 3]], []).orderbook.bids);
});

test("a number that names another, behind a first snapshot in several frames without one, is fetched anew: what it names may be lost", () => {
  const rig = openChainRig([PERP.book]);
  rig.say(PERP.book, [null, null], bids);
  rig.say(PERP.book, [null, null], asks);
  // A change with the number 50 was lost.
  rig.say(PERP.book, ["50", "60"], book([[98, 1]], []));
  expect(rig.state(PERP.book)).toBe("resync");
  rig.resubscribe(PERP.book);
  const now = book("98:1", "101:1 102:3");
  rig.say(PERP.book, [null, "60"], now);
  expect(rig.state(PERP.book)).toBe("live");
  expect(depth(rig)).toEqual(now.orderbook);
});
