// The dashboard as its user runs it: the built program on a real terminal of each size, and what it leaves behind.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

let service: Awaited<ReturnType<typeof startForeignService>>;

beforeAll(async () => {
  service = await startForeignService({ quietAfterMs: 600 });
});

afterAll(() => service.close());

const sizes = [
  { columns: 160, rows: 50 },
  { columns: 100, rows: 30 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];

const watch = (size: { columns: number; rows: number }, ...options: string[]) =>
  new MonitorScreen(["perp/1", "--ws-url", service.wsUrl, ...options], size);

/** The best bid, once the market stands still, in the header and in the ladder. */
const showsBestBid = (screen: string) => {
  const price = service.bbo.bid?.price_ticks ?? "none";
  return screen.split(price).length > 2 && /live|quiet/.test(screen);
};

describe.concurrent("on a terminal", () => {
  test.each(sizes)(
    "$columns×$rows shows the true best bid; q leaves with 0 and everything as it was",
    async (size) => {
      const screen = watch(size);
      await screen.until(showsBestBid);
      screen.type("q");
      expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    },
  );

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("%s ends it with %i and gives the terminal back", async (signal, code) => {
    const screen = watch({ columns: 80, rows: 24 });
    await screen.until((text) => text.includes("Order book"));
    screen.signal(signal);
    expect(await screen.ended()).toEqual({ code, faults: [] });
  });

  test.each([
    ["as soon as it has taken it", 5, () => true],
    ["when it has drawn", 5, (text: string) => text.includes("Order book")],
  ])("SIGKILL %s gives the terminal back, %i times", async (_, times, isThen) => {
    for (let i = 0; i < times; i++) {
      const size = { columns: 80, rows: 24, isKilled: true };
      const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl], size);
      await screen.until((text) => screen.output.includes("\u001b[?1049h") && isThen(text));
      screen.signal("SIGKILL");
      await screen.until(() => screen.output.includes("\u001b[?1049l"));
      screen.type("\n");
      expect(await screen.ended()).toEqual({ code: 137, faults: [] });
    }
  });

  test("Ctrl+C is a way to leave", async () => {
    const screen = watch({ columns: 80, rows: 24 });
    await screen.until((text) => text.includes("Order book"));
    screen.type("\u0003");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
  });

  test("a resize is drawn at once, in the new size", async () => {
    const screen = watch({ columns: 80, rows: 24 });
    await screen.until(showsBestBid);
    screen.resize(120, 40);
    await screen.until((text) => /open/.test(text.split("\n")[39] ?? ""));
    screen.resize(40, 12);
    await screen.until((text) => /open/.test(text.split("\n")[11] ?? "") && showsBestBid(text));
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
  });

  test("an address that speaks HTTP ends it with 1, one line, and everything as it was", async () => {
    const screen = new MonitorScreen(
      ["perp/1", "--ws-url", service.wsUrl.replace("/v1/ws", "/elsewhere")],
      { columns: 100, rows: 30 },
    );
    expect(await screen.ended()).toEqual({ code: 1, faults: [] });
    expect(screen.lines.join("\n")).toContain(
      "monitor: no connection: the service answered HTTP 400",
    );
  });

  test("nobody listening is shown, and tried again, until the user leaves", async () => {
    const screen = new MonitorScreen(["perp/1", "--ws-url", "ws://127.0.0.1:1"], {
      columns: 100,
      rows: 30,
    });
    await screen.until((text) => /offline, next try in .*ECONNREFUSED/.test(text));
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
  });

  test("NO_COLOR leaves no colour in the output", async () => {
    const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl], {
      columns: 80,
      rows: 24,
      env: { NO_COLOR: "1" },
    });
    await screen.until(showsBestBid);
    screen.type("q");
    await screen.ended();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    expect(screen.output).not.toMatch(/\u001b\[[\d;]*(?:3[0-7]|4[0-7]|9[0-7]|38|48)[;m]/);
  });

  test("monitor demo opens a living dashboard without anything to configure", async () => {
    const screen = new MonitorScreen(["demo", "--history", "500"], { columns: 120, rows: 40 });
    const shown = [/BTC-PERP perp\/1/, /SIMULATED/, /● book live/];
    await screen.until((text) => shown.every((part) => part.test(text)));
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
  });
});
