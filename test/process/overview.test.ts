// monitor account without a subaccount id, as its user runs it: every subaccount of one or several addresses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { firstFrames, type Payload, ScriptedService } from "../support/scripted-service.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const other = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const folder = folderOfFile();

type Frames = Readonly<Record<string, Payload>>;

/** A service of these frames, the channels that it was asked for, and runs of accounts of it. */
async function start(frames: Frames, isSilent = false) {
  const all = new ScriptedService(firstFrames(frames, isSilent));
  const service = await all.listen();
  onTestFinished(service.close);
  const where = ["--ws-url", service.wsUrl];
  return {
    where,
    run: (...args: string[]) => runMonitor(["account", ...args, ...where]),
    asked: () =>
      all.peers
        .flatMap(({ commands }) => commands.map(({ channel }) => channel))
        .filter((channel) => channel.startsWith("account/")),
  };
}

function catalogue(...statuses: readonly string[]): Payload {
  const subaccounts = statuses.map((status, subaccount_id) => ({
    subaccount_id,
    status,
    created_at_ns: "1767225692255689000",
  }));
  return {
    subaccounts,
    delegations: [{ subaccount_id: 0, delegate: "x", permissions: ["trade"] }],
  };
}

function account(equity: string, liquidation_price = "50", asset = "USDC"): Payload {
  return {
    account: { equity, unrealized_pnl: "-1.5", margin: "2", ...(asset && { asset }) },
    orders: [],
    positions: [{ market_id: 1, side: "long", size: "1", mark_price: "100", liquidation_price }],
  };
}

const FRAMES: Frames = {
  [`accounts/${address}`]: catalogue("active", "restricted", "closed", "active"),
  [`account/${address}/0`]: account("10.50"),
  [`account/${address}/1`]: account("5", "92.5"),
};

/** 500 subaccounts, of which the service takes so many subscriptions. */
const of500 = (taken: number): Frames => ({
  [`accounts/${address}`]: catalogue(...Array(500).fill("active")),
  ...Object.fromEntries(
    Array.from({ length: taken }, (_, id) => [`account/${address}/${id}`, account("1")]),
  ),
});

describe("monitor account without an id", () => {
  test("--json is one object: a row for each subaccount, sums over those that are live alone", async () => {
    const { run } = await start(FRAMES);
    const { code, stdout, stderr } = await run(address, "--once", "--json");
    const { subaccounts, totals, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ address, delegations: [{ delegate: "x" }] });
    expect(subaccounts).toMatchObject([
      {
        subaccount_id: 0,
        status: "active",
        state: "live",
        equity: "10.50",
        unrealised: "-1.5",
        margin_used: "2",
        orders: 0,
        positions: 1,
        nearest_liquidation: { market: "perp/1", distance: "0.500" },
      },
      { subaccount_id: 1, status: "restricted", nearest_liquidation: { distance: "0.075" } },
      { subaccount_id: 2, status: "closed", state: "off", age_ms: null },
      { subaccount_id: 3, status: "active", state: "refused", note: "404: no" },
    ]);
    expect(subaccounts[2]).not.toHaveProperty("equity");
    expect(totals).toEqual({
      live: 2,
      of: 4,
      closed: 1,
      currency: "USDC",
      equity: "15.50",
      unrealised: "-3.0",
      margin_used: "4",
      orders: 0,
      positions: 2,
    });
    expect(code).toBe(1);
    expect(stderr).toBe(`monitor: not complete: account/${address}/3 (refused: 404: no)\n`);
  });

  test("--once is a table, danger first, in which a refused subaccount says so", async () => {
    const { run } = await start(FRAMES);
    const { stdout } = await run(address, "--once");
    const rows = stdout.split("\n").filter((line) => /^[0-9]/.test(line));
    expect(rows.map((line) => line.trim().split(/ +/)[0])).toEqual(["1", "0", "3", "2"]);
    expect(rows[0]).toMatch(/^1 +◐ restricted +5 +-1\.5 +2 +40\.0 +1 7\.5% +0 +1 +live/);
    expect(rows[2]).toMatch(/refused 404: no$/);
    expect(rows[3]).toMatch(/^2 +× closed .* off$/);
    expect(stdout).toContain(
      "total   2 of 4 live  1 closed  equity 15.50 USDC  unrealised -3.0 USDC",
    );
    const masked = await run(address, "--once", "--mask");
    for (const secret of ["10.50", "15.50", "-1.5", "gtSF"])
      expect(masked.stdout + masked.stderr).not.toContain(secret);
  });

  test("money of which nobody says the currency has no sum, and that is said", async () => {
    const frames: Frames = {
      [`accounts/${address}`]: catalogue("active", "active"),
      [`account/${address}/0`]: account("10.50", "50", ""),
      [`account/${address}/1`]: account("5", "92.5", ""),
    };
    const { run } = await start(frames);
    const { stdout } = await run(address, "--once");
    expect(stdout).toMatch(
      /total +2 of 2 live {2}orders 0 {2}positions 2 {2}no sums: the service names no currency$/m,
    );
    const json = JSON.parse((await run(address, "--once", "--json")).stdout);
    expect(json.totals).toEqual({
      live: 2,
      of: 2,
      closed: 0,
      orders: 0,
      positions: 2,
      why: "the service names no currency",
    });
  });

  test("a catalogue that never comes is named, with exit code 1", async () => {
    const { run } = await start({}, true);
    const args = [address, "--once", "--timeout", "400ms"];
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toBe(`monitor: not complete: accounts/${address} (no data received)\n`);
    expect(stdout).toContain("total   0 of 0 live");
    const json = JSON.parse((await run(...args, "--json")).stdout);
    expect(json).toMatchObject({ address, subaccounts: [], totals: { live: 0, of: 0 } });
  });

  test("of 500 subaccounts sixteen are subscribed, one after the other", async () => {
    const { run, asked } = await start(of500(500));
    const { code, stdout } = await run(address, "--once", "--json");
    expect(code).toBe(0);
    const { subaccounts, totals } = JSON.parse(stdout);
    expect(totals).toMatchObject({ live: 16, of: 500, equity: "16" });
    expect(subaccounts).toHaveLength(500);
    expect(subaccounts[16]).toMatchObject({ state: "off", status: "active" });
    expect(asked()).toHaveLength(16);
  });

  test("a service that takes no more subscriptions is asked for four more, not for all", async () => {
    const { run, asked } = await start(of500(6));
    const { code, stdout } = await run(address, "--once", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).totals).toMatchObject({ live: 6, of: 500 });
    expect(new Set(asked()).size).toBe(10);
  });

  test("a name of the config file stands for --account, too", async () => {
    const config = join(folder, "named.toml");
    writeFileSync(config, `[accounts]\ndesk = "${address}/0"\n`);
    const { where } = await start(FRAMES);
    const options = ["--account", "desk", "--once", "--json", "--config", config];
    const { stdout } = await runMonitor(["perp/1", ...options, ...where]);
    expect(JSON.parse(stdout).account).toMatchObject({ address, subaccount_id: 0 });
  });

  test("several addresses have the names of the config file, and without a word all of them are meant", async () => {
    const config = join(folder, "config.toml");
    writeFileSync(config, `[accounts]\ndesk = "${address}"\nhedge = "${other}/7"\n`);
    const frames: Frames = {
      ...FRAMES,
      [`account/${address}/3`]: account("1"),
      [`accounts/${other}`]: catalogue("active"),
      [`account/${other}/7`]: account("2", "99"),
    };
    const { run } = await start(frames);
    const all = await run("--once", "--config", config);
    expect(all.stderr).toBe("");
    const rows = all.stdout.split("\n").filter((line) => /^\S+\/[0-9]/.test(line));
    expect(rows.map((line) => line.split(" ")[0])).toEqual([
      "hedge/7",
      "desk/1",
      "desk/3",
      "desk/0",
      "desk/2",
    ]);
    const { stdout } = await run("--once", "--json", "--config", config);
    const { accounts, totals } = JSON.parse(stdout);
    expect(accounts).toMatchObject([
      { address, name: "desk", totals: { live: 3, of: 4 } },
      { address: other, subaccounts: [{ subaccount_id: 7, name: "hedge" }], totals: { of: 1 } },
    ]);
    expect(totals).toMatchObject({ live: 4, of: 5, equity: "18.50" });
    const one = await run("hedge", "--once", "--json", "--config", config);
    expect(JSON.parse(one.stdout).account).toMatchObject({ address: other, subaccount_id: 7 });
    const wrong = await run("hedge", "3", "--config", config);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: "monitor: hedge is subaccount 7 already\nexpected: monitor account hedge\n",
    });
  });

  test.each([
    ["a name", 'desk = "0x12"', "accounts.desk: expected an address of the stream"],
    ["an id", `desk = "${address}/x"`, "accounts.desk: expected an address of the stream"],
    ["a name", `"3" = "${address}"`, "accounts.3: expected a letter"],
  ])("%s of no form in the config file is named with its place", async (_, line, words) => {
    const config = join(folder, `${line.length}.toml`);
    writeFileSync(config, `[accounts]\n${line}\n`);
    const { code, stderr } = await runMonitor(["account", "desk", "--config", config]);
    expect(code).toBe(2);
    expect(stderr).toContain(`:2:1: ${words}`);
  });

  test.each([
    [[address, "0", "1"], "too many words after subaccount 0: 1"],
    [[address, other, "0"], "a subaccount id goes with one address: 0"],
  ])("%j says what is expected", async (words, message) => {
    const { code, stderr } = await runMonitor(["account", ...words]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `monitor: ${message}\nexpected: monitor account <address> [subaccount_id], or for several: monitor account <address>[/<subaccount_id>]...\n`,
    );
  });

  test("without a word and without names it says what is expected", async () => {
    const { code, stderr } = await runMonitor(["account"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      "monitor: no address is named, and the config file has none in [accounts]\nexpected: monitor account <address> [subaccount_id]\n",
    );
  });
});

test("on a terminal, Enter opens a subaccount, Escape leads back, and a row that is not live is no part of the sums", async () => {
  const { where } = await start(FRAMES);
  const size = { columns: 160, rows: 16 };
  const screen = new MonitorScreen(["account", address, ...where], size);
  await screen.until((text) => /2 of 4 live {2}liquidation 1 7\.5% \(subaccount 1\)/.test(text));
  await screen.until((text) => /▸. +1 +5 +-1\.5 +1 7\.5%/.test(text));
  await screen.until((text) => /refused 404: no/.test(text) && /× closed/.test(text));
  screen.type("\r");
  await screen.until((text) => /account gtSF…JNeD\/1 +◐ RESTRICTED/.test(text));
  screen.type("\u001b");
  await screen.until((text) => /2 of 4 live/.test(text) && text.includes("Subaccounts 4"));
  screen.type("p");
  await screen.until((text) => !text.includes("15.5") && /equity •••/.test(text));
  await screen.leave();
});
