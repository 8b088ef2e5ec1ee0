// The screen as a picture, from the built program, without a terminal.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMonitor as runInside } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const DEMO = ["demo", "--once", "--history", "200"];
const folder = folderOfFile();

const words = (svg: string) => [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text);

describe("--once --svg", () => {
  test("writes the dashboard with its data, of 120x40 where there is no terminal, without what the mask hides", async () => {
    const file = join(folder, "market.svg");
    const { code, stdout, stderr } = await runMonitor([...DEMO, "--svg", file, "--mask"]);
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    const svg = readFileSync(file, "utf8");
    expect(svg).toContain('viewBox="-8 -8 976 656"');
    expect(words(svg).join(" ")).toMatch(/BTC-PERP.*Order book.*Trades/s);
    // Frames and bars are shapes.
    expect(words(svg).join("")).not.toMatch(/[─│╭╮╰╯█]/);
    // Sizes of own orders.
    expect(words(svg).join("\n")).not.toMatch(/◆ *[\d.]/);
  });

  test("ends in one line and what to do where the file cannot be written", async () => {
    const file = join(folder, "no", "such.svg");
    const { code, stderr } = await runMonitor([...DEMO, "--svg", file]);
    expect([code, stderr.split("\n")[0]]).toEqual([
      1,
      `monitor: cannot write ${file}: no such folder`,
    ]);
    expect(stderr).not.toContain("fault of monitor");
  });

  test.each([
    [["demo", "--svg", "x.svg"], "--svg is one picture"],
    [["demo", "--once", "--json", "--svg", "x.svg"], "--svg is one picture"],
    [["demo", "--once", "--svg", "/"], "/ is a folder"],
    [["trades", "perp/1", "--once", "--svg", "x.svg"], "svg"],
  ])("%j is refused before anything is written", async (args, message) => {
    const { code, stderr } = await runInside(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
