// The log file: whose it is, what is in it, and what never is.

import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/system/log-file.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { ATTACKS } from "../support/terminal/hostile-text.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const folder = folderOfFile();

/** Controls, and what changes the direction or the place of text. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const linesOf = async (path: string) =>
  (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the log file", () => {
  test("is appended to, and readable by its owner only, whatever it was before", async () => {
    const path = join(folder, "own.log");
    await writeFile(path, '{"what":"before"}\n', { mode: 0o644 });
    const log = openLog(path, "info", createVirtualClock());
    log.write("info", "start", { command: "tail" });
    log.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await linesOf(path)).map(({ what }) => what)).toEqual(["before", "start"]);
  });

  test("is made anew when it was given another name, and stays where that cannot be", async () => {
    const path = join(folder, "rotated.log");
    const log = openLog(path, "info", createVirtualClock());
    log.write("info", "first");
    await rename(path, `${path}.1`);
    log.write("info", "second");
    await rename(path, `${path}.2`);
    await writeFile(path, "somebody else's\n");
    log.write("info", "third");
    log.close();
    const names = async (file: string) => (await linesOf(file)).map(({ what }) => what);
    expect(await names(`${path}.1`)).toEqual(["first"]);
    expect(await names(`${path}.2`)).toEqual(["second", "third"]);
    expect(await readFile(path, "utf8")).toBe("somebody else's\n");
  });

  test("holds what is worth knowing, details only when asked, with the wall clock's time", async () => {
    for (const [level, expected] of [
      ["debug", ["subscribing", "gap"]],
      ["info", ["gap"]],
    ] as const) {
      const path = join(folder, `${level}.log`);
      const log = openLog(path, level, createVirtualClock(Date.UTC(2026, 0, 2)));
      const channel = "bbo/perp/1";
      log.write("debug", "subscribing", { channel });
      log.write("warn", "gap", { channel, detail: "" });
      log.close();
      const lines = await linesOf(path);
      expect(lines.map(({ what }) => what)).toEqual(expected);
      const time = "2026-01-02T00:00:00.000Z";
      expect(lines.at(-1)).toEqual({ level: "warn", time, what: "gap", channel });
    }
  });

  test("never holds a character that a terminal would obey, nor a line that is not its own", async () => {
    const path = join(folder, "hostile.log");
    const log = openLog(path, "debug", createVirtualClock());
    for (const message of ATTACKS) {
      log.write("error", "refused", { channel: "markets", detail: message });
    }
    log.write("error", "refused", { detail: 'x"}\n{"what":"forged"}' });
    log.close();
    const text = await readFile(path, "utf8");
    expect([...text].filter((character) => character !== "\n" && OBEYED.test(character))).toEqual(
      [],
    );
    const lines = await linesOf(path);
    expect(lines.length).toBe(ATTACKS.length + 1);
    expect(lines.every(({ what }) => what === "refused")).toBe(true);
  });

  test("that cannot be written is told before anything is sent", () => {
    const clock = createVirtualClock();
    expect(() => openLog("/dev/null/x.log", "info", clock)).toThrow(/the log cannot be written/);
  });
});
