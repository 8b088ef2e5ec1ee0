// The file for a collector that reads text files: whole at every moment, of one watch, gone at the end.
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openMetricsFile } from "../../src/metrics/metrics-file.ts";
import type { Processes } from "../../src/system/processes.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const LATER_MS = 5000;

function createPlace() {
  const root = folderOfTest();
  const folder = join(root, "collector");
  mkdirSync(folder);
  const clock = createVirtualClock();
  const alive = new Set<number>();
  const said: string[] = [];
  let writings = 0;
  const name = join(folder, "monitor.prom");
  const open = async (pid: number, host = "here") => {
    alive.add(pid);
    const processes: Processes = {
      self: { host, pid, started: `${pid * 7}` },
      isAlive: (process) => process.host !== host || alive.has(process.pid),
    };
    const render = () => `watch ${pid} writing ${++writings}\n`;
    const report = (words: string) => void said.push(words);
    const file = await openMetricsFile({ name, render, clock, processes, report });
    onTestFinished(() => file.close());
    return file;
  };
  return {
    root,
    folder,
    name,
    clock,
    alive,
    said,
    open,
    body: () =>
      existsSync(name) ? readFileSync(name, "utf8").split("\n").slice(1).join("\n") : undefined,
    /** Lets writings come until one has left this behind. */
    next: (isOver: () => boolean) =>
      expect
        .poll(
          () => {
            clock.advance(LATER_MS);
            return isOver();
          },
          { interval: 5 },
        )
        .toBe(true),
  };
}

test("is there at once, written anew every five seconds, and gone at the end with all that was beside it", async () => {
  const place = createPlace();
  const file = await place.open(1);
  expect(place.body()).toBe("watch 1 writing 1\n");
  for (let i = 0; i < 3; i++) {
    const before = place.body();
    await place.next(() => place.body() !== before);
    expect(place.body()).toMatch(/^watch 1 writing [0-9]+\n$/);
  }
  await file.close();
  expect(readdirSync(place.folder)).toEqual([]);
  place.clock.advance(60_000);
  expect(place.clock.pending).toBe(0);
});

test("is replaced as a whole: whoever has it open reads the old one to its end", async () => {
  const place = createPlace();
  await place.open(1);
  const { ino } = statSync(place.name);
  await place.next(() => statSync(place.name).ino !== ino);
});

test("is written by one watch: a second one is refused, and the first goes on", async () => {
  const place = createPlace();
  const first = await place.open(1);
  await expect(place.open(2)).rejects.toMatchObject({
    kind: "usage",
    message: `another watch writes ${place.name} already (process 1 on here)`,
  });
  await place.next(() => place.body() === "watch 1 writing 5\n");
  await first.close();
  expect(readdirSync(place.folder)).toEqual([]);
});

const DEAD = '# written by monitor watch: {"host":"here","pid":9,"started":"63"}\nold 1\n';

test.each([
  ["is not there", undefined],
  ["is empty", ""],
  ["is a dead watch's", DEAD],
])("that %s is written by one of four watches that start together", async (_, left) => {
  for (let i = 0; i < 60; i++) {
    const place = createPlace();
    if (left !== undefined) writeFileSync(place.name, left);
    const results = await Promise.allSettled([1, 2, 3, 4].map((pid) => place.open(pid)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(place.folder)).toEqual(["monitor.prom"]);
  }
});

test("that a dead watch has left is taken over", async () => {
  const place = createPlace();
  writeFileSync(place.name, DEAD);
  await place.open(1);
  expect(place.body()).toBe("watch 1 writing 1\n");
});

test("is taken over by one watch at a time; what one that was killed meanwhile has left counts for a minute", async () => {
  const place = createPlace();
  writeFileSync(place.name, DEAD);
  const marker = join(place.folder, ".monitor.prom.taking");
  writeFileSync(marker, "");
  await expect(place.open(1)).rejects.toThrow(`another watch is about to write ${place.name}`);
  const old = new Date(statSync(marker).mtimeMs - 61_000);
  utimesSync(marker, old, old);
  await place.open(2);
  expect(readdirSync(place.folder)).toEqual(["monitor.prom"]);
});

test("of another machine is taken over once nobody has written it for a minute", async () => {
  const place = createPlace();
  writeFileSync(
    place.name,
    '# written by monitor watch: {"host":"there","pid":9,"started":"63"}\nold 1\n',
  );
  await expect(place.open(1)).rejects.toThrow("process 9 on there");
  const old = new Date(statSync(place.name).mtimeMs - 61_000);
  utimesSync(place.name, old, old);
  await place.open(2);
  expect(place.body()).toBe("watch 2 writing 2\n");
});

test.each([
  ["text of somebody", (name: string) => writeFileSync(name, "node_load1 0.5\n")],
  ["a broken mark", (name: string) => writeFileSync(name, "# written by monitor watch: {\n")],
  ["a line break only", (name: string) => writeFileSync(name, "\n")],
])("leaves %s alone", async (_, make) => {
  const place = createPlace();
  make(place.name);
  const before = readFileSync(place.name, "utf8");
  await expect(place.open(1)).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining("was not written by monitor watch"),
  });
  expect(readFileSync(place.name, "utf8")).toBe(before);
  expect(readdirSync(place.folder)).toEqual(["monitor.prom"]);
});

test.each([
  ["a folder", (name: string) => mkdirSync(name), "is a folder"],
  [
    "a file with a second name",
    (name: string) => {
      writeFileSync(`${name}2`, "");
      linkSync(`${name}2`, name);
    },
    "second name",
  ],
])("refuses %s", async (_, make, words) => {
  const place = createPlace();
  make(place.name);
  await expect(place.open(1)).rejects.toThrow(words);
});

test("refuses a device, and a folder that is not there, in one line", async () => {
  const place = createPlace();
  symlinkSync("/dev/null", place.name);
  await expect(place.open(1)).rejects.toMatchObject({
    kind: "usage",
    message: `${place.name} is no regular file`,
  });
  rmSync(place.folder, { recursive: true });
  await expect(place.open(1)).rejects.toMatchObject({
    kind: "failed",
    code: "file",
    message: `cannot write ${place.name}: no such folder`,
  });
});

test("is written again when its folder comes back, and says so once each", async () => {
  const place = createPlace();
  const file = await place.open(1);
  rmSync(place.folder, { recursive: true });
  await place.next(() => place.said.length === 1);
  for (let i = 0; i < 5; i++) place.clock.advance(LATER_MS);
  mkdirSync(place.folder);
  await place.next(() => place.body() !== undefined);
  await expect
    .poll(() => place.said)
    .toEqual([
      `the metrics file ${place.name} is not written: no such folder`,
      `the metrics file ${place.name} is written again`,
    ]);
  rmSync(place.folder, { recursive: true });
  await file.close();
});

test("that another watch has made meanwhile is left to it, also at the end", async () => {
  const place = createPlace();
  const first = await place.open(1);
  rmSync(place.name);
  const second = await place.open(2);
  await place.next(() => place.said.length === 1);
  expect(place.said).toEqual([
    `the metrics file ${place.name} is not written: another watch writes ${place.name} already (process 2 on here)`,
  ]);
  await first.close();
  expect(place.body()).toMatch(/^watch 2/);
  await second.close();
  expect(readdirSync(place.folder)).toEqual([]);
});

test("can be read by whom the user's mask lets read", async () => {
  const place = createPlace();
  const mask = process.umask(0o027);
  onTestFinished(() => void process.umask(mask));
  await place.open(1);
  expect(statSync(place.name).mode & 0o777).toBe(0o640);
});

test("in a folder that nobody may write to is refused", async () => {
  const place = createPlace();
  chmodSync(place.folder, 0o555);
  if (process.getuid?.() === 0) return;
  await expect(place.open(1)).rejects.toThrow("no permission");
});
