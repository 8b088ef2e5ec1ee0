// Whatever a terminal has begun and never ended, Ctrl+C leaves at once, on a real terminal, and keys come back.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHostileService } from "../support/hostile-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

let service: Awaited<ReturnType<typeof startHostileService>>;
beforeAll(async () => {
  service = await startHostileService();
});
afterAll(() => service.close());

const ESC = "\u001b";
const CTRL_C = "\u0003";

async function open() {
  const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl], {
    columns: 90,
    rows: 30,
  });
  await screen.until((text) => text.includes("Trades"));
  return screen;
}

describe.concurrent("input that a terminal never ends", () => {
  test.each([
    ["a paste", `${ESC}[200~abc`],
    ["a paste that was cut in its end", `${ESC}[200~abc${ESC}[20`],
    ["a colour", `${ESC}]11;rgb:1e1e/`],
    ["a device string", `${ESC}P1$r`],
    ["a sequence", `${ESC}[1;`],
    ["a report of the mouse", `${ESC}[<0;1`],
    ["Escape", ESC],
    ["half a letter", Buffer.from([0xf0, 0x9f])],
  ])("does not keep Ctrl+C from leaving at once: %s", async (_, begun) => {
    const screen = await open();
    screen.type(begun);
    screen.type(CTRL_C);
    expect(await screen.ended()).toMatchObject({ code: 0, faults: [] });
  });

  test("gives the keys back after a second: a paste without end", async () => {
    const screen = await open();
    screen.type(`${ESC}[200~abc`);
    let typedAt = Number.NEGATIVE_INFINITY;
    await screen.until((text) => {
      if (/─ Log \d+ /.test(text)) return true;
      // The ages on the screen change each second.
      if (performance.now() - typedAt < 500) return false;
      typedAt = performance.now();
      screen.type("E");
      return false;
    });
    screen.type(CTRL_C);
    expect(await screen.ended()).toMatchObject({ code: 0, faults: [] });
  });
});
