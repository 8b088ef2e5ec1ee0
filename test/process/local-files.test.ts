// What somebody else may put in the way of a file that is written, in a folder that others can write to: nothing of it is
// followed, changed, waited for or believed.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { restoreAlerts } from "../../src/alerts/alert-run.ts";
import {
  PersistedState,
  readHistory,
  readSymbols,
  readWatchlist,
} from "../../src/config/persisted-state.ts";
import { runInside } from "../support/monitor-inside.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

let folder = "";
beforeEach(() => {
  folder = folderOfTest();
});
const fileOf = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(fileOf(name), "utf8");
const PRECIOUS = "what must stay as it is\n";
/** A file that must not be touched. */
function precious(): string {
  const path = fileOf("precious");
  writeFileSync(path, PRECIOUS, { mode: 0o600 });
  return path;
}

const link = (path: string) => symlinkSync(precious(), path);
const pipe = (path: string) => expect(spawnSync("sh", ["-c", `mkfifo ${path}`]).status).toBe(0);

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
  if (existsSync(fileOf("precious"))) expect(read("precious")).toBe(PRECIOUS);
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
    expect(read("precious")).toBe(PRECIOUS);
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
