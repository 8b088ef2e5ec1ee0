// What somebody else may put in the way of a file that is written, in a folder that others can write to: nothing of it is
// followed, changed, waited for or believed.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { restoreAlerts } from "../../src/alerts/alert-run.ts";
import {
  PersistedState,
  readHistory,
  readSymbols,
  readWatchlist,
} from "../../src/config/persisted-state.ts";
import { exportRig, monitor } from "../support/export-rig.ts";
import { runInside } from "../support/monitor-inside.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const rig = exportRig();
const { start, fileOf } = rig;
const PRECIOUS = "what must stay as it is\n";
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 65_534;

/** A file that an export must not touch. */
function precious(): string {
  const path = fileOf("precious");
  writeFileSync(path, PRECIOUS, { mode: 0o600 });
  return path;
}

const link = (path: string) => symlinkSync(precious(), path);
const hardLink = (path: string) => linkSync(precious(), path);
const device = (path: string) => symlinkSync("/dev/zero", path);
const folder = (path: string) => mkdirSync(path);
const pipe = (path: string) => expect(spawnSync("sh", ["-c", `mkfifo ${path}`]).status).toBe(0);
const foreign = (path: string) => {
  writeFileSync(path, PRECIOUS, { mode: 0o666 });
  chmodSync(path, 0o666);
  chownSync(path, SOMEBODY, SOMEBODY);
};

/** What an export keeps beside `t.csv` while it runs. */
const BESIDE = [
  "t.csv.part",
  "t.csv.part.journal",
  "t.csv.part.journal.tmp",
  "t.csv.part.lock",
  "t.csv.part.lock.taking",
];
const ATTACKS = { link, hardLink, device, pipe, ...(isRoot ? { foreign } : {}) };
const attacks = BESIDE.flatMap((name) =>
  Object.entries(ATTACKS).map(([attack, set]) => [name, attack, set] as const),
);

describe("an export", () => {
  test.each(attacks)("does not use %s when it is a %s", async (name, _, set) => {
    const listings = await start({ transactions: 20 });
    set(fileOf(name));
    const before = lstatSync(fileOf(name));
    const { code, stderr } = await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^monitor: \S+ is (a link|no regular file|another user's|a file with a second name)\n.+\n$/,
      ),
    });
    expect(existsSync(fileOf("t.csv"))).toBe(false);
    const after = lstatSync(fileOf(name));
    expect([after.ino, after.mode, after.size]).toEqual([before.ino, before.mode, before.size]);
    if (existsSync(fileOf("precious"))) expect(rig.read("precious")).toBe(PRECIOUS);
  });

  test.each([
    ["a pipe", pipe],
    ["a folder", folder],
  ])("does not replace %s", async (_, set) => {
    const listings = await start({ transactions: 20 });
    set(fileOf("t.csv"));
    const { code } = await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings);
    expect(code).toBe(2);
    expect(lstatSync(fileOf("t.csv")).isFile()).toBe(false);
  });

  test("writes to a device that a link leads to, and replaces neither", async () => {
    const listings = await start({ transactions: 20 });
    device(fileOf("t.csv"));
    const { code } = await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings);
    expect(code).toBe(0);
    expect(lstatSync(fileOf("t.csv")).isSymbolicLink()).toBe(true);
    expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
  });

  test("makes files that only their owner can read", async () => {
    const listings = await start({ transactions: 20 });
    await monitor(`trades 1 -o ${fileOf("t.csv")} --manifest ${fileOf("t.json")}`, listings);
    const modes = ["t.csv", "t.json"].map((name) => statSync(fileOf(name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });

  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["nested without end", "[".repeat(100_000)],
    ["numbers that no file has", '{"version":1,"bytes":1e308,"blocks":[1e308]}'],
  ])("leaves a journal alone that is %s", async (_, text) => {
    const listings = await start({ transactions: 20 });
    writeFileSync(fileOf("t.csv.part"), "rows of nobody\n", { mode: 0o600 });
    writeFileSync(fileOf("t.csv.part.journal"), text, { mode: 0o600 });
    const { code, stderr } = await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings);
    expect(code).toBe(2);
    expect(stderr).toContain("t.csv.part.journal is ");
    expect(rig.read("t.csv.part.journal")).toBe(text);
    expect(rig.read("t.csv.part")).toBe("rows of nobody\n");
    expect(listings.requests).toEqual([]);
  });

  test.each(["x", "[]", '{"host":"h","pid":-1}', '{"monitor":"list of locks"}', "null"])(
    "leaves a lock alone that is none, and says %s",
    async (text) => {
      const listings = await start({ transactions: 20 });
      writeFileSync(fileOf("t.csv.part.lock"), text, { mode: 0o600 });
      expect((await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings)).code).toBe(2);
      expect(rig.read("t.csv.part.lock")).toBe(text);
      expect(readdirSync(rig.folder)).toEqual(["t.csv.part.lock"]);
    },
  );

  test.each([
    "",
    '{"monitor":"lock of an ex',
    '{"monitor":"lock of an export","host":"h","pid":-1}',
    '{"monitor":"lock of an export","host":1,"pid":{},"started":[]}',
  ])("takes no lock for held that says %s", async (text) => {
    const listings = await start({ transactions: 20 });
    writeFileSync(fileOf("t.csv.part.lock"), text, { mode: 0o600 });
    expect((await monitor(`trades 1 -o ${fileOf("t.csv")}`, listings)).code).toBe(0);
    expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
  });
});

test.each([
  ["a link", link],
  ["a link to nothing", (path: string) => symlinkSync("none", path)],
  ["a pipe", pipe],
])("a recording is not written to %s", async (_, set) => {
  set(fileOf("run.jsonl"));
  const args = ["record", "bbo/perp/1", "-o", fileOf("run.jsonl"), "--ws-url", "ws://127.0.0.1:9"];
  const { code, stderr } = await runInside(args);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("exists already"),
  });
  expect(existsSync(fileOf("none"))).toBe(false);
  if (existsSync(fileOf("precious"))) expect(rig.read("precious")).toBe(PRECIOUS);
});

describe("what is kept between runs", () => {
  const open = () => new PersistedState(fileOf("data/state.json"), createVirtualClock());

  test("is written through no link, into a folder of its owner only", () => {
    const kept = open();
    kept.set("history", ["one"]);
    kept.save();
    expect(statSync(fileOf("data")).mode & 0o777).toBe(0o700);
    link(fileOf(`data/state.json.${process.pid}.part`));
    kept.set("history", ["two"]);
    kept.save();
    expect(rig.read("precious")).toBe(PRECIOUS);
    expect(readHistory(open())).toEqual(["two"]);
    expect(statSync(fileOf("data/state.json")).mode & 0o777).toBe(0o600);
  });

  test("counts as nothing when a pipe stands there, which is neither waited for nor replaced", () => {
    mkdirSync(fileOf("data"));
    pipe(fileOf("data/state.json"));
    const kept = open();
    expect(kept.get("history")).toBeUndefined();
    kept.set("history", ["one"]);
    kept.save();
    expect(lstatSync(fileOf("data/state.json")).isFIFO()).toBe(true);
    expect(readdirSync(fileOf("data"))).toEqual(["state.json"]);
  });

  test("goes through a link that its user has put there, which stays", () => {
    mkdirSync(fileOf("data"));
    symlinkSync("../elsewhere.json", fileOf("data/state.json"));
    const kept = open();
    kept.set("history", ["one"]);
    kept.save();
    expect(lstatSync(fileOf("data/state.json")).isSymbolicLink()).toBe(true);
    expect(readHistory(open())).toEqual(["one"]);
  });

  test("is read with care: no value of another kind is believed, and no program is started", () => {
    const when = "perp/1 last > 5";
    const hostile = [5, null, [], {}, "x", { length: 1e9 }, [[["deep"]]], [{ text: 5 }]];
    const alert = {
      text: when,
      setAtWallMs: 1,
      firings: 1,
      exec: ["/bin/rm"],
      __proto__: { x: 1 },
    };
    mkdirSync(fileOf("data"));
    for (const value of [...hostile, [alert]]) {
      const names = ["history", "alerts", "watchlist", "symbols", "__proto__"];
      const text = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join();
      writeFileSync(fileOf("data/state.json"), `{${text}}`);
      const kept = open();
      const manager = new AlertManager({ now: () => 0, wall: () => 0 } as never);
      restoreAlerts(manager, kept);
      expect(manager.alerts.every(({ exec }) => exec === undefined)).toBe(true);
      const lists = [readHistory(kept), readSymbols(kept), readWatchlist(kept, [])];
      for (const list of lists)
        expect(list.every((each) => ["string", "object"].includes(typeof each))).toBe(true);
      expect(kept.get("toString")).toBeUndefined();
    }
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
