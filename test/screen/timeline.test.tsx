// Looking back and replaying, as the keys, the badge and the line of time have it.
import { expect, test } from "vitest";
import { createDialect } from "../../src/dialect/dialect.ts";
import type { View } from "../../src/screen/pane.ts";
import { createElsewhere } from "../../src/screen/timeline.ts";
import { createStore } from "../../src/state/store.ts";
import type { Timeline } from "../../src/timeline/timeline.ts";
import { openRig } from "./rig.tsx";

const PRICE: View = {
  ...{ name: "price", title: "Price", key: "A" },
  layout: () => ({
    ...{ grow: 1, min: [10, 3] },
    pane: {
      name: "price",
      title: () => ["Price"],
      channels: () => ["bbo/perp/1"],
      draw: (surface, { nowMs }) => surface.text(0, 0, `price at ${nowMs}`),
    },
  }),
};

const START_MS = 100_000;
const END_MS = 400_000;

/** Moves as it is told, and notes what it was told. */
function createTimeline(playing?: Timeline["playing"]) {
  let nowMs = END_MS;
  const told: unknown[] = [];
  const timeline: Timeline = {
    ...{ startMs: START_MS, endMs: END_MS, ...(playing && { playing }) },
    get moment() {
      return { store: createStore(createDialect()), nowMs, wallMs: Date.UTC(2026, 0, 1) + nowMs };
    },
    goTo(ms) {
      nowMs = Math.max(START_MS, Math.min(ms, END_MS));
    },
    step: (by, channels) => told.push([by, channels]),
    jump: (by) => by < 0,
  };
  return { timeline, told };
}

test("keys look back from the present, and return to it", async () => {
  const { timeline, told } = createTimeline();
  const lookBack = () => createElsewhere(timeline);
  const rig = openRig({ views: [PRICE], store: {}, columns: 100, services: { lookBack } });
  expect(await rig.screen()).not.toContain("PAST");
  rig.type("(");
  const screen = await rig.screen();
  expect(screen).toMatch(/ PAST$/m);
  expect(screen).toContain("price at 390000");
  expect(screen).toMatch(/00:06:30 .*━+●─*/);
  rig.type("{", "{", "{");
  expect(await rig.screen()).toContain("price at 100000");
  rig.type(")");
  expect(await rig.screen()).toContain("price at 110000");
  rig.type(",", ".");
  expect(told).toEqual([
    [-1, ["bbo/perp/1"]],
    [1, ["bbo/perp/1"]],
  ]);
  rig.type("}", "}");
  expect(await rig.screen()).toContain("price at 350000");
  rig.type("}");
  expect(await rig.screen()).not.toContain("PAST");
  rig.type("(", ";");
  expect(await rig.screen()).not.toContain("PAST");
  rig.type("(", "\x1b");
  expect(await rig.screen()).not.toContain("PAST");
});

test("a click on the line of time goes there", async () => {
  const { timeline } = createTimeline();
  const services = { lookBack: () => createElsewhere(timeline) };
  const rig = openRig({ views: [PRICE], store: {}, columns: 100, services });
  rig.type("(");
  const line = (await rig.screen()).split("\n").at(-1) ?? "";
  rig.type(`\x1b[<0;${line.indexOf("━") + 1};16M`);
  expect(await rig.screen()).toContain("price at 100000");
});

test("a recording is paused, played faster and slower, and cannot be left for a present", async () => {
  const playing = { isPaused: false, isOver: false, speed: 1, togglePause() {}, changeSpeed() {} };
  Object.assign(playing, {
    togglePause: () => Object.assign(playing, { isPaused: !playing.isPaused }),
    changeSpeed: (by: number) => Object.assign(playing, { speed: playing.speed * 2 ** by }),
  });
  const replay = createElsewhere(createTimeline(playing).timeline);
  const rig = openRig({ views: [PRICE], store: {}, columns: 100, services: { replay } });
  rig.ui.present();
  expect(await rig.screen()).toContain("REPLAY ▶ 1x");
  rig.type(";", ";", "_", " ");
  expect(await rig.screen()).toContain("REPLAY ‖ paused");
  rig.type("f", "\x1b", "}");
  const screen = await rig.screen();
  expect(screen).toContain("REPLAY ▶ 2x");
  expect(screen).toContain("5m 00s of 5m 00s");
});
