// What the build leaves: one program that needs nothing beside it, with compiled code that is never another program's.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/system/version.ts";
import { ROOT } from "../support/documents.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const program = readFileSync(`${ROOT}dist/monitor.js`, "latin1");

function runNode(args: readonly string[]) {
  const { PATH = "" } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { PATH, HOME: "/dev/null" },
  });
  return { status, stdout, stderr };
}

describe("the bundle", () => {
  test("requires nothing but Node and what lies beside it", () => {
    const outside = [...program.matchAll(/require\("([^"]+)"\)/g)].map(([, name = ""]) => name);
    // Optional accelerators of ws.
    const known = /^(?:(?:node:)?[a-z_/]+|\.\.\/dist\/undici\.cjs|bufferutil|utf-8-validate)$/;
    expect(outside.filter((name) => !known.test(name))).toEqual([]);
  });

  test("runs where Node makes no code from text: the demo follows the config file", () => {
    const config = join(folderOfTest(), "demo.toml");
    writeFileSync(config, 'interval = "5m"\naliases.mine = "perp/2"\n');
    const args = ["--disallow-code-generation-from-strings", `${ROOT}bin/monitor.js`];
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

  test("holds little that it does not need: of a package, one name may bring in all of it", () => {
    expect(program.length).toBeLessThan(1_200_000);
  });

  test("has compiled code that this Node takes", () => {
    // In a process of its own: flags that other tests set would refuse it.
    const ask = `console.log(require(${JSON.stringify(`${ROOT}bin/program.js`)}).loadProgram().script.cachedDataRejected)`;
    expect(runNode(["-e", ask]).stdout).toBe("false\n");
  });

  test("is what runs, even if an earlier one of the same length has left its compiled code", () => {
    const folder = folderOfTest();
    for (const name of ["bin", "dist"])
      cpSync(ROOT + name, join(folder, name), { recursive: true });
    const launcher = join(folder, "bin", "monitor.js");
    expect(runNode([launcher, "--version"]).stdout).toBe(`${VERSION}\n`);
    writeFileSync(join(folder, "dist", "monitor.js"), program.replaceAll(VERSION, "9.9.9"));
    expect(runNode([launcher, "--version"]).stdout).toBe("9.9.9\n");
  });
});
