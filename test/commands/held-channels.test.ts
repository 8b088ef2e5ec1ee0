// Which channels stay subscribed while something else is on the screen.
import { expect, test } from "vitest";
import { HeldChannels } from "../../src/commands/screen/live-market.ts";
import type { HeldGroup } from "../../src/screen/views/view.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function open() {
  const clock = createVirtualClock();
  const held = new Set<string>();
  const commands: string[] = [];
  const forgotten: string[] = [];
  const channels = new HeldChannels({
    clock,
    stream: {
      subscribe(channel) {
        held.add(channel);
        commands.push(`+${channel}`);
        return () => {
          held.delete(channel);
          commands.push(`-${channel}`);
        };
      },
    },
    store: { forget: (channel) => forgotten.push(channel) },
  });
  const market = (id: number, interval = "1m") => {
    const group: HeldGroup = { kind: "market", name: `perp/${id}` };
    channels.hold([`trades/perp/${id}`, `candles/perp/${id}/${interval}`, "markets"], group);
  };
  const account = (name: string) =>
    channels.hold([`account/${name}`, "markets"], { kind: "account", name });
  return { clock, held, commands, forgotten, channels, market, account };
}

const refusal = (channel: string, code: number) =>
  ({ type: "refused", channel, code, message: "no", atMs: 0 }) as const;

const DISCONNECTED: StreamEvent = {
  type: "link",
  atMs: 0,
  link: {
    state: "waiting",
    reconnects: 0,
    aliveAtMs: undefined,
    roundTripMs: undefined,
    retryAtMs: undefined,
    protocolVersion: undefined,
    fault: undefined,
  },
};

test("a market and the watched account stay subscribed while other views are shown", () => {
  const { channels, held, market, account, commands } = open();
  market(1);
  account("A/0");
  channels.hold(["market-stats/perp"], undefined);
  expect(held).toContain("trades/perp/1");
  expect(held).toContain("account/A/0");
  market(1);
  expect(commands.filter((command) => command === "+trades/perp/1")).toHaveLength(1);
  expect(held).not.toContain("market-stats/perp");
});

test("the last three markets stay beside the one that is shown, the least recently seen goes first", () => {
  const { held, market } = open();
  for (const id of [1, 2, 3, 4]) market(id);
  market(1);
  market(5);
  const trades = [...held].filter((channel) => channel.startsWith("trades")).sort();
  expect(trades).toEqual([1, 3, 4, 5].map((id) => `trades/perp/${id}`));
});

test("of a market only the candles that were shown last are held", () => {
  const { held, market } = open();
  market(1);
  market(1, "5m");
  expect(held).not.toContain("candles/perp/1/1m");
});

test("another account takes the place of the one before", () => {
  const { held, account } = open();
  account("A/0");
  account("B/0");
  expect(held).not.toContain("account/A/0");
});

test("there is a bound on channels in all, and what is shown comes first", () => {
  const { channels, held, market } = open();
  market(1);
  const many = Array.from({ length: 80 }, (_, i) => `bbo/perp/${i}`);
  channels.hold(many, undefined);
  expect([...held]).toEqual(many);
  market(2);
  expect(held).toContain("trades/perp/1");
  expect(held.size).toBe(5);
});

test("a service that refuses one subscription more gets those back that nobody looks at", () => {
  const { channels, held, market, clock, commands } = open();
  market(1);
  market(2);
  commands.length = 0;
  channels.onEvent(refusal("trades/perp/2", 400));
  clock.advance(0);
  expect([...held].sort()).toEqual(["candles/perp/2/1m", "markets", "trades/perp/2"]);
  expect(commands.at(-1)).toBe("+trades/perp/2");
  market(3);
  // Four channels were too many, and it is not tried again on this connection.
  expect(held.size).toBe(3);
  channels.onEvent(DISCONNECTED);
  market(1);
  expect(held.size).toBeGreaterThan(3);
});

test("a market that does not exist costs the others nothing", () => {
  const { channels, held, market, clock } = open();
  market(1);
  market(2);
  channels.onEvent(refusal("trades/perp/2", 404));
  clock.advance(0);
  expect(held).toContain("trades/perp/1");
});

test("what was given back long ago is forgotten", () => {
  const { channels, forgotten } = open();
  for (let i = 0; i < 70; i++) channels.hold([`bbo/perp/${i}`], undefined);
  expect(forgotten).toEqual(Array.from({ length: 5 }, (_, i) => `bbo/perp/${i}`));
});
