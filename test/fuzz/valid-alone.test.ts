// What is held after valid and invalid frames is what is held after the valid ones alone: the frames of the simulated
// exchange, told to one session as they are, and to another with damaged ones of their kind between them.
import { expect, test } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { accountViewJson } from "../../src/print/account-json.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { accountChannel } from "../../src/select/account.ts";
import { marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { createRandom, type Random } from "../../src/units/random.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { startRig } from "../simulator/rig.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { isSoak, report, SEED } from "../support/soak.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { below, oneOf } from "../wire/wire-messages.ts";
import { hostile } from "./hostile-messages.ts";

const SEEDS = Array.from({ length: isSoak ? 100 : 1 }, (_, i) => SEED + i);
const LISTENED_MS = 5000;
/** Most damaged frames between two valid ones. */
const MOST = 4;
/** Between two frames. */
const STEP_MS = 2;

const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");

/** What the simulated exchange says within a few seconds to one who listens to everything. */
async function listen(seed: number) {
  const { simulator, connect, pass } = await startRig({ seed, history: 50 });
  const { address, subaccount_id } = simulator.announcement.account;
  const account = { address, subaccountId: `${subaccount_id}` };
  const all = [
    ...Object.values(channels).filter((channel) => channel !== undefined),
    `accounts/${address}`,
    accountChannel(account),
    "funding-rates/1",
  ];
  const client = await connect();
  await client.subscribe(...all);
  await pass(LISTENED_MS);
  return { account, all, frames: client.frames.map(({ text }) => text) };
}

type Said = Awaited<ReturnType<typeof listen>>;

/** A session that a test tells what it likes. */
function openPrinted({ account, all }: Said) {
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const rejected: StreamEvent[] = [];
  const live = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(1),
    onEvent: (event) => {
      if (event.type === "rejected") rejected.push(event);
    },
  });
  const { store } = live;
  const scales = openScales(store, {});
  for (const channel of all) live.stream.subscribe(channel);
  service.last.accept();
  return {
    rejected,
    say: (text: string) => service.last.send(text),
    pass: () => clock.advance(STEP_MS),
    commands: () => service.last.takeCommands(),
    close: () => live.close(),
    /** Everything that is shown, and everything that is known of the channels but what was rejected. */
    print() {
      const common = { store, account, nowMs: clock.now() };
      const scale = scales.of("perp/1");
      const shown = marketJson({ ...common, market, channels, interval: "1m", scale, wallMs: 0 });
      const feeds = store.slices.map(({ channel, feed }) => ({
        ...feed,
        channel,
        rejected: 0,
        rejection: undefined,
      }));
      const view = accountViewJson({ ...common, scales });
      const text = stringifyExact({ market: shown, view, feeds });
      const { unfinished } = JSON.parse(text).market.candles as { unfinished: number[] };
      return { text: text.replace(/"rejected":\d+|"unfinished":\[[0-9,]*\]/g, ""), unfinished };
    },
  };
}

/** Behind it every channel has had its first frame. */
function placeOfLastFirst({ all, frames }: Said): number {
  const named = frames.map((text) => JSON.parse(text).channel);
  return Math.max(...all.map((channel) => named.indexOf(channel))) + 1;
}

const decoder = createDecoder();
const isRefused = (text: string) => !decoder.decode(text).ok;

/** A frame of the same kind that was damaged, or anything at all. */
function damaged(random: Random, frames: readonly string[]): string {
  return hostile(random, JSON.parse(oneOf(random, frames)));
}

test.each(SEEDS)("frames that are refused leave nothing behind, seed %i", async (seed) => {
  const said = await listen(seed);
  const [clean, mixed] = [openPrinted(said), openPrinted(said)];
  const random = createRandom(seed);
  const firsts = placeOfLastFirst(said);
  let hurt = 0;
  for (const [i, text] of said.frames.entries()) {
    // Before its first frame a channel trusts nobody: another test has that.
    const count = i < firsts ? 0 : below(random, MOST + 1);
    for (let n = 0; n < count; n++) {
      const wrong = damaged(random, said.frames);
      if (!isRefused(wrong)) continue;
      mixed.say(wrong);
      hurt++;
    }
    for (const session of [clean, mixed]) {
      session.say(text);
      session.pass();
    }
  }
  expect(mixed.rejected.length).toBe(hurt);
  expect(hurt).toBeGreaterThan(said.frames.length / 2);
  expect(clean.rejected).toEqual([]);
  expect(mixed.commands()).toEqual(clean.commands());
  const [shown, wanted] = [mixed.print(), clean.print()];
  expect(shown.text).toBe(wanted.text);
  // What could not be read may have been the last word on a candle: it may be called unfinished, and none the other way round.
  expect(shown.unfinished).toEqual(expect.arrayContaining(wanted.unfinished));
  report(`seed ${seed}: ${said.frames.length} valid, ${hurt} refused`);
  clean.close();
  mixed.close();
});
