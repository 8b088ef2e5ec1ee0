// monitor account as its user runs it, against a service whose open records have names and shapes of their own.
import { describe, expect, test } from "vitest";
import { runMonitor } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { type Script, startScriptedStream } from "../support/scripted-stream.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const CATALOGUE = `accounts/${address}`;
const ACCOUNT = `account/${address}/0`;

/** Numbers that no float holds, zeros at the end, nested objects and lists, in the words of another exchange. */
const RECORDS = {
  account: '{"net":{"nav":10000000000000000000.50,"ccy":"USD"},"tier":3}',
  balances:
    '[{"coin":"USD","qty":12345678901234567890.10,"locked":{"orders":"1.10","other":0.00}}]',
  positions: '[{"mkt":"1","dir":"L","qty":"0.50","entry":{"px":"97000.10"},"upnl":-1.20e3}]',
  orders:
    '[{"oid":9007199254740993,"mkt":1,"is_bid":true,"px":"96000.0","qty":0.30,"flags":["post","hidden"],"parent":{"oid":9007199254740994,"legs":[{"px":"1.0"}]}},{"oid":9007199254740995,"mkt":1,"is_bid":false,"px":"98000.0","qty":0.10,"memo":"a\\u001b[31mb"}]',
  fills:
    '[{"tid":"f1","mkt":1,"px":97000.10,"qty":"0.50","ts":1767225692255,"liq":{"kind":"maker"}}]',
  funding_payments: '[{"mkt":1,"paid":-0.00000012,"at":"2026-01-01T00:00:00Z"}]',
} as const;

const script: Script = {
  [CATALOGUE]: [
    '"subaccounts":[{"subaccount_id":0,"status":"active","created_at_ns":"1767225692255689000"}],"delegations":[]',
  ],
  [ACCOUNT]: [
    `${Object.entries(RECORDS)
      .map(([name, text]) => `"${name}":${text}`)
      .join(",")},"leverages":[{"market_id":1,"leverage":7}]`,
  ],
};

async function withStream<T>(
  frames: Script,
  use: (service: Awaited<ReturnType<typeof startScriptedStream>>) => Promise<T>,
): Promise<T> {
  const service = await startScriptedStream(frames);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

const run = (service: { wsUrl: string }, ...args: string[]) =>
  runMonitor(["account", address, ...args, "--ws-url", service.wsUrl]);

describe.concurrent("monitor account without a screen", () => {
  test("--json carries every record of a foreign service unchanged, letter by letter", () =>
    withStream(script, async (service) => {
      const { code, stdout, stderr } = await run(service, "0", "--once", "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const [name, text] of Object.entries(RECORDS))
        expect(stdout).toContain(`"${name}":${text}`);
      expect(JSON.parse(stdout).account).toMatchObject({ address, subaccount_id: 0 });
      expect(JSON.parse(stdout).panes.account.state).toMatch(/live|quiet/);
    }));

  test("beside a market, --account fills the account of the JSON", () =>
    withStream(script, async (service) => {
      const options = ["--account", `${address}/0`, "--json", "--once"];
      const { stdout, stderr } = await runMonitor([
        "perp/1",
        ...options,
        "--ws-url",
        service.wsUrl,
      ]);
      expect(stdout).toContain(`"orders":${RECORDS.orders}`);
      expect(stderr).toContain("monitor: not complete: bbo (refused: 404: no such\\x1b[2J thing)");
    }));

  test("--once shows every list as text, and --mask hides what others must not see", () =>
    withStream(script, async (service) => {
      const { stdout } = await run(service, "0", "--once");
      for (const text of [
        "9007199254740993",
        "12345678901234567890.10",
        "97000.10",
        "a\\x1b[31mb",
      ]) {
        expect(stdout).toContain(text);
      }
      const masked = await run(service, "0", "--once", "--mask");
      expect(masked.code).toBe(0);
      for (const secret of ["9007199254740993", "12345678901234567890.10", "gtSF", "-1.20e3"]) {
        expect(masked.stdout).not.toContain(secret);
      }
      expect(masked.stdout).toContain("96000.0");
    }));

  test("--once shows prices and sizes in the scale that the market names, with its source, as --json does", () =>
    withStream(
      {
        ...script,
        markets: ['"markets":[{"market_id":1,"tick_size":"0.01","lot_size":"0.001"}]'],
        "trades/perp/1": ['"trades":[]'],
        "trades/perp/2": ['"trades":[]'],
        [ACCOUNT]: [
          '"orders":[{"oid":1,"market_id":1,"price_ticks":"9700012","size_base_lots":"1500"},{"oid":2,"market_id":2,"price_ticks":"77","size_base_lots":"3"}]',
        ],
      },
      async (service) => {
        const { stdout } = await run(service, "0", "--once");
        expect(stdout).toContain("scale    perp/1 tick 0.01 lot 0.001 (market, untested)\n");
        expect(stdout).toContain("scale    perp/2 prices in ticks, sizes in lots (");
        expect(stdout).toMatch(/1 +1 +97000\.12 +1\.500/);
        expect(stdout).toMatch(/2 +2 +77 ticks +3 lots/);
        const { scales, account } = JSON.parse(
          (await run(service, "0", "--once", "--json")).stdout,
        );
        expect(scales["perp/1"]).toMatchObject({ tick_size: "0.01", source: "market" });
        expect(scales["perp/2"]).toMatchObject({ tick_size: null, source: "none" });
        expect(account.orders[0].price_ticks).toBe("9700012");
      },
    ));

  test("an account that the service does not know ends with 1 and its words", () =>
    withStream({}, async (service) => {
      const { code, stdout, stderr } = await run(service, "0", "--once");
      expect(code).toBe(1);
      expect(stderr).toBe("monitor: not complete: account (refused: 404: no such\\x1b[2J thing)\n");
      expect(stdout).toContain("positions: not provided");
    }));

  test("lists that never come are said not to be provided; an account that never comes is an error", () =>
    withStream({ ...script, [ACCOUNT]: ['"balances":[]'] }, async (service) => {
      const { code, stdout } = await run(service, "0", "--once");
      expect(code).toBe(0);
      expect(stdout).toContain("orders: not provided");
      expect(stdout).toContain("balances: none");
      await withStream({ ...script, [ACCOUNT]: [] }, async (silent) => {
        const finished = await run(silent, "0", "--once", "--timeout", "800ms");
        expect(finished.code).toBe(1);
        expect(finished.stderr).toBe("monitor: not complete: account (no data received)\n");
      });
    }));

  test("a record that is no object is rejected and counted; the account goes on with what came after", () =>
    withStream(
      {
        ...script,
        [ACCOUNT]: ['"balances":[{"asset":"A","total":"1"}]', '"orders":["no object"]'],
      },
      async (service) => {
        const args = ["account", address, "0", "--json", "--ws-url", service.wsUrl];
        const { code, stdout } = await runMonitor(args, {
          until: (text) => /"rejected":[1-9].*\n$/.test(text),
        });
        const { account, panes } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
        expect(code).toBe(0);
        expect(account.balances).toEqual([{ asset: "A", total: "1" }]);
        expect(panes.account.rejected).toBeGreaterThan(0);
      },
    ));

  test.each([
    [["0x52908400098527886E0F7030069857D2E4169EE7"], "an owner of the REST listings is no address"],
    [["abc"], "not an address: abc (3 characters)"],
    [
      [`${address.slice(1)}0`],
      'not an address: tSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD0 (it has "0")',
    ],
    [[address, "2147483648"], "subaccount id out of range: 2147483648"],
    [[address, "-1"], "not a subaccount id: -1"],
    [[address, "1.5"], "not a subaccount id: 1.5"],
    [[address, "--json", "--mask"], "--json prints records as received"],
  ])("wrong use %j is refused before anything is sent", (args, message) =>
    withStream(script, async (service) => {
      const finished = await runMonitor(["account", ...args, "--ws-url", service.wsUrl]);
      expect(finished.stderr.split("\n")[0]).toContain(`monitor: ${message}`);
      expect(finished).toMatchObject({ code: 2, stdout: "" });
      expect(service.commands).toEqual([]);
    }),
  );

  test("--account without an id says that none can be chosen without a screen", () =>
    withStream(script, async (service) => {
      const args = ["perp/1", "--account", address, "--once", "--ws-url", service.wsUrl];
      const { code, stderr } = await runMonitor(args);
      expect(code).toBe(2);
      expect(stderr).toContain("monitor: --account names no subaccount");
    }));
});

describe.concurrent("monitor account on a terminal", () => {
  test("every field of every record can be reached", () =>
    withStream(script, async (service) => {
      const size = { columns: 100, rows: 30 };
      const screen = new MonitorScreen(["account", address, "0", "--ws-url", service.wsUrl], size);
      await screen.until((text) => text.includes("Orders 2"));
      const look = async (keys: string, ...texts: string[]) => {
        screen.type(keys);
        await screen.until((shown) => texts.every((text) => shown.includes(text)));
      };
      await look("3", "9007199254740993");
      await look("\r", "parent.oid", "9007199254740994", "flags.1", "hidden", "parent.legs.0.px");
      await look("\r", "post, hidden");
      await look("j", "▸");
      await look("\r", "memo", "a\\x1b[31mb");
      await look("\r2", "Entry px");
      await look("\r", "-1.20e3", "97000.10");
      await look("\r4\r", "liq.kind", "1767225692255  (2026-01-01 00:01:32)");
      await look("\r5\r", "-0.00000012");
      await look("\r6\r", "locked.other", "0.00", "12345678901234567890.10");
      await look("\r9\r", "net.nav", "10000000000000000000.50");
      await look("\r0\r", "leverage  ", "7");
      screen.type("q");
      expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    }));

  test("names of 500 wide characters and control sequences leave the frame as it is", () => {
    const name = `${"漢".repeat(500)}\\u001b[2J\\u202eend`;
    const hostile = `"orders":[{"order_id":1,"${name}":"${name}","symbol":"${name}"}],"balances":[]`;
    return withStream({ ...script, [ACCOUNT]: [hostile] }, async (service) => {
      const size = { columns: 80, rows: 24 };
      const screen = new MonitorScreen(["account", address, "0", "--ws-url", service.wsUrl], size);
      await screen.until((text) => text.includes("Orders 1") && text.includes("漢"));
      const first = screen.lines.findIndex((line) => line.startsWith("╭"));
      for (const line of screen.lines.slice(first, -1)) expect(line).toMatch(/^[╭│╰].*[╮│╯]$/);
      screen.type("3\rjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj");
      await screen.until((text) => text.includes("\\x1b[2J"));
      screen.type("q");
      expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    });
  });
});
