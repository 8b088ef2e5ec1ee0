// What the build leaves: the first frame waits for nothing that it does not need, React is React's production
// build, and compiled code is kept.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { folderOfTest } from "../support/temporary-folder.ts";
import { words } from "../support/words.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = readFileSync(`${root}dist/monitor.js`, "latin1");

/** What only these packages ask Node for, or are in a file of their own. */
const LATE = words("../dist/undici.cjs http https zlib node:http node:https crypto zod");

function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH = "" } = process.env;
  const all = { PATH, HOME: "/dev/null", ...env };
  return spawnSync(process.execPath, args, { encoding: "utf8", env: all });
}

describe("the bundle", () => {
  test("draws the first frame before it has loaded sockets, HTTP or their packages, cryptography or schemas, whatever who builds it has set up", () => {
    const config = join(folderOfTest(), "config.toml");
    writeFileSync(config, "no such key = 1");
    const args = [`${root}scripts/code-cache.mjs`, "--print-required"];
    const { status, stdout, stderr } = runNode(args, {
      TERM: "dumb",
      INK_SCREEN_READER: "1",
      MONITOR_CONFIG: config,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const required = stdout.split("\n");
    expect(required).toContain("node:fs");
    expect(required.filter((name) => LATE.includes(name))).toEqual([]);
  });

  test("has nothing of the package registry but what is in it", () => {
    const outside = [...program.matchAll(/require\("([^"]+)"\)/g)].map(([, name = ""]) => name);
    const isKnown = (name: string) =>
      /^(node:)?[a-z_/]+$/.test(name) || name.startsWith("../dist/");
    // Optional speedups of ws.
    const optional = ["bufferutil", "utf-8-validate"];
    expect(outside.filter((name) => !isKnown(name) && !optional.includes(name))).toEqual([]);
  });

  test("runs as ever where Node makes no code from text: the demo follows the config file", () => {
    const config = join(folderOfTest(), "demo.toml");
    writeFileSync(config, 'interval = "5m"\naliases.mine = "perp/2"\n');
    const args = ["--disallow-code-generation-from-strings", `${root}bin/monitor.js`];
    const demo = ["demo", "mine", "--once", "--json", "--history", "100", "--config", config];
    const { status, stdout, stderr } = runNode([...args, ...demo]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({
      market: { type: "perp", id: 2 },
      candles: { interval: "5m" },
    });
    expect(shown.orderbook.bids.length).toBeGreaterThan(0);
  });

  test("holds React's production build, which does not measure and does not leak", () => {
    expect(program).not.toContain("performance.measure");
  });

  test("keeps compiled code that this Node takes", () => {
    const check = `const { cacheFile, loadProgram } = require("${root}bin/program.js");
      console.log(require("node:fs").existsSync(cacheFile), loadProgram().script.cachedDataRejected)`;
    const { stdout } = runNode(["-e", check]);
    expect(stdout.trim()).toBe("true false");
  });

  test("makes no more room for new objects than it has, once that is enough, on a terminal", () => {
    const check = `process.stdout.isTTY = true;
      let look = () => {};
      globalThis.setTimeout = (settle) => (settle(), { unref() {} });
      globalThis.setInterval = (each) => ((look = each), { unref() {} });
      require("${root}bin/program.js").loadProgram();
      const kept = [];
      for (let i = 0; i < 3e6; i++) {
        kept[i % 2e5] = { i };
        if (i % 1e4 === 0) look();
      }
      const spaces = require("node:v8").getHeapSpaceStatistics();
      const { space_size } = spaces.find(({ space_name }) => space_name === "new_space");
      process.stdout.write(String(space_size / 2 ** 20))`;
    const { stdout } = runNode(["-e", check]);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThanOrEqual(8);
  });

  test("leaves the kept code alone where Node was started with options, under which V8 takes no other's", () => {
    const check = `
      const { statSync } = require("node:fs");
      const { cacheFile, loadProgram } = require("${root}bin/program.js");
      process.stdout.isTTY = true;
      const later = [];
      setTimeout = (call) => (later.push(call), { unref() {} });
      const before = statSync(cacheFile).mtimeMs;
      loadProgram();
      for (const call of later) call();
      process.stderr.write(String([later.length, statSync(cacheFile).mtimeMs === before]))`;
    const { stderr } = runNode(["--expose-gc", "-e", check]);
    expect(stderr).toBe("1,true");
  });

  test("keeps compiled code where there is none, and goes on where it cannot be written", () => {
    const folder = folderOfTest();
    const file = join(folder, "code");
    const check = `const { keepCode, loadProgram } = require("${root}bin/program.js");
        const { script } = loadProgram({ usesCache: false });
        keepCode(script, ${JSON.stringify(file)});
        keepCode(script, ${JSON.stringify(join(folder, "missing", "code"))});
        const cachedData = require("node:fs").readFileSync(${JSON.stringify(file)});
        const source = require("node:fs").readFileSync("${root}dist/monitor.js", "latin1");
        console.log(new (require("node:vm").Script)(source, { cachedData }).cachedDataRejected)`;
    const { stdout } = runNode(["-e", check]);
    expect(stdout.trim()).toBe("false");
    expect(readdirSync(folder)).toEqual(["code"]);
  });
});
