// Frames whose form or content the document leaves open: a list of markets in several, a price that stands twice.
import { describe, expect, onTestFinished, test } from "vitest";
import { book, openChainRig, PERP } from "../support/chain-rig.ts";
import { runInside } from "../support/monitor-inside.ts";
import { ScriptedService } from "../support/scripted-service.ts";

describe("a price that stands twice on one side of a first frame", () => {
  test("has two sizes: nobody knows which counts, so the book is not live", () => {
    const rig = openChainRig([PERP.book]);
    const levels = book("100:5 100:3 99:1", "101:5");
    rig.say(PERP.book, [null, "10"], levels);
    expect(rig.state(PERP.book)).toBe("resync");
    rig.resubscribe(PERP.book);
    rig.say(PERP.book, [null, "11"], levels);
    rig.clock.advance(5000);
    expect(rig.state(PERP.book)).toBe("resync");
    expect(rig.feed(PERP.book)?.resyncs).toBe(1);
  });

  test("has one size: that is its size", () => {
    const rig = openChainRig([PERP.book]);
    rig.say(PERP.book, [null, "10"], book("100:5 100:5", "101:5"));
    expect(rig.state(PERP.book)).toBe("live");
  });
});

test("a symbol is looked for in every frame of a list that comes in several, the first of them empty", async () => {
  const service = new ScriptedService({
    channels: {},
    onCommand(peer, { type, channel }) {
      if (type !== "subscribe" || channel !== "markets") return false;
      for (const [i, markets] of [[], [market(1)], [market(2)]].entries()) {
        const numbers = { previous_sequence: i === 0 ? null : `${i}`, sequence: `${i + 1}` };
        peer.send({ type: "update", channel, timestamp_ns: "1", ...numbers, markets });
      }
      return true;
    },
  });
  const { wsUrl, close } = await service.listen();
  onTestFinished(close);
  const look = (symbol: string) =>
    runInside([symbol, "--for", "1ms", "--json", "--ws-url", wsUrl, "--timeout", "200ms"]);
  const { stdout } = await look("M2");
  expect(JSON.parse(stdout).market).toEqual({ type: "perp", id: 2, symbol: "M2" });
  const watched = await runInside([
    "watch",
    "M2",
    "--events",
    "--for",
    "1100ms",
    "--ws-url",
    wsUrl,
  ]);
  const asked = service.peers.at(-1)?.commands.map(({ channel }) => channel);
  expect([watched.stderr, asked]).toEqual(["", expect.arrayContaining(["bbo/perp/2"])]);
  const { code, stderr } = await look("M3");
  expect([code, stderr]).toEqual([2, expect.stringContaining("the service lists no market M3")]);
});

const market = (id: number) => ({ market_type: "perp", market_id: id, symbol: `M${id}` });
