// An alert of the command line as its user meets it: the built program on a real terminal, a service that a test moves.
import { expect, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

const FIRING = "\u001b]9;monitor: perp/1 last > 6000 ticks: ";

test("--alert fires at a crossing that is seen, once, and not for what was so at the start", async () => {
  const service = await startForeignService({ quietAfterMs: 0 });
  service.trade(7000n);
  const screen = new MonitorScreen(
    ["perp/1", "--ws-url", service.wsUrl, "--alert", "perp/1 last > 6000 ticks"],
    { columns: 120, rows: 40 },
  );
  const shown = (price: bigint) =>
    screen.until((text) => text.includes(price.toLocaleString("en-US")));
  try {
    await shown(7000n);
    for (const price of [7001n, 5901n]) {
      service.trade(price);
      await shown(price);
    }
    expect(screen.output).not.toContain("\u001b]9;");
    service.trade(6001n);
    await screen.until(() => screen.output.includes(FIRING));
    expect(screen.output).toContain(`${FIRING}6001`);
    for (const price of [6002n, 5902n, 6003n]) {
      service.trade(price);
      await shown(price);
    }
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    expect(screen.output.split("\u001b]9;")).toHaveLength(2);
  } finally {
    await service.close();
  }
});
