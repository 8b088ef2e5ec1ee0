// monitor account as its user runs it, against a service whose open records have names and shapes of their own.
import { describe, expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
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

/** A service of these frames, and a run of an account of it. */
async function start(frames: Script) {
  const service = await startScriptedStream(frames);
  onTestFinished(service.close);
  const where = ["--ws-url", service.wsUrl];
  return {
    service,
    where,
    run: (...args: string[]) => runMonitor(["account", address, ...args, ...where]),
  };
}

describe("monitor account without a screen", () => {
  test("--json carries every record of a foreign service unchanged, letter by letter", async () => {
    const { run } = await start(script);
    const { code, stdout, stderr } = await run("0", "--once", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const [name, text] of Object.entries(RECORDS))
      expect(stdout).toContain(`"${name}":${text}`);
    expect(JSON.parse(stdout).account).toMatchObject({ address, subaccount_id: 0 });
    expect(JSON.parse(stdout).panes.account.state).toMatch(/live|quiet/);
  });

  test("beside a market, --account fills the account of the JSON", async () => {
    const { where } = await start(script);
    const options = ["--account", `${address}/0`, "--json", "--once"];
    const { stdout, stderr } = await runMonitor(["perp/1", ...options, ...where]);
    expect(stdout).toContain(`"orders":${RECORDS.orders}`);
    expect(stderr).toContain("monitor: not complete: bbo (refused: 404: no such\\x1b[2J thing)");
  });

  test("--once shows every list as text, and --mask hides what others must not see", async () => {
    const { run } = await start(script);
    const { stdout } = await run("0", "--once");
    const shown = ["9007199254740993", "12345678901234567890.10", "97000.10", "a\\x1b[31mb"];
    for (const text of shown) expect(stdout).toContain(text);
    const masked = await run("0", "--once", "--mask");
    expect(masked.code).toBe(0);
    for (const secret of ["9007199254740993", "12345678901234567890.10", "gtSF", "-1.20e3"]) {
      expect(masked.stdout).not.toContain(secret);
    }
    expect(masked.stdout).toContain("96000.0");
  });

  test("--once shows prices and sizes in the scale that the market names, with its source, as --json does", async () => {
    const { run } = await start({
      ...script,
      markets: ['"markets":[{"market_id":1,"tick_size":"0.01","lot_size":"0.001"}]'],
      "trades/perp/1": ['"trades":[]'],
      "trades/perp/2": ['"trades":[]'],
      [ACCOUNT]: [
        '"orders":[{"oid":1,"market_id":1,"price_ticks":"9700012","size_base_lots":"1500"},{"oid":2,"market_id":2,"price_ticks":"77","size_base_lots":"3"}]',
      ],
    });
    const { stdout } = await run("0", "--once");
    expect(stdout).toContain("scale    perp/1 tick 0.01 lot 0.001 (market, untested)\n");
    expect(stdout).toContain("scale    perp/2 prices in ticks, sizes in lots (");
    expect(stdout).toMatch(/1 +1 +97000\.12 +1\.500/);
    expect(stdout).toMatch(/2 +2 +77 ticks +3 lots/);
    const { scales, account } = JSON.parse((await run("0", "--once", "--json")).stdout);
    expect(scales["perp/1"]).toMatchObject({ tick_size: "0.01", source: "market" });
    expect(scales["perp/2"]).toMatchObject({ tick_size: null, source: "none" });
    expect(account.orders[0].price_ticks).toBe("9700012");
  });

  test("an account that the service does not know ends with 1 and its words", async () => {
    const { run } = await start({});
    const { code, stdout, stderr } = await run("0", "--once");
    expect(code).toBe(1);
    expect(stderr).toBe("monitor: not complete: account (refused: 404: no such\\x1b[2J thing)\n");
    expect(stdout).toContain("positions: not provided");
  });

  test("lists that never come are said not to be provided; an account that never comes is an error", async () => {
    const { run } = await start({ ...script, [ACCOUNT]: ['"balances":[]'] });
    const { code, stdout } = await run("0", "--once");
    expect(code).toBe(0);
    expect(stdout).toContain("orders: not provided");
    expect(stdout).toContain("balances: none");
    const silent = await start({ ...script, [ACCOUNT]: [] });
    const finished = await silent.run("0", "--once", "--timeout", "800ms");
    expect(finished.code).toBe(1);
    expect(finished.stderr).toBe("monitor: not complete: account (no data received)\n");
  });

  test("a record that is no object is rejected and counted; the account goes on with what came after", async () => {
    const { where } = await start({
      ...script,
      [ACCOUNT]: ['"balances":[{"asset":"A","total":"1"}]', '"orders":["no object"]'],
    });
    const { code, stdout } = await runMonitor(["account", address, "0", "--json", ...where], {
      until: (text) => /"rejected":[1-9].*\n$/.test(text),
    });
    const { account, panes } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(code).toBe(0);
    expect(account.balances).toEqual([{ asset: "A", total: "1" }]);
    expect(panes.account.rejected).toBeGreaterThan(0);
  });

  // Of ids that are out of range: adversary/typed-names.
  test.each([
    [
      ["account", "0x52908400098527886E0F7030069857D2E4169EE7"],
      "an owner of the REST listings is no address",
    ],
    [["account", "abc"], "not an address: abc (3 characters)"],
    [
      ["account", `${address.slice(1)}0`],
      'not an address: tSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD0 (it has "0")',
    ],
    [["account", address, "1.5"], "not a subaccount id: 1.5"],
    [["perp/1", "--account", address, "--once"], "--account names no subaccount"],
  ])("wrong use %j is refused before anything is sent", async (args, message) => {
    const { service, where } = await start(script);
    const finished = await runMonitor([...args, ...where]);
    expect(finished.stderr.split("\n")[0]).toContain(`monitor: ${message}`);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(service.commands).toEqual([]);
  });
});

describe("monitor account on a terminal", () => {
  const open = ({ where }: { where: readonly string[] }, columns: number, rows: number) =>
    new MonitorScreen(["account", address, "0", ...where], { columns, rows });

  test("every field of every record can be reached", async () => {
    const screen = open(await start(script), 100, 30);
    await screen.until((text) => text.includes("Orders 2"));
    const look = async (keys: string, ...texts: string[]) => {
      screen.type(keys);
      await screen.until((shown) => texts.every((text) => shown.includes(text)));
    };
    await look("\r", "-1.20e3", "97000.10");
    await look("\r", "Entry px");
    await look("\t", "9007199254740993");
    await look("\r", "parent.oid", "9007199254740994", "flags.1", "hidden", "parent.legs.0.px");
    await look("\r", "post, hidden");
    await look("j", "▸");
    await look("\r", "memo", "a\\x1b[31mb");
    await look("\r", "Entry px");
    await look("\t\r", "liq.kind", "1767225692255  (2026-01-01 00:01:32)");
    await look("\r\t\r", "locked.other", "0.00", "12345678901234567890.10");
    await look("\r\t\r", "-0.00000012");
    await screen.leave();
  });

  test("names of 500 wide characters and control sequences leave the frame as it is", async () => {
    const name = `${"漢".repeat(500)}\\u001b[2J\\u202eend`;
    const hostile = `"orders":[{"order_id":1,"${name}":"${name}","symbol":"${name}"}],"balances":[]`;
    const screen = open(await start({ ...script, [ACCOUNT]: [hostile] }), 80, 24);
    await screen.until((text) => text.includes("Orders 1") && text.includes("漢"));
    const first = screen.lines.findIndex((line) => line.startsWith("╭"));
    for (const line of screen.lines.slice(first, -1)) expect(line).toMatch(/^[╭│╰].*[╮│╯]$/);
    screen.type("\t\rjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj");
    await screen.until((text) => text.includes("\\x1b[2J"));
    await screen.leave();
  });
});
