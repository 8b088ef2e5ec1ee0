// Playing a recording: at its own pace, faster, slower, step by step, and from any moment on.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/timeline/entry.ts";
import { Player } from "../../src/timeline/player.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = 5000;
/** A line each 100 ms, for 20 s. */
const ENTRIES: readonly Entry[] = Array.from({ length: 200 }, (_, i) => ({
  t: START + (i + 1) * 100,
  w: 0,
  pass: true,
}));

/** Every second line changes it. */
const CHANNEL = "trades/perp/1";

async function* read(): AsyncGenerator<Entry> {
  yield* ENTRIES;
}

/** @param workMs what applying a line takes */
function play(speed = 1, workMs = 0) {
  const clock = createVirtualClock();
  const told: number[] = [];
  let restarts = 0;
  /** By how much the place was beyond a line that was just being applied. */
  let ahead = 0;
  const player: Player = new Player({
    clock,
    startMs: START,
    open: async () => read(),
    apply: ({ t }) => {
      told.push(t - START);
      ahead = Math.max(ahead, player.placeMs - t);
      if (workMs > 0) clock.advance(workMs);
      return (t - START) % 200 === 0 ? CHANNEL : undefined;
    },
    onRestart: () => {
      restarts++;
      told.length = 0;
    },
    onChange: () => {},
  });
  player.speed = speed;
  const ended = player.run();
  /** Lets everything happen that time has made due: a turn of the real event loop for each line at most. */
  const settle = async () => {
    for (let before = -1; before !== told.length; ) {
      before = told.length;
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(0);
    }
  };
  return {
    clock,
    player,
    told,
    ended,
    settle,
    get restarts() {
      return restarts;
    },
    get ahead() {
      return ahead;
    },
    async pass(ms: number) {
      await settle();
      for (let left = ms; left > 0; left -= 50) {
        clock.advance(Math.min(50, left));
        await settle();
      }
    },
    async stop() {
      player.stop();
      await ended;
    },
  };
}

const upTo = (ms: number) => ENTRIES.map(({ t }) => t - START).filter((t) => t <= ms);

type Rig = ReturnType<typeof play>;

/** What a user can do, and the passing of time. */
const ACTS: readonly ((rig: Rig) => unknown)[] = [
  ({ player }) => player.togglePause(),
  ({ player }) => player.step(1, [CHANNEL]),
  ({ player }) => player.step(-1, [CHANNEL]),
  ({ player }) => player.changeSpeed(1),
  ({ player }) => player.changeSpeed(-1),
  ({ player }) => player.goTo(player.placeMs - 3000),
  ({ player }) => player.goTo(player.placeMs + 4000),
  (rig) => rig.pass(300),
];

describe("a player", () => {
  test("applies each line at its own time", async () => {
    const rig = play();
    await rig.pass(1000);
    expect(rig.told).toEqual(upTo(1000));
    await rig.pass(1000);
    expect(rig.told).toEqual(upTo(2000));
    expect(rig.player.placeMs).toBe(START + 2000);
    await rig.stop();
  });

  test.each([0.1, 0.5, 10, 1000])("plays at %f times the speed", async (speed) => {
    const rig = play(speed);
    await rig.pass(1000);
    expect(rig.told).toEqual(upTo(1000 * speed));
    await rig.stop();
  });

  test.each([1, 100])(
    "is never beyond its lines, at %f times the speed, where they take longer than they took",
    async (speed) => {
      const rig = play(speed, 150);
      await rig.pass(1000);
      expect(rig.ahead).toBe(0);
      await rig.stop();
    },
  );

  test("stands still while paused, and goes on from there", async () => {
    const rig = play();
    await rig.pass(1000);
    rig.player.togglePause();
    await rig.pass(60_000);
    expect(rig.told).toEqual(upTo(1000));
    rig.player.togglePause();
    await rig.pass(500);
    expect(rig.told).toEqual(upTo(1500));
    await rig.stop();
  });

  test("goes to the next change of what is shown with each step, and back to those before; stands still", async () => {
    const rig = play();
    const step = async (by: 1 | -1, count: number) => {
      for (let i = 0; i < count; i++) rig.player.step(by, [CHANNEL]);
      await rig.pass(10_000);
      expect(rig.told).toEqual(upTo(rig.player.placeMs - START));
      return rig.player.placeMs - START;
    };
    await rig.pass(1000);
    expect([await step(1, 1), await step(1, 2)]).toEqual([1200, 1600]);
    expect([await step(-1, 1), await step(-1, 3)]).toEqual([1400, 800]);
    expect([await step(1, 1), await step(-1, 99)]).toEqual([1000, 200]);
    expect(rig.player.isPaused).toBe(true);
    await rig.stop();
  });

  test("steps over what changes nothing that is shown, to its end where nothing more does", async () => {
    const rig = play();
    await rig.pass(1000);
    rig.player.step(1, ["candles/perp/1/1m"]);
    await rig.settle();
    expect([rig.player.isOver, rig.player.placeMs]).toEqual([true, START + 20_000]);
    rig.player.step(-1, ["candles/perp/1/1m"]);
    await rig.settle();
    expect(rig.player.placeMs).toBe(START + 20_000);
    rig.player.step(-1, [CHANNEL]);
    await rig.settle();
    expect(rig.player.placeMs).toBe(START + 19_800);
    await rig.stop();
  });

  test("goes forward at once, and back by telling all from the start again", async () => {
    const rig = play();
    await rig.pass(1000);
    rig.player.goTo(rig.player.placeMs + 10_000);
    await rig.settle();
    expect(rig.told).toEqual(upTo(11_000));
    expect(rig.restarts).toBe(0);
    rig.player.goTo(rig.player.placeMs - 8000);
    await rig.settle();
    expect([rig.told, rig.restarts]).toEqual([upTo(3000), 1]);
    rig.player.goTo(rig.player.placeMs - 60_000);
    await rig.settle();
    expect([rig.told, rig.player.placeMs]).toEqual([[], START]);
    await rig.stop();
  });

  test("forgets steps that led nowhere, at its end or before a jump", async () => {
    const rig = play(1000);
    await rig.pass(1000);
    rig.player.step(1, [CHANNEL]);
    rig.player.step(1, [CHANNEL]);
    rig.player.goTo(START + 4000);
    await rig.pass(1000);
    expect(rig.told).toEqual(upTo(4000));
    await rig.stop();
  });

  test("ends at its last line, however far it is told to go, and stays there until it goes back", async () => {
    const rig = play();
    const end = START + 20_000;
    await rig.pass(1000);
    for (let i = 0; i < 2; i++) {
      rig.player.goTo(rig.player.placeMs + 120_000);
      await rig.pass(30_000);
      expect([rig.told.length, rig.player.isOver, rig.player.placeMs]).toEqual([200, true, end]);
    }
    rig.player.togglePause();
    rig.player.goTo(START + 4000);
    await rig.settle();
    expect(rig.told).toEqual(upTo(4000));
    expect(rig.player.isOver).toBe(false);
    await rig.stop();
  });

  test("has applied exactly what came before its place, whatever the user does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ACTS), { maxLength: 20 }), async (acts) => {
        const rig = play();
        for (const act of acts) {
          await act(rig);
          await rig.settle();
        }
        expect(rig.told).toEqual(upTo(rig.player.placeMs - START));
        await rig.stop();
      }),
      { numRuns: 60 },
    );
  });
});
