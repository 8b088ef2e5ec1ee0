// The log file: whose it is, what is in it, and what never is.

import { readFile, stat } from "node:fs/promises";
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
  test("is appended to; a new one is readable by its owner only", async () => {
    const path = join(folder, "own.log");
    for (const what of ["one", "two"]) {
      const log = openLog(path, "info", createVirtualClock());
      log.write("info", what);
      log.close();
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await linesOf(path)).map(({ what }) => what)).toEqual(["one", "two"]);
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
