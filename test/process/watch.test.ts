// monitor watch as its user runs it: alerts without a screen, one JSON line each.
import { expect, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { runMonitor } from "../support/monitor-inside.ts";

interface Line {
  readonly event: string;
  readonly rule: string;
  readonly value: string | null;
  readonly market: string | null;
  readonly state: string;
}

const linesOf = (stdout: string): readonly Line[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("a watch says at once what is past already, prints a line for a crossing, and ends with 0 when nothing can fire any more", async () => {
  const service = await startForeignService({ quietAfterMs: 0 });
  service.trade(7000n);
  let step = 0;
  const prices = [5900n, 6001n, 6002n];
  const rule = "perp/1 last > 6000 ticks";
  const { code, stdout, stderr } = await runMonitor(
    ["watch", "--ws-url", service.wsUrl, "--alert", rule],
    {
      onOutput(text) {
        // The first value is past already: from then on the price moves.
        if (!text.includes("already_past")) return;
        for (const price of prices.splice(0)) {
          step++;
          service.trade(price);
        }
      },
    },
  ).finally(() => service.close());
  expect({ code, stderr, step }).toEqual({ code: 0, stderr: "", step: 3 });
  expect(linesOf(stdout)).toMatchObject([
    { event: "already_past", rule, market: "perp/1", value: "7000", state: "live" },
    { event: "alert", rule, market: "perp/1", value: "6001", state: "live" },
  ]);
});

test("without anything to watch for, nothing is connected and the exit code is 2", async () => {
  const none = await runMonitor(["watch", "perp/1", "--ws-url", "ws://127.0.0.1:9"]);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toContain("watch has no alert to watch for\nexpected: --alert RULE");
});

test("a service that stays away for --give-up ends the watch with 1", async () => {
  const { code, stderr } = await runMonitor([
    ...["watch", "--ws-url", "ws://127.0.0.1:9", "--alert", "perp/1 last > 1"],
    ...["--give-up", "1s"],
  ]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^monitor: no connection for 1 s: .*ECONNREFUSED.*\n--give-up/),
  });
});
