// Whatever the service says is data: on a real terminal, no byte of it is a command, in no form of the output.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Papa from "papaparse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listedTrade } from "../support/listed-trade.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { forbiddenIn } from "../support/terminal/allowed-bytes.ts";
import { ATTACKS } from "../support/terminal/hostile-text.ts";

/** All attacks in one text. Lone halves of pairs cannot be sent; accents on accents are ugly, but nothing obeys them. */
const EVIL = ATTACKS.join(" ").replaceAll(/[\p{Cs}\p{Mn}\p{Me}]/gu, "");
/** Whose fills are listed. */
const ADDRESS = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const STAMP = "1767225600000000000";
const links = { previous_sequence: null, sequence: "1" };

/** Records without listed fields: hostile names and values, beside those that are looked for. */
const record = (id: number) => ({
  market_id: id,
  market_type: "perp",
  // Short enough to be shown whole: a longer one is left out.
  symbol: `S\u001b[6n\u202e${id}`,
  base_asset: EVIL,
  status: EVIL,
  side: EVIL,
  price: EVIL,
  size: EVIL,
  order_id: `${id} ${EVIL}`,
  [EVIL]: EVIL,
  nested: { [EVIL]: [EVIL] },
});

/** What a subscribe gets, by the kind of its channel. */
const ANSWERS: Readonly<Record<string, object>> = {
  bbo: { bbo: { bid: null, ask: null }, [EVIL]: EVIL },
  orderbook: { ...links, orderbook: { bids: [], asks: [] }, extra: EVIL },
  trades: {
    ...links,
    trades: [
      {
        timestamp_ns: STAMP,
        price_ticks: "1",
        size_base_lots: "2",
        taker_is_bid: true,
        [EVIL]: EVIL,
      },
    ],
  },
  candles: {
    candles: [
      {
        open_time_ms: 1_767_225_600_000,
        open: "1",
        high: "2",
        low: "1",
        close: "2",
        volume_base: "1",
        volume_quote: "1",
        trades: 1,
        note: EVIL,
      },
    ],
  },
  markets: { ...links, markets: [record(1), record(2)] },
  "market-stats": { ...links, market_stats: [record(1)] },
  "funding-rates": { ...links, funding_rates: [record(1)] },
  accounts: {
    ...links,
    subaccounts: [{ subaccount_id: 0, status: EVIL, created_at_ns: STAMP }],
    delegations: [{ subaccount_id: 0, delegate: EVIL, permissions: [EVIL], name: EVIL }],
  },
  account: {
    ...links,
    account: record(1),
    balances: [record(1)],
    positions: [record(1), record(2)],
    leverages: [{ market_id: 1, leverage: 2 }],
    orders: [record(1), record(2)],
    fills: [record(1), record(2)],
    funding_payments: [record(1)],
  },
};

const LISTED_ID = 7n;

/** Both sides of a trade, and a liquidation: every text of theirs, and a name that the document does not have. */
const LISTED = {
  trades: {
    ...listedTrade({
      trade_id: `${LISTED_ID}`,
      tx_hash: EVIL,
      market_type: EVIL,
      maker_address: EVIL,
      taker_address: ADDRESS,
      quantity: "2",
      quote_notional: "2",
      timestamp_ms: 1_767_225_600_000,
    }),
    [EVIL]: EVIL,
  },
  liquidations: {
    liquidation_id: `${LISTED_ID}`,
    liquidation_type: EVIL,
    liquidator: EVIL,
    liquidatee: EVIL,
    liquidatee_subaccount: 0,
    bucket: EVIL,
    scope: EVIL,
    positions: [
      {
        market_id: 1,
        side: EVIL,
        size: "1",
        position_margin: "1",
        margin_mode: EVIL,
        [EVIL]: EVIL,
      },
    ],
    timestamp_ms: 1_767_225_600_000,
    [EVIL]: EVIL,
  },
} as const;

/**
 * Their place in the listing is their id. An older record shows that a page can hold more than one: else it could not be
 * proven that there are no more.
 */
function pageOf(kind: keyof typeof LISTED, url: string): readonly object[] {
  const before = BigInt(/[?&]before=(\d+)/.exec(url)?.[1] ?? LISTED_ID + 1n);
  const id = kind === "trades" ? "trade_id" : "liquidation_id";
  const older = { ...LISTED[kind], [id]: "1", timestamp_ms: 1 };
  return [...(before > LISTED_ID ? [LISTED[kind]] : []), ...(before > 1n ? [older] : [])];
}

/**
 * Starts it: it lists two trades and two liquidations, and anything else is an error with words. Subscribes to mark candles
 * are refused, with words.
 */
function startHostileService() {
  const service = new ScriptedService({
    message: EVIL,
    onOpen(peer) {
      peer.send({ type: EVIL, channel: EVIL });
      peer.error(500, undefined, EVIL);
      peer.send({
        type: "hello",
        protocol_version: 1,
        keepalive_timeout_ms: 120_000,
        [EVIL]: EVIL,
      });
    },
    answer(channel) {
      const payload = ANSWERS[channel.split("/")[0] ?? ""];
      if (payload === undefined || channel.endsWith("/9")) return undefined;
      const update = { type: "update", channel, ...payload };
      // A rejected update, with hostile words in it.
      return [STAMP, EVIL].map((timestamp_ns) => ({ ...update, timestamp_ns }));
    },
  });
  return service.listen(({ url = "" }, response) => {
    const [, kind] = /\/(trades|liquidations)(?:\?|$)/.exec(url) ?? [];
    const isPage = kind !== undefined && !url.includes("/9/");
    response.statusCode = isPage ? 200 : 400;
    const page = isPage ? pageOf(kind as keyof typeof LISTED, url) : { error: EVIL, message: EVIL };
    response.end(JSON.stringify(page));
  });
}

/** Whose fills the listing is asked for. */
const REST_OWNER = `0x${"ab".repeat(20)}`;
let service: Awaited<ReturnType<typeof startHostileService>>;
const folder = folderOfFile();
beforeAll(async () => {
  service = await startHostileService();
});
afterAll(() => service.close());

/** What the program itself sends besides frames, to enter and leave the screen. */
const SESSION = ["1049", "25", "2004", "1002", "1006"]
  .flatMap((mode) => [`\u001b[?${mode}h`, `\u001b[?${mode}l`])
  .concat("\u001b[22;2t", "\u001b[23;2t");
/** The title of the window; what stands in it is looked at like everything else. */
const [BEGIN, BELL] = ["\u001b]2;", "\u0007"];
const TITLE = new RegExp(`${BEGIN.replace("]", "\\]")}([^${BELL}]*)${BELL}`, "g");

/** A line is taken back. */
const ERASED = ["2K", "1A", "G", "?25l", "?25h"].map((each) => `\u001b[${each}`);

/** Everything in the output that a terminal would obey and that is not ours. */
function forbidden(output: string): string[] {
  // The terminal itself puts a carriage return before each line feed.
  const frames = output.replace(/\r*\n/g, "\r\n").replace(TITLE, "$1");
  return forbiddenIn(Buffer.from(SESSION.reduce((text, own) => text.replaceAll(own, ""), frames)));
}

/** Every line of a log is one JSON object that no terminal obeys. */
function expectLog(path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  for (const line of lines) {
    expect(() => JSON.parse(line)).not.toThrow();
    expect(forbiddenIn(Buffer.from(line))).toEqual([]);
  }
  return lines;
}

/** Keys one after the other, and what is there when each has done its work. */
const VIEWS: readonly (readonly [key: string, shown: RegExp])[] = [
  ["M", /─ Markets 2 .*S\ufffd/s],
  ["\r", /─ Chart 1m/],
  ["F", /─ Funding/],
  ["L", /─ Channels .*trades\/perp\/1/s],
  ["N", /─ Alerts /],
  ["A", /─ Positions 2 .*S\ufffd/s],
  ["\r", /order_id +1/],
  ["\u001b", /─ Orders 2 /],
  ["?", /─ (?:Keys|Help)/],
  ["\u001b", /─ Orders 2 /],
  ["D", /─ Chart 1m/],
];

/** What a command prints on a terminal, to its end. */
async function printed(args: readonly string[]): Promise<string> {
  const where = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
  const { stdout, stderr } = await runMonitor([...args, ...where], { isTTY: true });
  return stdout + stderr;
}

describe.concurrent("hostile text of the service", () => {
  test.each([
    [
      "in every view from the dashboard of a market",
      ["perp/1", "--account", `${ADDRESS}/0`],
      VIEWS,
    ],
    ["on the dashboard of an account", ["account", ADDRESS, "0"], []],
    ["on the dashboard of an overview", ["account", ADDRESS], []],
    ["on the dashboard of all markets", ["markets"], []],
  ])("is only text %s", async (_, args, views) => {
    const where = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
    // A named theme asks the terminal nothing.
    const screen = new MonitorScreen([...args, ...where, "--theme", "terminal"]);
    await screen.until((text) => text.includes("\ufffd"));
    for (const [key, shown] of views) {
      screen.type(key);
      await screen.until((text) => shown.test(text));
    }
    screen.type("q");
    await screen.ended();
    expect(forbidden(screen.output)).toEqual([]);
  });

  const tailed = ["markets", `accounts/${ADDRESS}`, "market-stats/perp/9"];
  test.each([
    ["--once", ["perp/1", "--once"], "S\\x1b"],
    ["the account as text", ["account", ADDRESS, "0", "--once"], "\\x1b"],
    ["the overview as text", ["account", ADDRESS, "--once"], "\\x1b"],
    ["the markets as text", ["markets", "--once"], "\\x1b"],
  ])("is only text in %s on a terminal", async (_, args, shown) => {
    const output = await printed(args);
    expect(output).toContain(shown);
    expect(forbidden(output)).toEqual([]);
  });

  test.each([
    ["--json", ["perp/1", "--json"], ["\\u202e"]],
    ["the overview as JSON", ["account", ADDRESS, "--json"], ["\\u202e"]],
    ["the account as JSON", ["account", ADDRESS, "0", "--json"], ["\\u202e"]],
    ["tail", ["tail", ...tailed, "--events"], ["\\u202e", '"refused"', '"rejected"']],
  ])("is only text in %s on a terminal, until it is ended", async (_, args, shown) => {
    const { code, stdout } = await runMonitor([...args, "--ws-url", service.wsUrl], {
      isTTY: true,
      until: (text) => shown.every((part) => text.includes(part)),
    });
    expect(code).toBe(0);
    expect(forbidden(stdout)).toEqual([]);
  });

  test("is exact in frames that are piped, and the same JSON on a terminal", async () => {
    const tail = async (isTTY: boolean) => {
      const until = (text: string) => text.includes("\n");
      const args = ["tail", "markets", "--ws-url", service.wsUrl];
      return (await runMonitor(args, { isTTY, until })).stdout.split("\n")[0] ?? "";
    };
    const [piped, shown] = await Promise.all([tail(false), tail(true)]);
    expect(piped).toContain("\u202e");
    expect(shown).not.toContain("\u202e");
    expect(JSON.parse(shown)).toEqual(JSON.parse(piped));
  });

  test("is only text in messages on stderr", async () => {
    const args = ["tail", "market-stats/perp/9", "--ws-url", service.wsUrl];
    const { stderr } = await runMonitor(args, { until: (_, errors) => errors.includes("404") });
    expect(stderr).toContain("is refused: 404");
    expect(forbidden(stderr)).toEqual([]);
  });
});

describe.concurrent("hostile text of the listings", () => {
  test.each([
    ["trades as text", ["trades", "perp/1", "--once"], "complete: yes"],
    ["trades as JSON", ["trades", "perp/1", "--json"], "\\u202e"],
    ["liquidations as text", ["liquidations", "1", "--once"], "\\x1b"],
    ["liquidations as JSON", ["liquidations", "1", "--json"], "\\u202e"],
    ["fills as text", ["fills", REST_OWNER, "0", "--once"], "\\x1b"],
    ["fills as JSON", ["fills", REST_OWNER, "0", "--json"], "\\u202e"],
    ["a refusal", ["trades", "perp/9", "--once"], "400"],
    ["an export as CSV", ["export", "trades", "perp/1"], "\\x1b"],
    ["an export as NDJSON", ["export", "liquidations", "1", "--format", "ndjson"], "\\u"],
    ["doctor", ["doctor", "--timeout", "500ms"], "rest.trades"],
  ])("is only text in %s on a terminal", async (_, args, shown) => {
    // Of an export's progress and doctor's table, which are written over.
    const output = [...ERASED, "\r\u001b[K"].reduce(
      (text, own) => text.replaceAll(own, ""),
      await printed(args),
    );
    expect(output).toContain(shown);
    expect(forbidden(output)).toEqual([]);
  });

  test.each([
    ["trades", ["trades", "perp/1"]],
    ["liquidations", ["liquidations", "1"]],
    ["fills", ["fills", REST_OWNER, "0"]],
  ])("is only text in the file and in the log of an export of %s", async (name, words) => {
    const [file, log] = [join(folder, `${name}.csv`), join(folder, `${name}.log`)];
    const where = ["--base-url", service.baseUrl, "--log", log, "--debug"];
    const { code, stderr } = await runMonitor(["export", ...words, "-o", file, ...where]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("complete: yes")]);
    const csv = readFileSync(file, "utf8");
    const { data } = Papa.parse<Record<string, string>>(csv.trimEnd(), { header: true });
    expect(data.length).toBe(2);
    expect(csv).toContain("\\x1b");
    // No cell has a line break of its own, so the only control characters are those of the form.
    expect(forbiddenIn(Buffer.from(csv))).toEqual([]);
    expect(csv.split("\r\n").length).toBe(4);
    expectLog(log);
  });

  test("is only text in the log of a live run", async () => {
    const log = join(folder, "live.log");
    await runMonitor(["perp/1", "--json", "--log", log, "--debug", "--ws-url", service.wsUrl], {
      until: () => readFileSync(log).includes("x1b"),
    });
    expect(expectLog(log).some((line) => line.includes("x1b"))).toBe(true);
  });

  test("is only text in a replay on a terminal", async () => {
    const file = join(folder, "run.ndjson");
    const args = ["perp/1", "--json", "--once", "--record", file, "--ws-url", service.wsUrl];
    await runMonitor(args);
    for (const form of ["--once", "--json"]) {
      const { stdout, stderr } = await runMonitor(["replay", file, form], { isTTY: true });
      expect(stdout).toMatch(/S\\(?:x1b|u001b)/);
      expect(forbidden(stdout + stderr)).toEqual([]);
    }
  });
});
