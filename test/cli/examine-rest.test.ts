// The doctor's look at the listings ends in time, whatever the service lets it wait for.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { examineRest } from "../../src/cli/doctor/examine-rest.ts";
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { httpAnswer, serveScript } from "../support/scripted-http.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const model = trades.good[0]?.message?.[0];
const page = [5, 4, 3, 2].map((id) => ({
  ...model,
  ...{ trade_id: `${id}`, tx_hash: `0x${id}`, timestamp_ms: id * 1000 },
}));

test.each(["time is up", "the user interrupts"])(
  "a service that falls silent after the first page is left when %s",
  async (why) => {
    const server = await serveScript([httpAnswer(200, JSON.stringify(page)), { bytes: "" }]);
    const clock = createVirtualClock();
    const user = new AbortController();
    const context: Context = {
      ...{ args: [], options: {}, env: {}, clock, random: () => 0, interrupt: user.signal },
      ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
    };
    const service = { url: "", baseUrl: server.baseUrl, headers: {} };
    const exam = examineRest(context, service, { type: "perp", id: "1" });
    try {
      await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(2);
      if (why === "time is up") clock.advance(50_000);
      else user.abort();
      const { trades: first, cursor, liquidations, missing, requests } = await exam;
      expect(first.records).toHaveLength(4);
      expect(cursor.map(({ seen }) => seen)).toEqual(["no time left", "no time left"]);
      expect([liquidations?.problem, missing?.problem]).toEqual(["no time left", "no time left"]);
      expect([requests, clock.pending]).toEqual([2, 0]);
    } finally {
      server.close();
    }
  },
);
