// Whatever stands where an export writes: only what is its own is replaced, and nothing else is followed, changed or waited for.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ListingOptions, OWNER } from "../support/composed-listing.ts";
import { monitor, startExport } from "../support/export-run.ts";

const PRECIOUS = "what must stay as it is\n";
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 65_534;

const start = (options: Partial<ListingOptions> = {}) =>
  startExport({ transactions: 20, ...options }, "t.csv");

const BESIDE = ["part", "part.journal", "part.lock", "part.lock.taking"];

describe("a file beside the one that is exported", () => {
  test.each([...BESIDE, "part.whole"])(
    "that is called .%s and is somebody else's stays",
    async (ending) => {
      const { run, fileOf, read, folder, listing } = await start();
      writeFileSync(fileOf(`t.csv.${ending}`), PRECIOUS, { mode: 0o600 });
      for (const words of ["", "--oldest-first", "--append", "--force --oldest-first"]) {
        expect(await run(words)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(ending),
        });
        expect(read(`t.csv.${ending}`)).toBe(PRECIOUS);
      }
      expect(readdirSync(folder)).toEqual([`t.csv.${ending}`]);
      expect(listing.requests).toBe(0);
    },
  );

  const attacks: Readonly<Record<string, (path: string, precious: string) => void>> = {
    link: (path, precious) => symlinkSync(precious, path),
    "second name": (path, precious) => linkSync(precious, path),
    device: (path) => symlinkSync("/dev/zero", path),
    pipe: (path) => void spawnSync("sh", ["-c", `mkfifo ${path}`]),
    folder: (path) => void mkdirSync(path),
    ...(isRoot && {
      "file of another user": (path: string) => {
        writeFileSync(path, PRECIOUS, { mode: 0o666 });
        chownSync(path, SOMEBODY, SOMEBODY);
      },
    }),
  };

  test.each(
    BESIDE.flatMap((name) => Object.keys(attacks).map((attack) => [name, attack] as const)),
  )(".%s is not used when it is a %s", async (name, attack) => {
    const { run, fileOf, read } = await start();
    writeFileSync(fileOf("precious"), PRECIOUS, { mode: 0o600 });
    const path = fileOf(`t.csv.${name}`);
    attacks[attack]?.(path, fileOf("precious"));
    const before = lstatSync(path);
    expect((await run()).code).toBeGreaterThan(0);
    expect(existsSync(fileOf("t.csv"))).toBe(false);
    const after = lstatSync(path);
    expect([after.ino, after.mode, after.size]).toEqual([before.ino, before.mode, before.size]);
    expect(read("precious")).toBe(PRECIOUS);
  });

  test.each([
    ["no JSON", (text: string) => text.slice(5)],
    ["of another version", (text: string) => text.replace(/"version":[0-9]+/, '"version":99')],
    ["with another kind of value", (text: string) => text.replace(/"end":[0-9]+/, '"end":"x"')],
  ])("a journal that is %s is named and left as it is", async (_, change) => {
    const { run, fileOf, read, listing } = await start({ transactions: 90 });
    listing.insteadOf = (count) => (count > 4 ? [403, ""] : undefined);
    await run("--page-size 20");
    const [text, part] = [change(read("t.csv.part.journal")), read("t.csv.part")];
    writeFileSync(fileOf("t.csv.part.journal"), text);
    const before = listing.requests;
    expect(await run("--page-size 20")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("t.csv.part.journal"),
    });
    expect([read("t.csv.part.journal"), read("t.csv.part")]).toEqual([text, part]);
    expect(listing.requests).toBe(before);
  });

  test.each(["", '{"monitor":"jour', '{"monitor":"journal of an export","version":3,"exp'])(
    "a journal that is cut in its first line is begun anew: %j",
    async (text) => {
      const { run, fileOf, folder } = await start();
      writeFileSync(fileOf("t.csv.part.journal"), text, { mode: 0o600 });
      expect((await run()).code).toBe(0);
      expect(readdirSync(folder)).toEqual(["t.csv"]);
    },
  );

  test("a lock of another machine keeps an export away, and says of which process it is", async () => {
    const { run, fileOf, read } = await start();
    const theirs = { monitor: "lock of an export", host: "elsewhere", pid: 17, started: "1" };
    const text = JSON.stringify(theirs);
    writeFileSync(fileOf("t.csv.part.lock"), text, { mode: 0o600 });
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/process 17\).*\n.*remove .*t\.csv\.part\.lock/),
    });
    expect(read("t.csv.part.lock")).toBe(text);
  });

  test("a part file that is not what its journal says is left as it is", async () => {
    const { run, fileOf, read, listing } = await start({ transactions: 90 });
    listing.insteadOf = (count) => (count > 4 ? [403, ""] : undefined);
    await run("--page-size 20");
    const part = read("t.csv.part").replace(/[0-9]/, "x");
    writeFileSync(fileOf("t.csv.part"), part);
    expect((await run("--page-size 20")).code).toBe(2);
    expect(read("t.csv.part")).toBe(part);
  });

  test("a lock keeps two exports apart, and one of a process that is gone does not", async () => {
    const { run, listing, fileOf, folder } = await start();
    let second: Promise<{ readonly code: number; readonly stderr: string }> | undefined;
    listing.onRequest = (count) => {
      if (count === 1) second = run();
    };
    expect((await run()).code).toBe(0);
    expect(await second).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/process [0-9]+/),
    });
    for (const text of [
      "",
      '{"monitor":"lock of an ex',
      '{"monitor":"lock of an export","host":"h"}',
      '{"monitor":"lock of an export","host":"h","pid":"1","started":"1"}',
      '{"monitor":"lock of an export","host":"h","pid":1}',
    ]) {
      writeFileSync(fileOf("t.csv.part.lock"), text, { mode: 0o600 });
      expect((await run()).code).toBe(0);
    }
    expect(readdirSync(folder)).toEqual(["t.csv"]);
  });
});

test.runIf(process.platform === "linux")(
  "a lock of a process that is dead, but whose parent has not noticed, keeps nobody off",
  async () => {
    const { run, fileOf } = await start();
    // What is executed waits for no child that its shell has started.
    const parent = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 60"]);
    onTestFinished(() => void parent.kill());
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(String(line));
    const stat = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    await vi.waitFor(() => expect(stat()[0]).toBe("Z"), 10_000);
    const dead = { monitor: "lock of an export", host: hostname(), pid, started: stat()[19] };
    writeFileSync(fileOf("t.csv.part.lock"), JSON.stringify(dead), { mode: 0o600 });
    expect((await run()).code).toBe(0);
  },
);

describe("a file that an export would replace", () => {
  test.each<[what: string, change: (own: string) => string]>([
    ["is a letter", () => "Dear all,\nthis is no export.\n"],
    ["has the header of something else", () => "a,b\r\n1,2\r\n"],
    ["has our header and a row that is none", (own) => `${own.split("\r\n")[0]}\r\nx\r\n`],
    ["has rows of another market", (own) => own.replaceAll(",perp,1,", ",perp,2,")],
    ["has rows of another market type", (own) => own.replaceAll(",perp,1,", ",spot,1,")],
    ["ends with something else", (own) => `${own}and a note\n`],
    ["is cut", (own) => own.slice(0, -30)],
  ])("is kept when it %s, and replaced with --force", async (_, change) => {
    const { run, read, fileOf, listing, folder } = await start();
    await run();
    const [own, before] = [read("t.csv"), listing.requests];
    const text = change(own);
    writeFileSync(fileOf("t.csv"), text);
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/t.csv is not an export of trades perp\/1 as csv\n.*--force/),
    });
    expect([read("t.csv"), listing.requests]).toEqual([text, before]);
    expect((await run("--force")).code).toBe(0);
    expect(read("t.csv")).toBe(own);
    expect(readdirSync(folder)).toEqual(["t.csv"]);
  });

  test.each<[kind: ListingOptions["kind"], name: string]>([
    ["trades", "t.csv"],
    ["trades", "t.ndjson"],
    ["fills", "f.csv"],
    ["fills", "f.ndjson"],
    ["liquidations", "l.csv"],
    ["liquidations", "l.ndjson"],
  ])("is replaced when it is its own, of %s in %s", async (kind, name) => {
    const { run, folder } = await start({ kind, arrivals: 1 });
    for (const words of ["", "--oldest-first", ""]) {
      const { code, stderr } = await run(words, name);
      expect(code, stderr).toBe(0);
    }
    expect(readdirSync(folder)).toEqual([name]);
  });

  test.each(["t.csv", "t.ndjson"])("is replaced when it is empty: %s", async (name) => {
    const { run, fileOf } = await start();
    writeFileSync(fileOf(name), "");
    expect((await run("", name)).code).toBe(0);
    expect(statSync(fileOf(name)).size).toBeGreaterThan(0);
  });

  test("is kept when it is the fills of another subaccount", async () => {
    const { run, read, listing, fileOf } = await start({ kind: "fills" });
    await run("", "f.csv");
    const text = read("f.csv");
    for (const whose of [`${OWNER} 7`, `0x${"99".repeat(20)} 1`]) {
      const { code } = await monitor(`export fills ${whose} -o ${fileOf("f.csv")}`, listing);
      expect(code).toBe(2);
    }
    expect(read("f.csv")).toBe(text);
  });

  test("keeps its mode and its other names, and a new one is its owner's alone", async () => {
    const { run, fileOf, read } = await start({ arrivals: 1 });
    await run(`--manifest ${fileOf("m.json")}`);
    const modes = ["t.csv", "m.json"].map((name) => statSync(fileOf(name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
    chmodSync(fileOf("t.csv"), 0o640);
    linkSync(fileOf("t.csv"), fileOf("other.csv"));
    const before = read("t.csv");
    await run();
    expect(statSync(fileOf("t.csv")).mode & 0o777).toBe(0o640);
    expect(read("other.csv")).toBe(before);
    expect(read("t.csv")).not.toBe(before);
  });

  test("is kept when it becomes another one while the export runs, and so is what is proven", async () => {
    const { run, fileOf, read, listing } = await start();
    listing.onRequest = (count) => {
      if (count === 2) writeFileSync(fileOf("t.csv"), PRECIOUS);
    };
    expect((await run()).code).toBe(2);
    expect(read("t.csv")).toBe(PRECIOUS);
    expect(existsSync(fileOf("t.csv.part"))).toBe(true);
  });

  test("that is added to keeps what somebody else puts in meanwhile", async () => {
    const { run, fileOf, read, listing } = await start({ arrivals: 1 });
    await run("--append");
    const theirs = `${read("t.csv")}${read("t.csv").split("\r\n")[1]}\r\n`;
    const from = listing.requests;
    listing.onRequest = (count) => {
      if (count === from + 2) writeFileSync(fileOf("t.csv"), theirs);
    };
    expect(await run("--append")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("t.csv was changed"),
    });
    expect(read("t.csv")).toBe(theirs);
  });
});

describe("a name that leads to", () => {
  test("a link is written at its end", async () => {
    const { run, fileOf, read } = await start();
    mkdirSync(fileOf("real"));
    symlinkSync(fileOf("real/t.csv"), fileOf("t.csv"));
    expect((await run()).code).toBe(0);
    expect(lstatSync(fileOf("t.csv")).isSymbolicLink()).toBe(true);
    expect(read("real/t.csv")).toMatch(/^trade_id,/);
    expect(readdirSync(fileOf("real"))).toEqual(["t.csv"]);
  });

  test("a device is written in place", async () => {
    const { run, fileOf, folder } = await start();
    symlinkSync("/dev/null", fileOf("t.csv"));
    expect((await run()).code).toBe(0);
    expect((await run("--oldest-first")).code).toBe(0);
    expect(lstatSync(fileOf("t.csv")).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder)).toEqual(["t.csv"]);
  });

  test("a pipe that nobody reads, a folder, or no folder ends it before any request", async () => {
    const { run, fileOf, listing } = await start();
    spawnSync("sh", ["-c", `mkfifo ${fileOf("pipe")}`]);
    mkdirSync(fileOf("folder"));
    expect((await run("", "pipe")).code).toBe(2);
    expect((await run("", "folder")).code).toBe(2);
    expect(await run("", "none/t.csv")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no such folder"),
    });
    expect(listing.requests).toBe(0);
  });
});

describe("a manifest", () => {
  test("says what was exported, its digest and how it is proven, and replaces that of the same listing", async () => {
    const { run, read, fileOf, listing } = await start({ transactions: 60 });
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await run(`--manifest ${fileOf("m.json")}`);
      expect(code, stderr).toBe(0);
    }
    const digest = createHash("sha256").update(read("t.csv")).digest("hex");
    expect(JSON.parse(read("m.json"))).toMatchObject({
      listing: "trades perp/1",
      base_url: listing.baseUrl,
      file: fileOf("t.csv"),
      format: "csv",
      sha256: digest,
      rows: listing.rows.length,
      complete: true,
      proof: expect.stringContaining("nothing older in"),
    });
  });

  test.each<[what: string, change: (own: string) => string]>([
    ["a letter", () => PRECIOUS],
    ["an object", () => '{"name":"monitor","version":"1.0.0"}'],
    ["of another listing", (own) => own.replace("trades perp/1", "trades perp/2")],
    ["a list of names", () => '{"listing":"trades perp/1","complete":"who knows"}'],
    ["far too long", (own) => own + " ".repeat(1 << 16)],
  ])("leaves what is there when it is %s, unless --force is given", async (_, change) => {
    const { run, read, fileOf, listing } = await start();
    const words = `--manifest ${fileOf("m.json")}`;
    await run(words);
    const there = change(read("m.json"));
    writeFileSync(fileOf("m.json"), there);
    const before = listing.requests;
    expect(await run(words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/m\.json.*\n.*--force/),
    });
    expect([read("m.json"), listing.requests]).toEqual([there, before]);
    expect((await run(`${words} --force`)).code).toBe(0);
    expect(JSON.parse(read("m.json"))).toMatchObject({ listing: "trades perp/1" });
  });

  test("has no times where there are no rows, no file where it is standard output, and replaces an empty one", async () => {
    const { read, fileOf, listing } = await start({ transactions: 0 });
    writeFileSync(fileOf("m.json"), "");
    const words = `export ${listing.words} --manifest ${fileOf("m.json")}`;
    expect((await monitor(words, listing)).code).toBe(0);
    expect(JSON.parse(read("m.json"))).toMatchObject({
      ...{ file: null, sha256: null, newest: null, oldest: null },
      ...{ rows: 0, pages: 0, requests: 9, retries: 0, complete: true },
    });
  });

  test("does not go by the name of the export", async () => {
    const { run, fileOf, listing } = await start();
    expect((await run(`--manifest ${fileOf("t.csv")}`)).code).toBe(2);
    expect(listing.requests).toBe(0);
  });
});
