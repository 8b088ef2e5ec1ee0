// An export that was begun in a view: what is left of it when it fails, and how it goes on.
import { expect, test, vi } from "vitest";
import { supplyHistories } from "../../src/cli/supply-histories.ts";
import { systemClock } from "../../src/cli/system-clock.ts";
import { tradesListing } from "../../src/history/listing.ts";
import type { Dashboard } from "../../src/ui/dashboard.ts";
import { Histories } from "../../src/ui/histories.ts";
import { asTrades, exportRig, monitor, rowsOf } from "../support/export-rig.ts";
import { serveTrades, tradesDownFrom } from "../support/trades-server.ts";

const rig = exportRig();

test("the command that it names goes on with its part file", async () => {
  const ledger = tradesDownFrom(4000);
  let isBroken = true;
  const gone = { status: 404, body: "gone" };
  const server = await serveTrades(ledger, (_, count) =>
    isBroken && count > 3 ? gone : undefined,
  );
  vi.spyOn(process, "cwd").mockReturnValue(rig.folder);
  const dashboard = { histories: new Histories(), tell() {} } as unknown as Dashboard;
  const context = { clock: systemClock, random: () => 0, options: {} };
  const service = { baseUrl: server.baseUrl, headers: {}, owner: undefined };
  const stop = supplyHistories(context as never, dashboard, service as never);
  const [sinceMs, untilMs] = [ledger.at(-1)?.timestamp_ms, ledger[9]?.timestamp_ms];
  const wish = { kind: "trades", sinceMs, untilMs } as const;
  const listing = tradesListing({ type: "perp", id: "1" });
  const failed = (name: string, filter: string) =>
    new Promise<string>((resolve) => {
      dashboard.histories.supply?.export(
        { ...wish, name, listing, owner: undefined, filter, found: undefined },
        (said) => said.startsWith("export failed") && resolve(said),
      );
    });
  const words = await failed("trades perp/1", "");
  expect(await failed("trades perp/2", "perp")).toMatch(/ answers 404: gone$/);
  stop();
  vi.restoreAllMocks();
  expect(words).toMatch(/^export failed: http.* answers 404: gone; go on with: monitor export /);
  const [, command = ""] = words.split("go on with: monitor export ");
  expect(command).toMatch(
    new RegExp(`^trades perp/1 --since ${sinceMs} --until ${untilMs} -o trades-perp-1-.*\\.csv$`),
  );
  const file = command.split(" ").at(-1) ?? "";
  const kept = rowsOf(rig.read(`${file}.part`)).length;
  isBroken = false;
  const ended = await monitor(command.replace(file, rig.fileOf(file)), server);
  server.close();
  expect(ended.stderr).toContain("complete: yes");
  expect(ended.code).toBe(0);
  expect(kept).toBeGreaterThan(0);
  expect(rowsOf(rig.read(file))).toEqual(asTrades(ledger.slice(9)));
});
