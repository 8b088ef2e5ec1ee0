// An error frame may leave out its channel. Until something says which one it was about, none that it may be about is shown
// as live or quiet.
import { describe, expect, test } from "vitest";
import { book, openChainRig, PERP } from "../support/chain-rig.ts";

const levels = book([[99, 1]], [[101, 1]]);
const changed = book([[99, 2]], []);

/** Two books that are received, and all commands are answered. */
function open() {
  const rig = openChainRig([PERP.book, PERP.other]);
  rig.say(PERP.book, [null, "10"], levels);
  rig.say(PERP.other, [null, "11"], levels);
  rig.service.last.takeCommands();
  const states = () => [rig.state(PERP.book), rig.state(PERP.other)];
  return { ...rig, states };
}

describe("an unasked 503 that names no channel", () => {
  test("leaves no pane live or quiet, and says why", () => {
    const rig = open();
    rig.service.last.error(503);
    expect(rig.states()).toEqual(["stale", "stale"]);
    expect(rig.feed(PERP.book)?.reason).toBe("an error named no channel");
  });

  test("is over for a channel with its next frame; one is asked at a time", () => {
    const rig = open();
    rig.service.last.error(503);
    rig.say(PERP.other, ["11", "12"], changed);
    expect(rig.states()).toEqual(["stale", "live"]);
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.book}`]);
    rig.say(PERP.book, ["10", "13"], changed);
    expect(rig.states()).toEqual(["live", "live"]);
  });

  test("is not over with the 409 to a second subscribe: what was left out meanwhile is fetched anew", () => {
    const rig = open();
    rig.service.last.error(503);
    rig.say(PERP.other, ["11", "12"], changed);
    rig.clock.advance(1000);
    rig.service.last.takeCommands();
    rig.service.last.error(409);
    expect(rig.state(PERP.book)).toBe("resync");
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toEqual([`unsubscribe ${PERP.book}`]);
  });

  test("asks those first that have been silent for longest", () => {
    const rig = open();
    rig.clock.advance(500);
    rig.say(PERP.book, ["10", "12"], changed);
    rig.service.last.error(503);
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.other}`]);
  });

  test("is not over with a frame that was seen before", () => {
    const rig = open();
    const frame = rig.say(PERP.book, ["10", "12"], changed);
    rig.service.last.error(503);
    rig.service.last.send(frame);
    expect(rig.state(PERP.book)).toBe("stale");
  });

  test("is found to be about the channel that answers 503 again: it is offline, and the other is well", () => {
    const rig = open();
    rig.service.last.error(503);
    rig.clock.advance(1000);
    rig.service.last.error(503);
    rig.clock.advance(0);
    expect(rig.states()).toEqual(["offline", "stale"]);
    rig.say(PERP.other, ["11", "12"], changed);
    expect(rig.states()).toEqual(["offline", "live"]);
  });

  test("ends in a new subscription of a channel that answers nothing or begins anew", () => {
    const rig = open();
    rig.service.last.error(503);
    rig.clock.advance(1000);
    rig.say(PERP.book, [null, "20"], levels);
    expect(rig.state(PERP.book)).toBe("resync");
    rig.clock.advance(30_000);
    expect(rig.service.last.takeCommands()).toContain(`unsubscribe ${PERP.other}`);
  });

  test("is forgotten with its connection", () => {
    const rig = open();
    rig.service.last.error(503);
    rig.service.last.end();
    expect(rig.states()).toEqual(["offline", "offline"]);
  });
});

describe("an error that names no channel, while one command is unanswered", () => {
  /** One more channel is asked for, and nothing has come of it. */
  function openAsking() {
    const rig = open();
    rig.live.stream.subscribe(PERP.stats);
    rig.service.last.takeCommands();
    return rig;
  }

  /** The service has said 503 of it, the others have gone on since, and it is asked for again. */
  function openAskingAgain() {
    const rig = openAsking();
    rig.service.last.error(503);
    rig.say(PERP.other, ["11", "12"], changed);
    rig.say(PERP.book, ["10", "13"], changed);
    for (let passedMs = 0; rig.state(PERP.stats) === "offline" && passedMs < 5000; passedMs += 50) {
      rig.clock.advance(50);
    }
    return rig;
  }

  test("is its answer, and disturbs nobody else where it cannot have come unasked", () => {
    for (const code of [404, 400]) {
      const rig = openAsking();
      rig.service.last.error(code);
      expect(rig.state(PERP.stats)).toBe("refused");
      expect(rig.states()).toEqual(["live", "live"]);
    }
  });

  test("may have come unasked where it is a 503: no other pane is live until a frame proves it", () => {
    const rig = openAsking();
    rig.service.last.error(503);
    expect(rig.state(PERP.stats)).toBe("offline");
    expect(rig.states()).toEqual(["stale", "stale"]);
    rig.say(PERP.other, ["11", "12"], changed);
    expect(rig.states()).toEqual(["stale", "live"]);
    rig.say(PERP.book, ["10", "13"], changed);
    expect(rig.states()).toEqual(["live", "live"]);
  });

  test("costs the others nothing where it says 503 of a channel that was unavailable before", () => {
    const rig = openAskingAgain();
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.stats}`]);
    rig.service.last.error(503);
    expect(rig.state(PERP.stats)).toBe("offline");
    for (const state of rig.states()) expect(state).toMatch(/live|quiet/);
  });

  test("may have come unasked where it comes long after a command that was answered by 503 at once before", () => {
    const rig = openAskingAgain();
    rig.clock.advance(5000);
    rig.service.last.error(503);
    expect(rig.states()).toEqual(["stale", "stale"]);
  });

  test("may have come unasked where it is an unsubscribe of a channel that was unavailable before", () => {
    const rig = openAskingAgain();
    rig.service.last.error(409);
    expect(rig.service.last.takeCommands().at(-1)).toBe(`unsubscribe ${PERP.stats}`);
    rig.say(PERP.other, ["12", "14"], changed);
    rig.say(PERP.book, ["13", "15"], changed);
    rig.service.last.error(503);
    expect(rig.states()).toEqual(["stale", "stale"]);
  });

  test("may have come unasked once a frame has come of the channel, also where that was not the first of a subscription", () => {
    const rig = openAsking();
    rig.service.last.error(503);
    rig.say(PERP.other, ["11", "12"], changed);
    rig.say(PERP.book, ["10", "13"], changed);
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toContain(`subscribe ${PERP.stats}`);
    // It follows others: the service has honoured the subscribe, and its first frame may be lost.
    rig.say(PERP.stats, ["18", "20"], { market_stats: [] });
    rig.service.last.error(503);
    expect(rig.states()).toEqual(["stale", "stale"]);
  });

  test("was about others when the subscription turns out to stand: by 409, or by a frame", () => {
    const rig = openAsking();
    rig.service.last.error(503);
    rig.clock.advance(1000);
    expect(rig.service.last.takeCommands()).toEqual([`subscribe ${PERP.stats}`]);
    rig.service.last.error(409);
    expect(rig.states()).toEqual(["stale", "stale"]);

    const other = openAsking();
    other.service.last.error(503);
    other.say(PERP.stats, [null, "20"], { market_stats: [] });
    expect(other.states()).toEqual(["stale", "stale"]);
  });

  test("refuses nothing for good that frames come of", () => {
    const rig = openAsking();
    rig.service.last.error(404);
    rig.say(PERP.stats, [null, "20"], { market_stats: [] });
    expect(rig.state(PERP.stats)).toMatch(/waiting|resync/);
    rig.clock.advance(2000);
    expect(rig.service.last.takeCommands()).toContain(`subscribe ${PERP.stats}`);
  });

  test("is about anybody once that one was answered", () => {
    const rig = openAsking();
    rig.service.last.error(409, PERP.stats);
    rig.service.last.error(503);
    expect(rig.states()).toEqual(["stale", "stale"]);
  });
});

test("400, 404 and 409 without a channel, while no command is unanswered, leave every pane as it is", () => {
  const rig = open();
  for (const code of [400, 404, 409]) rig.service.last.error(code);
  expect(rig.states()).toEqual(["live", "live"]);
});

test("409 without a channel answers the one subscribe, whatever else is unanswered", () => {
  const rig = open();
  rig.clock.advance(500);
  rig.live.stream.resync(PERP.other, "asked for");
  rig.clock.advance(0);
  rig.live.stream.subscribe(PERP.stats);
  rig.service.last.error(409);
  const { confirmedAtMs } = rig.feed(PERP.stats) ?? {};
  expect(confirmedAtMs).toBeDefined();
});

test("a 409 that names no channel ends what either of two may still hold, and no delta is taken for a first frame", () => {
  const rig = open();
  rig.service.last.error(503, PERP.book);
  rig.service.last.error(503, PERP.other);
  rig.clock.advance(2000);
  const both = (type: string) => [`${type} ${PERP.book}`, `${type} ${PERP.other}`];
  expect(rig.service.last.takeCommands().sort()).toEqual(both("subscribe"));
  rig.service.last.error(409);
  rig.say(PERP.book, ["12", "13"], changed);
  expect(rig.states()).not.toContain("live");
  expect(rig.service.last.takeCommands().sort()).toEqual(both("unsubscribe"));
  for (const channel of [PERP.book, PERP.other]) rig.service.last.unsubscribed(channel);
  expect(rig.service.last.takeCommands().sort()).toEqual(both("subscribe"));
  rig.say(PERP.book, [null, "14"], levels);
  expect(rig.states()[0]).toBe("live");
});
