// Whatever a terminal has begun and never ended, Ctrl+C leaves at once, on a real terminal, and keys come back.
import { afterAll, beforeAll, describe, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

let service: Awaited<ReturnType<typeof startMarketService>>;
beforeAll(async () => {
  service = await startMarketService();
});
afterAll(() => service.close());

const ESC = "\u001b";
const CTRL_C = "\u0003";

/** On a screen on which that was begun. */
async function begin(input: string | Buffer) {
  const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl]);
  await screen.until((text) => text.includes("Trades"));
  screen.type(input);
  return screen;
}

// All kinds of input, in every way that it may be cut: terminal/session/input-sorter.
describe.concurrent("input that a terminal never ends", () => {
  test.each([
    ["nothing", ""],
    ["a colour", `${ESC}]11;rgb:1e1e/`],
    ["a report of the mouse", `${ESC}[<0;1`],
    ["half a letter", Buffer.from([0xf0, 0x9f])],
  ])("does not keep Ctrl+C from leaving at once: %s", async (_, begun) => {
    const screen = await begin(begun);
    await screen.leave(CTRL_C);
  });

  test("gives the keys back after a second: a paste without end", async () => {
    const screen = await begin(`${ESC}[200~abc`);
    let typedAt = Number.NEGATIVE_INFINITY;
    await screen.until((text) => {
      if (/─ Log /.test(text)) return true;
      // The ages on the screen change each second.
      if (performance.now() - typedAt < 500) return false;
      typedAt = performance.now();
      screen.type("L");
      return false;
    });
    await screen.leave(CTRL_C);
  });
});
