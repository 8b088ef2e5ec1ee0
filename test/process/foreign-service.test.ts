// The program against a service that it does not know: whatever the service makes of the points that the
// interface leaves open, the program ends with exactly its book, and repeats no trade.
import { describe, expect, test } from "vitest";
import { type ForeignOptions, startForeignService } from "../support/foreign-service.ts";
import { runMonitor } from "../support/monitor-process.ts";

const large = 2n ** 62n;

const services: [string, Partial<ForeignOptions>, string][] = [
  ["sends changes and says hello at once", {}, "5s"],
  ["sends whole books", { book: "whole" }, "5s"],
  ["says hello late", { hello: "late" }, "6s"],
  ["never says hello", { hello: "never", book: "whole" }, "8s"],
  ["has prices above 2^53, in changes", { priceOffset: large }, "5s"],
  ["has prices above 2^53, in whole books", { priceOffset: large, book: "whole" }, "5s"],
  ["loses the connection, in changes", { cutAfterMs: 700 }, "5s"],
  ["loses the connection, in whole books", { cutAfterMs: 700, book: "whole", backlog: 1000 }, "5s"],
  ["loses the connection and never says hello", { cutAfterMs: 300, hello: "never" }, "11s"],
];

describe.concurrent("monitor perp/1 --json --for against a foreign service that", () => {
  test.each(services)("%s", async (_, options, duration) => {
    const service = await startForeignService({ backlog: 1000, ...options });
    try {
      const args = ["perp/1", "--json", "--for", duration, "--ws-url", service.wsUrl];
      const { code, stdout, stderr } = await runMonitor(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const shown = JSON.parse(stdout);
      expect(shown.orderbook).toMatchObject(service.book);
      expect(shown.bbo).toEqual(service.bbo);
      expect(shown.trades).toEqual([...service.trades].reverse());
      expect(shown.link.reconnects).toBe(options.cutAfterMs === undefined ? 0 : 1);
      expect(shown.panes.orderbook.gaps).toBe(0);
      expect(["live", "quiet"]).toContain(shown.panes.orderbook.state);
    } finally {
      await service.close();
    }
  });
});

test("a service of another protocol version is used all the same, with one line of warning", async () => {
  const service = await startForeignService({ protocolVersion: 2, quietAfterMs: 200 });
  try {
    const { code, stderr } = await runMonitor(["perp/1", "--once", "--ws-url", service.wsUrl]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      "monitor: the service speaks protocol version 2, not 1: its data may be misread\n",
    );
  } finally {
    await service.close();
  }
});
