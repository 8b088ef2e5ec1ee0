// The dashboard as its user runs it: the built program on a real terminal of each size, and what it leaves behind.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

let service: Awaited<ReturnType<typeof startMarketService>>;

beforeAll(async () => {
  service = await startMarketService({ quietAfterMs: 600 });
});

afterAll(() => service.close());

const folder = folderOfFile();

const watch = (size: { columns: number; rows: number }, ...options: string[]) =>
  new MonitorScreen(["perp/1", "--ws-url", service.wsUrl, ...options], size);

/** The best bid, once the market stands still, in the ladder, and in the header where there is room. */
const showsBestBid = (screen: string) => {
  const price = service.bbo.bid.price_ticks;
  return screen.replaceAll(",", "").split(price).length > 1 && /live|quiet/.test(screen);
};

const ESCAPE = "\u001b";
/** Sequences that set looks, with their numbers. */
const LOOKS = new RegExp(`${ESCAPE}\\[([\\d;]*)m`, "g");

const ANY = /(?<=^|;)[34]8;2;\d+;\d+;\d+/g;
const OF_A_TABLE = /(?<=^|;)[34]8;5;\d+/g;
const SIXTEEN = /(?<=^|;)(?:[349]|10)[0-7](?=;|$)/;

/** Kinds of colours that are set: any, those of a table, and the sixteen of the terminal. */
function colorsIn(output: string): string[] {
  const looks = [...output.matchAll(LOOKS)].map(([, numbers = ""]) => numbers);
  const named = looks.map((numbers) => numbers.replace(ANY, "").replace(OF_A_TABLE, ""));
  return [
    ...(looks.some((numbers) => numbers.search(ANY) >= 0) ? ["any"] : []),
    ...(looks.some((numbers) => numbers.search(OF_A_TABLE) >= 0) ? ["table"] : []),
    ...(named.some((numbers) => SIXTEEN.test(numbers)) ? ["sixteen"] : []),
  ];
}

describe.concurrent("on a terminal", () => {
  test("shows the true best bid in each size that it gets; q leaves with 0 and everything as it was", async () => {
    const screen = watch({ columns: 160, rows: 50 });
    await screen.until((text) => /Book \d+ ticks[\s\S]*live/.test(text));
    // Each level of the book for itself.
    screen.type("[".repeat(24));
    await screen.until(showsBestBid);
    for (const [columns, rows] of [
      [100, 30],
      [80, 24],
      [120, 40],
      [40, 12],
    ] as const) {
      screen.resize(columns, rows);
      const isDrawn = (text: string) => /^ [●◌]/.test(text.split("\n")[rows - 1] ?? "");
      // The smallest has room for the chart alone.
      const isBookShown = columns > 60 ? showsBestBid : () => true;
      await screen.until((text) => isDrawn(text) && isBookShown(text));
    }
    await screen.leave();
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("%s ends it with %i and gives the terminal back", async (signal, code) => {
    const screen = watch({ columns: 80, rows: 24 });
    await screen.until((text) => text.includes("─ Book "));
    screen.signal(signal);
    expect(await screen.ended()).toEqual({ code, faults: [] });
  });

  test.each([
    ["as soon as it has taken it", () => true],
    ["when it has drawn", (text: string) => text.includes("─ Book ")],
  ])("SIGKILL %s gives the terminal back", async (_, isThen) => {
    const size = { columns: 80, rows: 24, isKilled: true };
    const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl], size);
    await screen.until((text) => screen.output.includes("\u001b[?1049h") && isThen(text));
    screen.signal("SIGKILL");
    await screen.until(() => screen.output.includes("\u001b[?1049l"));
    screen.type("\n");
    expect(await screen.ended()).toEqual({ code: 137, faults: [] });
  });

  test("rings the bell for a lost connection if the config file asks for it", async () => {
    const own = await startMarketService({ quietAfterMs: 600, middle: 15_000n });
    const file = join(folder, "config.toml");
    writeFileSync(file, 'theme = "terminal"\nnumbers = "plain"\nnotify = ["link"]\n');
    const screen = new MonitorScreen(["perp/1", "--ws-url", own.wsUrl, "--config", file], {
      columns: 80,
      rows: 24,
      // It has no title, whose sequence ends in a bell, too.
      env: { TERM: "linux" },
    });
    const price = () => own.bbo.bid.price_ticks;
    await screen.until((text) => text.includes(price()));
    expect(screen.output).not.toContain("\u0007");
    // Open for more than a tick of the screen.
    await screen.until((text) => text.includes("quiet"));
    await own.close();
    await screen.until(() => screen.output.includes("\u0007"));
    await screen.leave();
  });

  test("an address that speaks HTTP ends it with 1, one line, and everything as it was", async () => {
    const url = service.wsUrl.replace("/v1/ws", "/elsewhere");
    const screen = new MonitorScreen(["perp/1", "--ws-url", url]);
    expect(await screen.ended()).toEqual({ code: 1, faults: [] });
    expect(screen.lines.join("\n")).toContain(
      "monitor: no connection: the service answered HTTP 400",
    );
  });

  test.each([
    ["</dev/null", "xterm", "the keyboard is not a terminal"],
    ["<&-", "xterm", "the keyboard is not a terminal"],
    ["", "dumb", "this terminal cannot show a screen (TERM=dumb)"],
  ])("%s TERM=%s gets lines, and is told why", async (redirect, TERM, why) => {
    const args = ["perp/1", "--ws-url", service.wsUrl];
    const screen = new MonitorScreen(args, { redirect, env: { TERM } });
    await screen.until((text) => text.includes(`monitor: ${why}: a line`));
    await screen.until((text) => / perp\/1 {2}bid \d/.test(text));
    screen.signal("SIGTERM");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    expect(screen.output).not.toContain("\u001b[?");
  });

  test("a closed terminal ends a command without a screen, too", async () => {
    const screen = new MonitorScreen(["tail", "bbo/perp/1", "--ws-url", service.wsUrl]);
    await screen.until((text) => text.includes("price_ticks"));
    screen.signal("SIGHUP");
    expect(await screen.ended()).toEqual({ code: 129, faults: [] });
  });

  test("nobody listening is shown, and tried again, until the user leaves", async () => {
    const screen = new MonitorScreen(["perp/1", "--ws-url", "ws://127.0.0.1:1"]);
    await screen.until((text) => /nobody listens at 127\.0\.0\.1:1, next try in/.test(text));
    await screen.leave();
  });

  test.each([
    [{ NO_COLOR: "1" }, []],
    [{ FORCE_COLOR: "1", COLORTERM: "truecolor" }, ["sixteen"]],
    [{ FORCE_COLOR: "3" }, ["any"]],
  ])(
    "%j decides which colours are written",
    async (env: Record<string, string>, colors: readonly string[]) => {
      const args = ["perp/1", "--ws-url", service.wsUrl, "--theme", "dark"];
      const screen = new MonitorScreen(args, { columns: 80, rows: 24, env });
      await screen.until(showsBestBid);
      await screen.leave();
      expect(colorsIn(screen.output)).toEqual(colors);
    },
  );

  test("monitor demo opens a living dashboard without anything to configure", async () => {
    const screen = new MonitorScreen(["demo", "--history", "500"]);
    const shown = [/BTC-PERP/, / SIM *$/m, /● live/];
    await screen.until((text) => shown.every((part) => part.test(text)));
    await screen.leave();
  });
});
