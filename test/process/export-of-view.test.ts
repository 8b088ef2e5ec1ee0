// An export that was begun in a view: what is left of it when it fails or the view is left, and how it goes on.
import { readdirSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { feedHistories } from "../../src/commands/screen/feed-histories.ts";
import { tradesListing } from "../../src/listing/listing.ts";
import type { Dashboard } from "../../src/screen/dashboard.ts";
import { Shown, type ShownOptions } from "../../src/screen/shown.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor } from "../support/export-rig.ts";
import { serveTrades, tradesDownFrom } from "../support/trades-server.ts";

const rig = exportRig();
const ledger = tradesDownFrom(4000);
let exports = 0;
const listing = tradesListing({ type: "perp", id: "1" });

afterEach(() => {
  vi.restoreAllMocks();
});

/** Views of a service, in the folder of the test; `begin` presses `e`. */
function openViews(
  baseUrl: string,
  options: { readonly isSimulated?: boolean; readonly isMasked?: boolean } = {},
) {
  vi.spyOn(process, "cwd").mockReturnValue(rig.folder);
  const below: string[] = [];
  const { isSimulated = false, isMasked = false } = options;
  const listings: Dashboard["listings"] = { feed: undefined };
  const shown = new Shown({ isMasked } as ShownOptions);
  const dashboard = { listings, shown, options: { isSimulated }, notify() {} };
  const context = {
    clock: systemClock,
    random: () => 0,
    options: { baseUrl, header: ["X-Key: secret"] },
    stderr: { write: (text: string) => below.push(text) },
  };
  const service = { baseUrl, headers: {}, owner: undefined };
  const stop = feedHistories(context as never, dashboard as unknown as Dashboard, service as never);
  const begin = (name: string, filter: string, tell: (words: string) => void) =>
    dashboard.listings.feed?.export(
      {
        kind: "trades",
        path: `trades-perp-1-${exports++}.csv`,
        name,
        listing,
        owner: undefined,
        filter,
        found: undefined,
      },
      tell,
    );
  return { begin, stop, below, listings };
}

/** Runs the command that was named, as a shell would, and compares its file with the ledger. */
async function goesOn(words: string, baseUrl: string): Promise<void> {
  const [, command = ""] = words.trimEnd().split("go on with: monitor export ");
  expect(command).toMatch(
    new RegExp(
      `^trades perp/1 -o trades-perp-1-.*\\.csv --base-url ${baseUrl} --header 'X-Key: …'$`,
    ),
  );
  const file = /-o (\S+)/.exec(command)?.[1] ?? "";
  expect(rowsOf(rig.read(`${file}.part`)).length).toBeGreaterThan(0);
  const bare = command.replace(/ --base-url .*/, "").replace(file, rig.fileOf(file));
  const ended = await monitor(bare, { baseUrl });
  expect(ended.stderr).toContain("complete: yes");
  expect(ended.code).toBe(0);
  expect(rowsOf(rig.read(file))).toEqual(asTrades(ledger));
}

test("one that fails names the command that goes on with it", async () => {
  let isBroken = true;
  const gone = { status: 404, body: "gone" };
  const server = await serveTrades(ledger, (_, count) =>
    isBroken && count > 3 ? gone : undefined,
  );
  const { begin, stop, below } = openViews(server.baseUrl);
  const failed = (name: string, filter: string) =>
    new Promise<string>((resolve) => {
      begin(name, filter, (said) => said.startsWith("export failed") && resolve(said));
    });
  const words = await failed("trades perp/1", "");
  // Nothing of it was proven: nothing is kept, and there is nothing to go on with.
  expect(await failed("trades perp/2", "")).toMatch(/ answers 404: gone$/);
  stop();
  expect(words).toMatch(/^export failed: http.* answers 404: gone; go on with: monitor export /);
  expect(below).toEqual([]);
  isBroken = false;
  await goesOn(words, server.baseUrl);
});

test.each([false, true])(
  "one that runs when its view is left says below the screen how it goes on, simulated: %s",
  async (isSimulated) => {
    const server = await serveTrades(ledger, () => undefined);
    const { begin, stop, below } = openViews(server.baseUrl, { isSimulated });
    const told: string[] = [];
    begin("trades perp/1", "", (said) => {
      // The first page is in the file, and others may have come: who left is notified of none.
      if (told.push(said) === 1) stop();
    });
    await expect.poll(() => below).toHaveLength(1);
    const [words = ""] = below;
    expect(words).toMatch(/^monitor: export stopped: the screen was left; .*\n$/);
    expect(told).toEqual([expect.stringMatching(/^exporting, [0-9]+ rows so far$/)]);
    if (isSimulated) {
      expect(words).toContain("nothing is kept: the simulated exchange ends with the program");
      expect(readdirSync(rig.folder)).toEqual([]);
    } else await goesOn(words, server.baseUrl);
  },
);

test("one with a filter that stops leaves nothing behind, for no command could go on with it", async () => {
  const server = await serveTrades(ledger, () => undefined);
  const { begin, stop, below } = openViews(server.baseUrl);
  begin("trades perp/1", "perp", stop);
  await expect.poll(() => below).toHaveLength(1);
  expect(below[0]).toMatch(/; nothing is kept: an export with a filter cannot be resumed\n$/);
  expect(readdirSync(rig.folder)).toEqual([]);
});

test("what is said below a screen that is masked names no owner", async () => {
  const owner = `0x${"ab".repeat(20)}`;
  const server = await serveTrades(ledger, () => undefined);
  const { begin, stop, below } = openViews(server.baseUrl, { isMasked: true });
  begin(`fills ${owner} 0`, "", stop);
  await expect.poll(() => below).toHaveLength(1);
  expect(below[0]).toContain("go on with: monitor export fills ");
  expect(below[0]).not.toContain("abab");
});

test("its file is named with the time, and with so much of an owner's address as 80 columns have room for", () => {
  const { listings, stop } = openViews("http://127.0.0.1:9");
  const nameOf = (name: string) => listings.feed?.fileName(name);
  expect(nameOf("trades perp/1")).toMatch(/^trades-perp-1-\d{8}T\d{6}Z\.csv$/);
  expect(nameOf(`fills 0xcea6053a${"6d".repeat(16)} 0`)).toMatch(
    /^fills-0xcea6053a-0-\d{8}T\d{6}Z\.csv$/,
  );
  stop();
});
