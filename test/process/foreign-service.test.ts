// The program against a service that it does not know: whatever the service makes of the points that the
// interface leaves open, the program ends with exactly its book, and repeats no trade.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sumsOf, sumsOfLedger } from "../support/flow-oracle.ts";
import { type ForeignOptions, withForeignService } from "../support/foreign-service.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { runUntilStill, type Shown } from "../support/still-market.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const large = 2n ** 62n;

const services: [string, Partial<ForeignOptions>][] = [
  ["sends changes and says hello at once", {}],
  ["sends whole books", { book: "whole" }],
  ["says hello late", { hello: "late" }],
  ["never says hello", { hello: "never", book: "whole" }],
  ["has prices above 2^53, in changes", { priceOffset: large }],
  ["has prices above 2^53, in whole books", { priceOffset: large, book: "whole" }],
  ["loses the connection, in changes", { cutAfterMs: 700 }],
  ["loses the connection, in whole books", { cutAfterMs: 700, book: "whole", backlog: 1000 }],
  ["loses the connection and never says hello", { cutAfterMs: 300, hello: "never" }],
];

const isReceived = ({ panes }: Shown) =>
  Object.values(panes).every(({ state }) => state === "live" || state === "quiet");

describe("monitor perp/1 --json against a foreign service that", () => {
  test.each(services)("%s", (_, options) =>
    withForeignService({ backlog: 1000, ...options }, async (service, clock) => {
      const args = ["perp/1", "--ws-url", service.wsUrl];
      const { finished, shown } = await runUntilStill(service, clock, args, isReceived);
      expect(finished).toMatchObject({ code: 0, stderr: "" });
      expect(shown.orderbook).toMatchObject(service.book);
      expect(shown.bbo).toEqual(service.bbo);
      expect(shown.trades).toEqual([...service.trades].reverse());
      expect(shown.link.reconnects).toBe(options.cutAfterMs === undefined ? 0 : 1);
      expect(shown.panes.orderbook?.gaps).toBe(0);
      expect(sumsOf(shown.flow)).toEqual(sumsOfLedger(service.trades, shown.flow));
    }),
  );
});

describe("what traded, by --json against a foreign service with a listing that", () => {
  const scale = { tickPlaces: 2, lotPlaces: 3 };
  const lost = { scale, cutAfterMs: 900, quietAfterMs: 2500 };
  test.each<[string, Partial<ForeignOptions>]>([
    ["sends a few trades again after a loss", { ...lost, backlog: 2 }],
    ["sends none of them again", { ...lost, backlog: 0 }],
    ["has prices above 2^53", { ...lost, backlog: 1, priceOffset: large }],
  ])("%s, is what the service traded, the loss healed", (_, options) =>
    withForeignService(options, async (service, clock) => {
      const config = join(folderOfTest(), "config.toml");
      writeFileSync(config, "rest_rate = 20\n");
      const args = ["perp/1", "--ws-url", service.wsUrl, "--base-url", service.baseUrl];
      const isHealed = ({ flow }: Shown) => {
        expect(sumsOf(flow)).toEqual(sumsOfLedger(service.trades.slice(), flow));
        const { holes } = flow.coverage;
        return holes.length > 0 && holes.every(({ healed }) => healed);
      };
      const { finished, shown } = await runUntilStill(
        service,
        clock,
        [...args, "--config", config],
        isHealed,
      );
      expect(finished).toMatchObject({ code: 0, stderr: "" });
      const missed = service.trades.filter(
        ({ timestamp_ns }) => BigInt(timestamp_ns) / 1_000_000n < BigInt(shown.flow.since_ms),
      );
      expect(shown.flow.trades).toBe(service.trades.length - missed.length);
    }),
  );
});

test("a service of another protocol version is used all the same, with one line of warning", () =>
  withForeignService({ protocolVersion: 2 }, async ({ wsUrl }, clock) => {
    const { code, stderr } = await runMonitor(["perp/1", "--once", "--ws-url", wsUrl], { clock });
    expect(code).toBe(0);
    expect(stderr).toBe(
      "monitor: the service speaks protocol version 2, not 1: its data may be misread\n",
    );
  }));
