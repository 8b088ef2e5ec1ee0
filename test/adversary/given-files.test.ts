// Files that are named to be read and are anything but files: each ends in one line within its time, and takes no memory
// that it should not.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConfig } from "../../src/config/config-file.ts";
import { encodeLine, FORMAT_VERSION } from "../../src/timeline/entry.ts";
import { runInside } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const MIB = 1024 * 1024;
const HEADING = `${encodeLine({ t: 0, w: 0, recording: FORMAT_VERSION, settings: SETTINGS })}\n`;
/** The most memory that the process has had since it began, as Linux counts it. */
const TELL_PEAK =
  "import fs from 'node:fs';process.on('exit',()=>console.error(/VmHWM.*/.exec(fs.readFileSync('/proc/self/status','utf8'))[0]))";

const folder = folderOfFile();
const at = (name: string) => join(folder, name);
const held: number[] = [];

/** A pipe that somebody holds open without a word, or nobody at all. */
function makePipe(name: string, isHeld: boolean): number {
  execFileSync("sh", ["-c", `mkfifo ${at(name)}`]);
  if (!isHeld) return -1;
  const fd = openSync(at(name), constants.O_RDWR | constants.O_NONBLOCK);
  held.push(fd);
  return fd;
}

const unixSocket = createServer();
beforeAll(async () => {
  makePipe("silent", true);
  makePipe("nobody", false);
  writeSync(makePipe("begun", true), HEADING.slice(0, 40));
  await mkdir(at("folder"));
  await symlink(at("loop"), at("loop"));
  await writeFile(at("empty"), "");
  await writeFile(at("sparse"), HEADING);
  await truncate(at("sparse"), 4096 * MIB);
  await new Promise<void>((resolve) => unixSocket.listen(at("socket"), resolve));
});
afterAll(() => {
  for (const fd of held) closeSync(fd);
  unixSocket.close();
});

/** One line that says what is wrong, perhaps one of advice, and no stack. */
function expectOneLine(stderr: string, pattern: RegExp): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines[0]).toMatch(pattern);
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(stderr).not.toContain("unexpected error");
}

/** Runs a replay as a process of its own. @returns also the most memory that it took, MiB */
async function replay(path: string, ...args: readonly string[]) {
  const env = { NODE_OPTIONS: `--import "data:text/javascript,${TELL_PEAK}"` };
  const ended = await runMonitor(["replay", path, "--once", ...args], { env });
  const [line = "", kilobytes] = /VmHWM:\s+(\d+) kB\n/.exec(ended.stderr) ?? [];
  return { ...ended, stderr: ended.stderr.replace(line, ""), peak: Number(kilobytes) / 1024 };
}

const LIVE = ["perp/1", "--once", "--ws-url", "ws://127.0.0.1:1"];
const ODD: readonly (readonly [name: string, path: () => string, why: RegExp])[] = [
  ["a pipe that says nothing", () => at("silent"), /nothing was received in 0\.5 s/],
  ["a pipe that nobody writes to", () => at("nobody"), /nothing was received in 0\.5 s/],
  ["a pipe that stops half way", () => at("begun"), /nothing was received in 0\.5 s/],
  ["a folder", () => at("folder"), /it is a folder/],
  ["a socket", () => at("socket"), /ENXIO/],
  ["a link to itself", () => at("loop"), /ELOOP/],
  ["a file that is not there", () => at("none"), /ENOENT/],
];
const ENDLESS: typeof ODD = [
  ["a device without end", () => "/dev/zero", /larger than 1 MiB|line is too long/],
  ["a device of noise", () => "/dev/urandom", /larger than 1 MiB|too long|no recording/],
  ["a file of 4 GiB of nothing", () => at("sparse"), /larger than 1 MiB|line is too long/],
];
// What says nothing ends with the time, everything else before it, however busy the machine is.
const timeoutFor = (why: RegExp) => ["--timeout", why.source.includes("nothing") ? "500ms" : "60s"];

describe.concurrent("a file that is named to be read", () => {
  test.each([...ODD, ...ENDLESS])(
    "and is %s ends a command with one line: the config file",
    async (_, path, why) => {
      const args = [...LIVE, ...timeoutFor(why), "--config", path()];
      const { code, stderr, stdout } = await runInside(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expectOneLine(stderr, /^monitor: the config file cannot be read: /);
      expect(stderr).toMatch(why);
    },
  );

  test.each([
    ["the doctor", () => ["doctor", "--ws-url", "ws://127.0.0.1:1"]],
    ["a recording", () => ["replay", at("empty"), "--once"]],
    ["its check", () => ["config", "check"]],
  ])("ends %s with one line where it is the config file", async (_, args) => {
    const { code, stderr, stdout } = await runInside([...args(), "--config", at("folder")]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expectOneLine(stderr, /^monitor: the config file cannot be read: .*it is a folder/);
  });

  test.each(ODD)("and is %s ends a replay with one line", async (_, path, why) => {
    const { code, stderr, stdout } = await runInside([
      ...["replay", path(), "--once"],
      ...timeoutFor(why),
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expectOneLine(stderr, why.source.includes("ENO") ? why : /recording/);
  });

  test.each(ENDLESS)(
    "and is %s ends a replay with one line, in a few megabytes",
    async (_, path, why) => {
      const { code, stderr, stdout, peak } = await replay(path(), ...timeoutFor(why));
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expectOneLine(stderr, /recording/);
      expect(peak).toBeLessThan(200);
    },
  );

  test("waits ten seconds for a pipe where no time is given, and ends at once on a signal", async () => {
    let isAsked = false;
    const args = ["config", "check", "--config", at("silent")];
    const run = runMonitor(args, {
      onStart: async (kill, pid) => {
        // Until the program has opened the pipe.
        while (!isAsked) {
          isAsked = hasOpen(pid, at("silent"));
          await new Promise((resolve) => setImmediate(resolve));
        }
        kill("SIGTERM");
      },
    });
    expect(await run).toMatchObject({ code: 143, stdout: "", stderr: "" });
  });

  test.each([
    ["the shell's own pipe", `<(printf 'ws_url = "ws://127.0.0.1:1"')`],
    ["standard input", `/dev/stdin < <(printf 'ws_url = "ws://127.0.0.1:1"')`],
    ["nothing at all", "/dev/null --ws-url ws://127.0.0.1:1"],
  ])("may be %s: the config file is read once, and holds", async (_, config) => {
    const program = `${process.execPath} bin/monitor.js perp/1 --once --timeout 300ms`;
    const stderr = await runShell(`${program} --config ${config}`);
    expect(stderr).toMatch(/^monitor: not complete: bbo \(no connection/);
  });

  test("may be a pipe: a recording is replayed from it", async () => {
    await writeFile(at("whole"), `${HEADING}${'{"t":1,"w":1,"pass":true}\n'.repeat(3)}`);
    const program = `${process.execPath} bin/monitor.js replay /dev/stdin perp/1 --once`;
    const stderr = await runShell(`gzip -c ${at("whole")} | ${program}`);
    expect(stderr).not.toContain("cannot be read");
    expect(stderr).not.toContain("is no recording");
  });
});

/** @returns what was said on standard error */
async function runShell(script: string): Promise<string> {
  const shell = spawn("bash", ["-c", script], { stdio: ["ignore", "ignore", "pipe"] });
  return (await shell.stderr.toArray()).join("");
}

describe.concurrent("a recording that is a bomb", () => {
  test.each([
    ["of one line of 200 MB", "", 200],
    ["of a heading and one line of 200 MB", HEADING, 350],
  ])("%s is refused by its beginning", async (name, heading, mostMib) => {
    const members = Array(200).fill(gzipSync("x".repeat(MIB)));
    await writeFile(at(`${name}.gz`), [gzipSync(heading), ...members]);
    const { code, stderr, peak } = await replay(at(`${name}.gz`), "perp/1");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^monitor: the recording cannot be read: a line is too long\n/);
    expect(peak).toBeLessThan(mostMib);
  });

  test.each([
    ["lists", "[".repeat(8 * MIB)],
    ["objects", '{"a":'.repeat(2 * MIB)],
    ["a rejected event", `{"t":1,"w":1,"event":${'{"a":'.repeat(MIB)}1${"}".repeat(MIB)}}`],
  ])("of deep %s is refused by the number of its line", async (name, line) => {
    await writeFile(at(`deep ${name}.gz`), gzipSync(`${HEADING}${line}\n`));
    const { code, stderr, peak } = await replay(at(`deep ${name}.gz`), "perp/1");
    expect(code).toBe(1);
    expect(stderr).toMatch(/:2: not a line of a recording\n/);
    expect(peak).toBeLessThan(350);
  });
});

/** Another descriptor may be closed while they are read. */
function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === path;
    } catch {
      return false;
    }
  });
}

describe("a config file that is a bomb", () => {
  test.each([
    ["lists in one another", `a = ${"[".repeat(500_000)}`],
    ["tables in one another", `a = ${"{a=".repeat(300_000)}`],
    ["dots", `${"a.".repeat(400_000)}a = 1`],
    ["a long key", `${"x".repeat(1_000_000)} = 1`],
    ["headings", "[a.b]\n".repeat(150_000)],
    ["dots in a heading", `[${"a.".repeat(400_000)}a]`],
    ["dots in lists", `[[a]]\n[${"a.".repeat(1000)}a]\nb = 1`],
    ["tables of a list", "[[alerts]]\n".repeat(80_000)],
    ["a list of numbers", `a = [${"1,".repeat(400_000)}1]`],
    ["profiles", Array.from({ length: 40_000 }, (_, i) => `[profiles.p${i}]\nx=1`).join("\n")],
    ["keys", Array.from({ length: 50_000 }, (_, i) => `k${i} = 1`).join("\n")],
    ["an open text", `a = "${"\\n".repeat(500_000)}`],
    ["an open long text", `a = """${"x\n".repeat(500_000)}`],
    ["comments", "#\n".repeat(500_000)],
    ["no letters", "\0".repeat(1_000_000)],
  ])("is checked in a moment: %s", (_, text) => {
    const { problems, config } = checkConfig(text);
    expect(config === undefined).toBe(problems.length > 0);
  });
});

test("a recording of candles of an unknown interval is refused by name", async () => {
  const settings = { ...SETTINGS, interval: "2m" };
  const heading = encodeLine({ t: 0, w: 0, recording: FORMAT_VERSION, settings });
  await writeFile(at("two-minutes"), `${heading}\n`);
  const { code, stderr } = await runInside(["replay", at("two-minutes"), "--once"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/two-minutes is of candles of an unknown interval: "2m"/);
});
