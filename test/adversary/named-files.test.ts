// What stands at a path that a user names for writing, and beside it, when the program comes: nothing that it has not made
// itself is replaced, changed, renamed or removed.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/system/log-file.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor, monitorProcess } from "../support/export-rig.ts";
import { OWNER } from "../support/foreign-listings.ts";
import { runInside } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { serveTrades, tradesDownFrom } from "../support/trades-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const rig = exportRig();
const { fileOf } = rig;
/** Ids near zero: below the last row little is left to be looked at. */
const start = (options: Parameters<typeof rig.start>[0]) =>
  rig.start({ firstId: 1000n, ...options });
const PRECIOUS = "what must stay as it is\n";
const isLinuxRoot = process.platform === "linux" && process.getuid?.() === 0;

const precious = (name: string) => writeFileSync(fileOf(name), PRECIOUS, { mode: 0o644 });

/** What stands at a path, as far as a program could change it. */
function facts(name: string) {
  const { ino, mode, size, uid, rdev } = lstatSync(fileOf(name));
  return { ino, mode, size, uid, rdev };
}

/** A device of a test's own: those of the machine are left alone. */
function makeDevice(name: string, kind: "c" | "b", major: number, minor: number): void {
  expect(spawnSync("mknod", [fileOf(name), kind, `${major}`, `${minor}`]).status).toBe(0);
  chmodSync(fileOf(name), 0o666);
}

const makePipe = (name: string) =>
  expect(spawnSync("sh", ["-c", `mkfifo ${fileOf(name)}`]).status).toBe(0);

/** Exports the trades of the market, with this option for a file of that name and `-o t.csv` if it is another one. */
const exportWith = (option: string, name: string, listings: { readonly baseUrl: string }) =>
  monitor(
    `trades 1 ${option} ${fileOf(name)}${option === "-o" ? "" : ` -o ${fileOf("t.csv")}`}`,
    listings,
  );

/** The same with `-o` for `t.csv` and these words. */
const exportTrades = (listings: { readonly baseUrl: string }, words = "") =>
  monitor(`trades 1 -o ${fileOf("t.csv")} ${words}`.trim(), listings);

/** The program has refused, and said this. */
const refusal = (stderr: RegExp) => ({
  code: 2,
  stdout: "",
  stderr: expect.stringMatching(stderr),
});

/** Reads a pipe to its end. */
async function readerOf(name: string) {
  const child = spawn("cat", [fileOf(name)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(text)));
  // Held open for reading until the reader is there, too.
  const held = openSync(fileOf(name), constants.O_RDONLY | constants.O_NONBLOCK);
  return { ended, release: () => closeSync(held) };
}

describe.skipIf(!isLinuxRoot)("a device that is named for writing", () => {
  test.each(["-o", "--manifest", "--log"])(
    "%s writes to it and leaves it what it is",
    async (option) => {
      const listings = await start({ transactions: 20 });
      makeDevice("null", "c", 1, 3);
      const before = facts("null");
      const { code, stderr } = await exportWith(option, "null", listings);
      expect(stderr).toContain("complete: yes");
      expect(code).toBe(0);
      expect(facts("null")).toEqual(before);
      expect(readdirSync(rig.folder).sort()).toEqual([
        "null",
        ...(option === "-o" ? [] : ["t.csv"]),
      ]);
    },
  );

  test("through a link, which stays, too", async () => {
    const listings = await start({ transactions: 20 });
    makeDevice("null", "c", 1, 3);
    symlinkSync("null", fileOf("m.json"));
    const before = facts("null");
    expect((await exportWith("--manifest", "m.json", listings)).code).toBe(0);
    expect(facts("null")).toEqual(before);
    expect(readlinkSync(fileOf("m.json"))).toBe("null");
  });

  test.each(["-o", "--manifest"])("%s on one that is full says so, with 1", async (option) => {
    const listings = await start({ transactions: 20 });
    makeDevice("full", "c", 1, 7);
    const before = facts("full");
    const { code, stderr } = await exportWith(option, "full", listings);
    expect(stderr).toContain(
      `monitor: cannot write ${fileOf("full")}: the disk is full (ENOSPC)\n`,
    );
    expect(stderr).not.toContain("goes on");
    expect(code).toBe(1);
    expect(facts("full")).toEqual(before);
    // What was exported is whole: only what tells of it could not be written.
    if (option === "-o") return;
    expect(stderr).toContain("complete: yes");
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(listings.trades));
  });

  test("is refused when it is a disk", async () => {
    const listings = await start({ transactions: 20 });
    makeDevice("disk", "b", 7, 250);
    for (const option of ["-o", "--manifest", "--log"]) {
      expect(await exportWith(option, "disk", listings)).toMatchObject(refusal(/is a disk\n/));
    }
    expect(listings.requests).toEqual([]);
  });

  test("cannot be added to", async () => {
    const listings = await start({ transactions: 20 });
    makeDevice("null", "c", 1, 3);
    const ended = await monitor(`trades 1 --append -o ${fileOf("null")}`, listings);
    expect(ended).toMatchObject(refusal(/--append/));
  });
});

describe("a pipe that is named for writing", () => {
  test.each(["", " --oldest-first"])("gets the rows as they come%s", async (order) => {
    const listings = await start({ transactions: 400 });
    makePipe("pipe");
    const reader = await readerOf("pipe");
    const ended = await monitor(`trades 1 -o ${fileOf("pipe")}${order}`, listings);
    reader.release();
    const rows = rowsOf(await reader.ended);
    expect(ended.stderr).toContain("complete: yes");
    expect(ended.code).toBe(0);
    const ledger = asTrades(listings.trades);
    expect(rows).toEqual(order === "" ? ledger : ledger.reverse());
    expect(lstatSync(fileOf("pipe")).isFIFO()).toBe(true);
    expect(readdirSync(rig.folder)).toEqual(["pipe"]);
  });

  test.each(["-o", "--manifest", "--log"])(
    "%s is refused where nobody reads it",
    async (option) => {
      const listings = await start({ transactions: 20 });
      makePipe("pipe");
      expect(await exportWith(option, "pipe", listings)).toMatchObject(
        refusal(/^monitor: nobody reads the pipe .*\/pipe\n.+\n$/),
      );
      expect(lstatSync(fileOf("pipe")).isFIFO()).toBe(true);
      expect(listings.requests).toEqual([]);
    },
  );

  test("whose reader goes away ends the export with 1", async () => {
    const listings = await start({ transactions: 3000 });
    makePipe("pipe");
    const held = openSync(fileOf("pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
    listings.onRequest = (count) => {
      if (count === 4) closeSync(held);
    };
    const { code, stderr } = await monitor(
      `trades 1 -o ${fileOf("pipe")} --page-size 100`,
      listings,
    );
    expect(stderr).toMatch(/complete: no \(failed: .*\nmonitor: cannot write \S+: .*\(EPIPE\)\n/);
    expect(code).toBe(1);
  });
});

test("an open file of the process is written where it stands", async () => {
  const listings = await start({ transactions: 20 });
  const ledger = asTrades(listings.trades);
  const { code, stdout } = await monitorProcess("trades 1 -o /dev/stdout", listings);
  expect(code).toBe(0);
  expect(rowsOf(stdout)).toEqual(ledger);
  writeFileSync(fileOf("out"), "before\n");
  const args = ["export", "trades", "1", "-o", "/dev/fd/7", "--base-url", listings.baseUrl];
  const ended = await runMonitor(args, { shell: { after: `7>>${fileOf("out")}` } });
  expect(ended.code, ended.stderr).toBe(0);
  expect(rig.read("out").startsWith("before\n")).toBe(true);
  expect(rowsOf(rig.read("out").slice("before\n".length))).toEqual(ledger);
});

describe("a link that is named for writing", () => {
  test("stays, and the file that it leads to is made or replaced", async () => {
    const listings = await start({ transactions: 20 });
    mkdirSync(fileOf("there"));
    symlinkSync("there/t.csv", fileOf("t.csv"));
    symlinkSync("there/m.json", fileOf("m.json"));
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await exportWith("--manifest", "m.json", listings);
      expect(code, stderr).toBe(0);
      expect(readlinkSync(fileOf("t.csv"))).toBe("there/t.csv");
      expect(readlinkSync(fileOf("m.json"))).toBe("there/m.json");
      expect(rowsOf(rig.read("there/t.csv"))).toEqual(asTrades(listings.trades));
      expect(readdirSync(fileOf("there")).sort()).toEqual(["m.json", "t.csv"]);
    }
  });

  test("that leads in a circle is refused", async () => {
    symlinkSync("b", fileOf("a"));
    symlinkSync("a", fileOf("b"));
    for (const option of ["-o", "--manifest", "--log"]) {
      const ended = await exportWith(option, "a", { baseUrl: "http://127.0.0.1:1" });
      expect(ended).toMatchObject(refusal(/links/));
    }
  });
});

/** An export that a fault has stopped in its middle, with what is kept of it. */
async function stoppedExport() {
  let requests = 0;
  let isBroken = true;
  const server = await serveTrades(tradesDownFrom(90), () => {
    requests++;
    return isBroken && requests > 3 ? { status: 404, body: "gone" } : undefined;
  });
  const goOn = () => exportTrades(server, "--page-size 20");
  expect((await goOn()).code).toBe(1);
  isBroken = false;
  return { goOn, asked: () => requests };
}

describe("a file beside the one that is exported", () => {
  const beside = [
    "part",
    "part.journal",
    "part.journal.tmp",
    "part.lock",
    "part.lock.taking",
    "part.whole",
  ];

  test.each(beside)(
    "that is called .%s and is somebody else's is left as it is",
    async (ending) => {
      const listings = await start({ transactions: 20 });
      precious(`t.csv.${ending}`);
      const before = facts(`t.csv.${ending}`);
      for (const words of ["", "--oldest-first", "--append", "--force"]) {
        const ended = await exportTrades(listings, words);
        expect(ended).toMatchObject(refusal(/^monitor: \S+ is not of an export.*\n.+\n$/));
        expect(ended.stderr).toContain(fileOf(`t.csv.${ending}`));
        expect(facts(`t.csv.${ending}`)).toEqual(before);
        expect(rig.read(`t.csv.${ending}`)).toBe(PRECIOUS);
      }
      expect(readdirSync(rig.folder)).toEqual([`t.csv.${ending}`]);
      expect(listings.requests).toEqual([]);
    },
  );

  test.each([
    ["of another version", (text: string) => text.replace(/"version":[0-9]+/, '"version":99')],
    ["of the first version", () => '{"version":1,"identity":"x","bytes":4}'],
    ["cut", (text: string) => text.slice(0, -40)],
    ["with another kind of value", (text: string) => text.replace(/"bytes":[0-9]+/, '"bytes":-1')],
    ["that is polluted", (text: string) => text.replace('"bytes"', '"__proto__":{"x":1},"bytes_"')],
  ])("a journal %s is named and left as it is", async (_, change) => {
    const { goOn, asked } = await stoppedExport();
    const text = change(rig.read("t.csv.part.journal"));
    writeFileSync(fileOf("t.csv.part.journal"), text);
    const part = rig.read("t.csv.part");
    const before = asked();
    const ended = await goOn();
    expect(ended).toMatchObject(refusal(/^.*\n.*\n$/));
    expect(ended.stderr).toContain("t.csv.part.journal");
    expect(rig.read("t.csv.part.journal")).toBe(text);
    expect(rig.read("t.csv.part")).toBe(part);
    expect(asked()).toBe(before);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("a part file that is not what its journal says is named and left as it is", async () => {
    const { goOn } = await stoppedExport();
    precious("t.csv.part");
    expect(await goOn()).toMatchObject(refusal(/t\.csv\.part is not what/));
    expect(rig.read("t.csv.part")).toBe(PRECIOUS);
  });

  test("no temporary file of a manifest takes the place of another", async () => {
    const listings = await start({ transactions: 20 });
    precious("m.json.tmp");
    expect((await exportWith("--manifest", "m.json", listings)).code).toBe(0);
    expect(rig.read("m.json.tmp")).toBe(PRECIOUS);
    expect(JSON.parse(rig.read("m.json"))).toMatchObject({ complete: true });
    expect(readdirSync(rig.folder).sort()).toEqual(["m.json", "m.json.tmp", "t.csv"]);
  });

  test.each(["t.csv.part", "t.csv.part.journal", "t.csv.part.lock", "t.csv"])(
    "%s is no name for a manifest or a log",
    async (name) => {
      const listings = await start({ transactions: 20 });
      for (const option of ["--manifest", "--log"]) {
        const ended = await exportWith(option, name, listings);
        expect(ended).toMatchObject(refusal(new RegExp(option)));
      }
      expect(listings.requests).toEqual([]);
    },
  );
});

describe("a file that an export would replace", () => {
  const letter = "Dear all,\nthis is no export.\n";

  test.each<[what: string, text: (own: string) => string]>([
    ["is a letter", () => letter],
    ["has the header of something else", () => "a,b\r\n1,2\r\n"],
    ["has our header and a row that is none", (own) => `${own.split("\r\n")[0]}\r\nx\r\n`],
    ["has rows of another market", (own) => own.replaceAll(",perp,1,", ",perp,2,")],
    ["has rows of another market type", (own) => own.replaceAll(",perp,1,", ",spot,1,")],
    ["ends with something else", (own) => `${own}and a note\n`],
    ["is cut", (own) => own.slice(0, -30)],
  ])("is kept when it %s, and replaced with --force", async (_, change) => {
    const listings = await start({ transactions: 20 });
    await monitor(`trades 1 -o ${fileOf("own.csv")}`, listings);
    const asked = listings.requests.length;
    const text = change(rig.read("own.csv"));
    writeFileSync(fileOf("t.csv"), text);
    expect(await exportTrades(listings)).toMatchObject(
      refusal(/^monitor: \S+t\.csv is not an export of trades perp\/1.*\n.*--force.*\n$/),
    );
    expect(rig.read("t.csv")).toBe(text);
    expect(listings.requests.length).toBe(asked);
    expect((await exportTrades(listings, "--force")).code).toBe(0);
    expect(rig.read("t.csv")).toBe(rig.read("own.csv"));
    expect(readdirSync(rig.folder).sort()).toEqual(["own.csv", "t.csv"]);
  });

  test.each([
    ["trades 1 -o FILE", "t.csv"],
    ["trades 1 --oldest-first -o FILE", "t.csv"],
    ["trades 1 --raw-cells --max 3 -o FILE", "t.csv"],
    ["trades 1 -o FILE", "t.ndjson"],
    [`fills ${OWNER} 1 -o FILE`, "f.csv"],
    [`fills ${OWNER} 1 --oldest-first -o FILE`, "f.ndjson"],
    ["liquidations 1 -o FILE", "l.csv"],
    ["liquidations 1 --raw-cells -o FILE", "l.csv"],
    ["liquidations 1 -o FILE", "l.ndjson"],
  ])("is replaced when it is its own, whatever the options: %s to %s", async (form, name) => {
    const listings = await start({ transactions: 20, isGrowing: true });
    const words = form.replace("FILE", fileOf(name));
    for (const more of ["", " --oldest-first"]) {
      const { code, stderr } = await monitor(`${words}${more}`, listings);
      expect(code, stderr).toBe(0);
    }
    expect(readdirSync(rig.folder)).toEqual([name]);
  });

  test("is kept when it is the fills of another subaccount", async () => {
    const listings = await start({ transactions: 60 });
    await monitor(`fills ${OWNER} 1 -o ${fileOf("f.csv")}`, listings);
    const text = rig.read("f.csv");
    for (const whose of [`${OWNER} 7`, `0x${"99".repeat(20)} 1`]) {
      const { code } = await monitor(`fills ${whose} -o ${fileOf("f.csv")}`, listings);
      expect(code).toBe(2);
    }
    expect(rig.read("f.csv")).toBe(text);
  });

  test("is replaced when it is empty, and keeps its mode", async () => {
    const listings = await start({ transactions: 20 });
    writeFileSync(fileOf("t.csv"), "");
    chmodSync(fileOf("t.csv"), 0o640);
    expect((await exportTrades(listings)).code).toBe(0);
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(listings.trades));
    expect(statSync(fileOf("t.csv")).mode & 0o777).toBe(0o640);
  });

  test("is kept when it becomes another one while the export runs, and so is what is proven", async () => {
    const listings = await start({ transactions: 60 });
    listings.onRequest = (count) => {
      if (count === 2) precious("t.csv");
    };
    const stopped = await exportTrades(listings, "--page-size 100");
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining("is kept in") });
    expect(rig.read("t.csv")).toBe(PRECIOUS);
    listings.onRequest = () => {};
    expect((await exportTrades(listings, "--page-size 100")).code).toBe(2);
    expect((await exportTrades(listings, "--page-size 100 --force")).code).toBe(0);
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(listings.trades));
    expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
  });

  test("has other names that stay what they were", async () => {
    const listings = await start({ transactions: 20, isGrowing: true });
    await exportTrades(listings);
    linkSync(fileOf("t.csv"), fileOf("other.csv"));
    const text = rig.read("t.csv");
    expect((await exportTrades(listings)).code).toBe(0);
    expect(rig.read("other.csv")).toBe(text);
    expect(rig.read("t.csv")).not.toBe(text);
  });
});

describe("a manifest", () => {
  const exportTold = (listings: { readonly baseUrl: string }, words = "") =>
    exportTrades(listings, `--manifest ${fileOf("m.json")} ${words}`.trim());

  test("replaces that of the same export, complete or not, wherever the folder has gone", async () => {
    const listings = await start({ transactions: 60 });
    expect((await exportTold(listings, "--probes 0")).code).toBe(3);
    expect(JSON.parse(rig.read("m.json"))).toMatchObject({ complete: false });
    expect((await exportTold(listings)).code).toBe(0);
    expect(JSON.parse(rig.read("m.json"))).toMatchObject({ complete: true });
    const text = rig.read("m.json").replaceAll(rig.folder, "/elsewhere");
    writeFileSync(fileOf("m.json"), text);
    expect((await exportTold(listings)).code).toBe(0);
  });

  test.each<[what: string, change: (own: string) => string]>([
    ["a letter", () => PRECIOUS],
    ["an object", () => '{"name":"monitor","version":"1.0.0"}'],
    ["of another listing", (own) => own.replace("trades perp/1", "trades perp/2")],
    ["of another file", (own) => own.replace("/t.csv", "/u.csv")],
  ])("leaves what is there when it is %s, unless --force is given", async (_, change) => {
    const listings = await start({ transactions: 20 });
    await exportTold(listings);
    const there = change(rig.read("m.json"));
    writeFileSync(fileOf("m.json"), there);
    const asked = listings.requests.length;
    expect(await exportTold(listings)).toMatchObject(
      refusal(/m\.json is not the manifest of .*\n.*--force.*\n$/),
    );
    expect(rig.read("m.json")).toBe(there);
    expect(listings.requests.length).toBe(asked);
    expect((await exportTold(listings, "--force")).code).toBe(0);
    expect(JSON.parse(rig.read("m.json"))).toMatchObject({ listing: "trades perp/1" });
  });
});

describe("a log", () => {
  const write = (name: string) => {
    const log = openLog(fileOf(name), "info", createVirtualClock());
    log.write("info", "start");
    log.close();
  };

  test.each(["what must stay as it is\n", '{"name":"monitor"}\n', "a,b\r\n", "\0\0"])(
    "is not added to a file that is none: %j",
    (text) => {
      writeFileSync(fileOf("x"), text, { mode: 0o644 });
      const before = facts("x");
      expect(() => write("x")).toThrow(/is no log/);
      expect(facts("x")).toEqual(before);
      expect(rig.read("x")).toBe(text);
    },
  );

  test("is added to one whose last line was cut, on a line of its own", () => {
    write("own.log");
    writeFileSync(fileOf("own.log"), `${rig.read("own.log")}{"level":"in`);
    write("own.log");
    const lines = rig.read("own.log").trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ what: "start" });
  });

  test("does not wait for a pipe that is full, nor end for it", async () => {
    makePipe("pipe");
    const reader = openSync(fileOf("pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
    const log = openLog(fileOf("pipe"), "info", createVirtualClock());
    for (let i = 0; i < 2000; i++) log.write("info", "x".repeat(200));
    const bytes = Buffer.alloc(1 << 20);
    expect(readSync(reader, bytes)).toBeGreaterThan(10_000);
    log.write("info", "what comes later");
    expect(bytes.toString("utf8", 0, readSync(reader, bytes))).toContain("what comes later");
    closeSync(reader);
    log.close();
  });
});

test("a recording is made anew or not at all", async () => {
  precious("run.jsonl");
  const args = ["record", "bbo/perp/1", "-o", fileOf("run.jsonl"), "--ws-url", "ws://127.0.0.1:9"];
  expect((await runInside(args)).code).toBe(2);
  expect(rig.read("run.jsonl")).toBe(PRECIOUS);
});

test("a folder that took the place of the file while it was exported is left as it is", async () => {
  const listings = await start({ transactions: 60 });
  listings.onRequest = (count) => {
    if (count === 2) mkdirSync(fileOf("t.csv"));
  };
  const stopped = await exportTrades(listings, "--page-size 100");
  expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining("is kept in") });
  expect(statSync(fileOf("t.csv")).isDirectory()).toBe(true);
  renameSync(fileOf("t.csv"), fileOf("folder"));
  expect((await exportTrades(listings, "--page-size 100")).code).toBe(0);
});
