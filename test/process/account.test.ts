// monitor account as its user runs it, against services whose open records have names and shapes of their own.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { firstFrames, type Payload, ScriptedService } from "../support/scripted-service.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const other = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const CATALOGUE = `accounts/${address}`;
const ACCOUNT = `account/${address}/0`;
const folder = folderOfFile();

/** Numbers that no float holds, zeros at the end, nested objects and lists, in the words of another exchange. */
const RECORDS = {
  account: '{"net":{"nav":10000000000000000000.50,"ccy":"USD"},"tier":3}',
  balances:
    '[{"coin":"USD","total":12345678901234567890.10,"locked":{"orders":"1.10","other":0.00}}]',
  positions: '[{"mkt":"1","side":"L","size":"0.50","entry":{"px":"97000.10"},"upnl":-1.20e3}]',
  orders:
    '[{"oid":9007199254740993,"mkt":1,"is_bid":true,"price":"96000.0","qty":0.30,"flags":["post","hidden"],"parent":{"oid":9007199254740994,"legs":[{"px":"1.0"}]}},{"oid":9007199254740995,"mkt":1,"is_bid":false,"price":"98000.0","qty":0.10,"memo":"a\\u001b[31mb"}]',
  fills:
    '[{"tid":"f1","mkt":1,"px":97000.10,"qty":"0.50","ts":1767225692255,"liq":{"kind":"maker"}}]',
  funding_payments: '[{"mkt":1,"paid":-0.00000012,"at":"2026-01-01T00:00:00Z"}]',
} as const;

/** Text of the payload fields of each frame of a channel, without the braces around them. */
type Script = Readonly<Record<string, readonly string[]>>;

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
  const commands: unknown[] = [];
  const service = await new ScriptedService({
    message: "no such\u001b[2J thing",
    onCommand: (_, command) => commands.push(command) < 0,
    answer: (channel) =>
      frames[channel]?.map((payload, i) => {
        const head = `"channel":${JSON.stringify(channel)},"timestamp_ns":"1800000000000000000"`;
        const previous = i === 0 ? "null" : `"${i}"`;
        return `{"type":"update",${head},"previous_sequence":${previous},"sequence":"${i + 1}",${payload}}`;
      }),
  }).listen();
  onTestFinished(service.close);
  const where = ["--ws-url", service.wsUrl];
  return {
    commands,
    where,
    run: (...args: string[]) => runMonitor(["account", address, ...args, ...where]),
  };
}

describe("monitor account with an id", () => {
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
    const { code, stdout, stderr } = await runMonitor(["perp/1", ...options, ...where]);
    expect(stdout).toContain(`"orders":${RECORDS.orders}`);
    expect(stderr).toContain(
      "monitor: not complete: bbo, orderbook, trades, candles (refused: 404: no such\\x1b[2J thing)",
    );
    expect(code).toBe(1);
  });

  test("--once shows the lists as text, and --mask hides what others must not see", async () => {
    const { run } = await start(script);
    const { code, stdout } = await run("0", "--once");
    for (const text of ["12345678901234567890.10", "97000.10", "0.50", "96000.0"])
      expect(stdout).toContain(text);
    const masked = await run("0", "--once", "--mask");
    expect([code, masked.code]).toEqual([0, 0]);
    for (const secret of ["12345678901234567890.10", "gtSF", "0.50"])
      expect(masked.stdout).not.toContain(secret);
    expect(masked.stdout).toContain("96000.0");
  });

  test("orders are printed with their distance from the mark price", async () => {
    const { run } = await start({
      ...script,
      markets: ['"markets":[{"market_id":1,"type":"perp","symbol":"BTC-PERP"}]'],
      "market-stats/perp": ['"market_stats":[{"market_id":1,"mark_price":"100000.0"}]'],
    });
    const { stdout } = await run("0", "--once");
    expect(stdout).toMatch(/price +to mark % .* age ms\nBTC-PERP +buy +96000\.0 +-4\.00 /);
  });

  test("an account that the service does not know, or that never comes, ends with 1 and says so", async () => {
    const unknown = await (await start({})).run("0", "--once");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toBe(
      "monitor: not complete: account 0 (refused: 404: no such\\x1b[2J thing)\n",
    );
    const silent = await start({ ...script, [ACCOUNT]: [] });
    const late = await silent.run("0", "--once", "--timeout", "800ms");
    expect(late.code).toBe(1);
    expect(late.stderr).toBe("monitor: not complete: account 0 (no data received)\n");
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

  test.each([
    [
      ["account", "0x52908400098527886E0F7030069857D2E4169EE7"],
      "an owner of the listings is no address",
    ],
    [["account", "abc"], "not an address: abc"],
    [
      ["account", `${address.slice(1)}0`],
      "not an address: tSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD0",
    ],
    [["account", address, "1.5"], "not a subaccount id: 1.5"],
    [["account", address, "9999999999"], "not a subaccount id: 9999999999"],
  ])("wrong use %j is refused before anything is sent", async (args, message) => {
    const { commands, where } = await start(script);
    const finished = await runMonitor([...args, ...where]);
    expect(finished.stderr.split("\n")[0]).toContain(`monitor: ${message}`);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(commands).toEqual([]);
  });
});

type Frames = Readonly<Record<string, Payload>>;

/** A service of these frames, runs of its accounts, and the accounts that it was asked for. */
async function startAll(frames: Frames, isSilent = false) {
  const all = new ScriptedService(firstFrames(frames, isSilent));
  const service = await all.listen();
  onTestFinished(service.close);
  return {
    run: (...args: string[]) => runMonitor(["account", ...args, "--ws-url", service.wsUrl]),
    asked: () =>
      all.peers
        .flatMap(({ commands }) => commands.map(({ channel }) => channel))
        .filter((channel) => channel.startsWith("account/")),
  };
}

function catalogue(...statuses: readonly string[]): Payload {
  const subaccounts = statuses.map((status, subaccount_id) => ({
    ...{ subaccount_id, status, created_at_ns: "1767225692255689000" },
  }));
  return {
    subaccounts,
    delegations: [{ subaccount_id: 0, delegate: "x", permissions: ["trade"] }],
  };
}

function account(equity: string, liquidation_price = "50", asset = "USDC"): Payload {
  return {
    account: { equity, unrealized_pnl: "-1.5", margin_used: "2", ...(asset && { asset }) },
    orders: [],
    positions: [{ market_id: 1, side: "long", size: "1", mark_price: "100", liquidation_price }],
  };
}

const FRAMES: Frames = {
  [CATALOGUE]: catalogue("active", "restricted", "closed", "active"),
  [ACCOUNT]: account("10.50"),
  [`account/${address}/1`]: account("5", "92.5"),
  markets: { markets: [{ market_id: 1, type: "perp", symbol: "BTC-PERP" }] },
};

describe("monitor account without an id", () => {
  test("--json is one object: a row for each subaccount, sums over those that are live alone", async () => {
    const { run } = await startAll(FRAMES);
    const { code, stdout, stderr } = await run(address, "--once", "--json");
    const { subaccounts, totals, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ address, delegations: [{ delegate: "x" }] });
    const live = { equity: "10.50", unrealised: "-1.5", margin_used: "2", orders: 0, positions: 1 };
    expect(subaccounts).toMatchObject([
      { subaccount_id: 0, status: "active", ...live },
      { subaccount_id: 1, status: "restricted", equity: "5" },
      { subaccount_id: 2, status: "closed", state: "listed", age_ms: null },
      { subaccount_id: 3, status: "active", state: "refused" },
    ]);
    expect(subaccounts[2]).not.toHaveProperty("equity");
    expect(totals).toEqual({
      ...{ live: 2, of: 3, closed: 1, asset: "USDC" },
      ...{ equity: "15.50", unrealised: "-3.0", margin_used: "4" },
    });
    expect(code).toBe(1);
    expect(stderr).toBe("monitor: not complete: account 3 (refused: 404: no)\n");
  });

  test("money of different assets, or of none that is named, is not added", async () => {
    for (const asset of ["EUR", ""]) {
      const second = account("5", "92.5", asset);
      const { run } = await startAll({ ...FRAMES, [`account/${address}/1`]: second });
      const { stdout } = await run(address, "--once", "--json");
      expect(JSON.parse(stdout).totals).toEqual({ live: 2, of: 3, closed: 1 });
    }
  });

  test("--once is a table, the most endangered first; --mask hides money and addresses", async () => {
    const { run } = await startAll(FRAMES);
    const { stdout } = await run(address, "--once");
    const rows = stdout.split("\n").filter((line) => line.startsWith("gtSF"));
    expect(rows.map((line) => line.split(/ +/)[0]?.split("/")[1])).toEqual(["1", "0", "3", "2"]);
    expect(rows[0]).toMatch(/restricted +5 +-1\.5 +40\.00 +7\.50 +1 +0 +(?:live|quiet)/);
    const masked = await run(address, "--once", "--mask");
    for (const secret of ["10.50", "-1.5", "gtSF"])
      expect(masked.stdout + masked.stderr).not.toContain(secret);
  });

  test("where nothing is left, a position is the most endangered, whatever is said of its margin", async () => {
    const spent = {
      account: { equity: "-5" },
      positions: [{ market_id: 1, side: "long", size: "1" }],
    };
    const { run } = await startAll({
      ...FRAMES,
      [CATALOGUE]: catalogue("active", "active"),
      [ACCOUNT]: account("2", "99"),
      [`account/${address}/1`]: spent,
    });
    const { stdout } = await run(address, "--once");
    expect(stdout).toMatch(/\/1 +active +-5 .*\n.*\/0 +active +2 /);
  });

  test("a catalogue that never comes is named, with exit code 1", async () => {
    const { run } = await startAll({}, true);
    const args = [address, "--once", "--timeout", "400ms", "--json"];
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toBe("monitor: not complete: accounts (no data received)\n");
    expect(JSON.parse(stdout)).toMatchObject({ address, subaccounts: [], totals: { of: 0 } });
  });

  test("of 500 subaccounts sixteen are subscribed, one after the other", async () => {
    const ids = Array.from({ length: 500 }, (_, id) => id);
    const { run, asked } = await startAll({
      [CATALOGUE]: catalogue(...ids.map(() => "active")),
      ...Object.fromEntries(ids.map((id) => [`account/${address}/${id}`, account("1")])),
    });
    const { code, stdout } = await run(address, "--once", "--json");
    expect(code).toBe(0);
    const { subaccounts, totals } = JSON.parse(stdout);
    expect(totals).toMatchObject({ live: 16, of: 500, equity: "16" });
    expect(subaccounts[16]).toMatchObject({ state: "listed", status: "active" });
    expect(asked()).toHaveLength(16);
  });

  test("names of the config file stand for addresses, and without a word all of them are meant", async () => {
    const config = join(folder, "config.toml");
    const { run } = await startAll({ ...FRAMES, [`accounts/${other}`]: catalogue("active") });
    writeFileSync(config, `[accounts]\nmain = "${address}"\ndesk = "${address}/0"\n`);
    for (const name of ["desk", "main/0"]) {
      const one = await run(name, "--once", "--json", "--config", config);
      expect(JSON.parse(one.stdout).account).toMatchObject({ address, subaccount_id: 0 });
    }
    writeFileSync(config, `[accounts]\ndesk = "${address}/0"\nhedge = "${other}"\n`);
    const all = await run("--once", "--json", "--config", config);
    expect(JSON.parse(all.stdout)).toMatchObject([{ address }, { address: other }]);
  });
});

test("on a terminal every field of every record can be reached, harmless whatever it is", async () => {
  const { where } = await start(script);
  const screen = new MonitorScreen(["account", address, "0", ...where], { columns: 100, rows: 30 });
  await screen.until((text) => text.includes("Orders 2"));
  const look = async (keys: string, ...texts: string[]) => {
    screen.type(keys);
    await screen.until((shown) => texts.every((text) => shown.includes(text)));
  };
  await look("\r", "-1.20e3", "97000.10");
  screen.type("\u001b");
  await screen.until((shown) => !shown.includes("-1.20e3"));
  await look("\tj\r", "memo", "a\ufffd[31mb");
  screen.type("\u001b");
  await screen.until((shown) => !shown.includes("memo"));
  await screen.leave();
});
