// A watch of several markets and subaccounts, against a service that a test moves.
import { expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { type Payload, ScriptedService } from "../support/scripted-service.ts";

const ADDRESS = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const MARKETS = ["perp/1", "perp/2", "spot/3"];
const ACCOUNT = `account/${ADDRESS}/0`;

const trade = (price: number): Payload => ({
  trades: [{ timestamp_ns: "1", price_ticks: `${price}`, size_base_lots: "1", taker_is_bid: true }],
});
const positions = (...marks: readonly [market: number, side: string, mark: string][]): Payload => ({
  positions: marks.map(([market_id, side, mark_price]) => ({
    market_id,
    market_type: "perp",
    side,
    size: "1",
    mark_price,
    liquidation_price: side === "long" ? "80" : "120",
  })),
});
const level = { price_ticks: "1", size_base_lots: "1" };
const markets = (symbol: string): Payload => ({
  markets: [{ market_id: 1, market_type: "perp", symbol }],
});

async function start(changed: Readonly<Record<string, () => Payload>> = {}) {
  const channels: Record<string, () => Payload> = {
    markets: () => markets("BTC-PERP"),
    [ACCOUNT]: () => positions([1, "long", "100"], [2, "short", "100"]),
    [`account/${ADDRESS}/1`]: () => ({ account: { equity: "5" } }),
  };
  for (const market of MARKETS) {
    channels[`bbo/${market}`] = () => ({ bbo: { bid: level, ask: null } });
    channels[`trades/${market}`] = () => trade(100);
    channels[`market-stats/${market}`] = () => ({ market_stats: [] });
  }
  const service = new ScriptedService({ channels: { ...channels, ...changed } });
  const { wsUrl, close } = await service.listen();
  onTestFinished(close);
  return { service, args: ["watch", "--ws-url", wsUrl, "--config", "/dev/null"] };
}

/** The options that name these rules. */
const rules = (...all: readonly string[]) => all.flatMap((rule) => ["--alert", rule]);

/** Calls each step back when its text has been printed. */
function steps(...all: readonly (readonly [text: string, step: () => void])[]) {
  let at = 0;
  return (output: string) => {
    const next = all[at];
    if (next === undefined || !output.includes(next[0])) return;
    at++;
    next[1]();
  };
}

const linesOf = (stdout: string) =>
  Array.from(stdout.matchAll(/.+/g), ([line]) => JSON.parse(line));

test("everything that is named, or that a rule names, is held over one connection, and nothing else", async () => {
  const { service, args } = await start();
  const { code } = await runMonitor([
    ...[...args, "spot/3", "--account", `${ADDRESS}/1`, "--for", "500ms"],
    ...rules("perp/1 last > 500 ticks", `${ACCOUNT} liquidation perp/2 < 5%`),
  ]);
  expect(code).toBe(0);
  const ofMarkets = ["bbo", "market-stats", "trades"].flatMap((kind) =>
    MARKETS.map((market) => `${kind}/${market}`),
  );
  const held = ["markets", ACCOUNT, `account/${ADDRESS}/1`, ...ofMarkets];
  expect(service.peers.map((peer) => peer.takeCommands().sort())).toEqual([
    held.map((channel) => `subscribe ${channel}`).sort(),
  ]);
});

test("--mask hides an address that the service names in an error, too", async () => {
  const { service, args } = await start();
  const { code, stdout } = await runMonitor(
    [...args, "--mask", "--events", "--account", `${ADDRESS}/1`],
    {
      onOutput: steps([
        "connected",
        () => service.last.error(404, ACCOUNT, `no ${ACCOUNT}, nor any of ${ADDRESS}`),
      ]),
      until: (text) => text.includes("refused"),
    },
  );
  expect(code).toBe(0);
  expect(linesOf(stdout).at(-1)).toMatchObject({
    what: "refused",
    detail: "404: no account/•••/0, nor any of •••",
  });
  expect(stdout).not.toContain(ADDRESS);
});

test("rules on positions print their market where they name one, and fire for each position where they name any", async () => {
  const { service, args } = await start();
  const any = `${ACCOUNT} liquidation any < 10% every 0s`;
  const one = `${ACCOUNT} liquidation perp/1 < 5%`;
  const { code, stdout, stderr } = await runMonitor(
    [...args, ...rules(any, one, `${ACCOUNT} liquidation perp/2 < 99%`)],
    {
      onOutput: steps([
        "already_past",
        () => {
          for (const mark of ["85", "84", "100", "82"]) {
            service.publish(ACCOUNT, positions([1, "long", mark]));
          }
          service.publish(ACCOUNT, positions([2, "short", "118"]));
        },
      ]),
      until: (text) => text.split('"event":"alert"').length > 4,
    },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const account = `${ADDRESS}/0`;
  const fired = linesOf(stdout).map(({ event, rule, market, value, account: of }) => {
    expect(of).toBe(account);
    return [event, rule.replace(`${ACCOUNT} `, ""), market, value];
  });
  expect(fired).toEqual([
    ["already_past", "liquidation perp/2 < 99%", "perp/2", "20"],
    ["alert", "liquidation any < 10% every 0s", null, "5.88235294"],
    ["alert", "liquidation perp/1 < 5%", "perp/1", "4.76190476"],
    ["alert", "liquidation any < 10% every 0s", null, "2.43902439"],
    ["alert", "liquidation any < 10% every 0s", null, "1.69491525"],
  ]);
});

test("a market whose id is given to another symbol ends its rules, which is said, and the watch with them", async () => {
  const { service, args } = await start();
  const { code, stdout, stderr } = await runMonitor([...args, ...rules("perp/1 last > 50 ticks")], {
    onOutput: steps(["already_past", () => service.publish("markets", markets("ETH-PERP"))]),
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "monitor: perp/1 is now ETH-PERP, no longer BTC-PERP\n",
  });
  expect(linesOf(stdout).at(-1)).toMatchObject({
    event: "expired",
    why: "perp/1 is now ETH-PERP, no longer BTC-PERP",
  });
});

test("what crosses while the connection is lost is said as such, between lines that say since when and until when nobody could see it", async () => {
  let price = 100;
  const { service, args } = await start({ "trades/perp/1": () => trade(price) });
  const { code, stdout, stderr } = await runMonitor(
    [
      ...args,
      ...rules("perp/1 last > 500 ticks", "offline every 0s", "perp/1 last > 50 ticks every"),
    ],
    {
      onOutput: steps([
        '"already_past","rule":"perp/1',
        () => {
          price = 501;
          service.last.end();
        },
      ]),
      until: (text) => text.includes('"event":"alert","rule":"perp/1'),
    },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const events = linesOf(stdout).filter(({ rule }) => !rule.includes("> 50 "));
  expect(events.map(({ event, rule }) => `${event} ${rule}`)).toEqual([
    "already_past offline every 0s",
    "not evaluated perp/1 last > 500 ticks",
    "alert offline every 0s",
    "evaluated perp/1 last > 500 ticks",
    "alert perp/1 last > 500 ticks",
  ]);
  expect(events.at(-1)).toMatchObject({ value: "501", crossed_while_data_were_missing: true });
});

test("a service that goes away in mid-session ends the watch with 1 after --give-up, not one that comes back", async () => {
  let isGone = false;
  const service = new ScriptedService({
    channels: { markets: () => markets("BTC-PERP") },
    refuse: () => (isGone ? { code: "refused", detail: "gone away" } : undefined),
  });
  const { wsUrl, close } = await service.listen();
  onTestFinished(close);
  const { code, stdout, stderr } = await runMonitor(
    ["watch", "--ws-url", wsUrl, "--config", "/dev/null", "--events", "--give-up", "1500ms"],
    {
      onOutput: (text) => {
        const connections = text.split('"what":"connected"').length - 1;
        if (connections === 1 && service.peers.length === 1) service.last.end();
        if (connections !== 2 || isGone) return;
        isGone = true;
        service.last.end();
      },
    },
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^monitor: no connection for 1.5 s: /),
  });
  // A service that takes connections and ends them at once is away.
  expect(linesOf(stdout).filter(({ what }) => what === "connected").length).toBeGreaterThan(2);
});

test("a rule over any subaccount holds those of the catalogue, and its line names the one that crossed", async () => {
  const any = `account/${ADDRESS}/any`;
  const account = (equity: string): Payload => ({ account: { equity } });
  const { service, args } = await start({
    [`accounts/${ADDRESS}`]: () => ({
      subaccounts: [0, 1, 2].map((subaccount_id) => ({
        subaccount_id,
        status: subaccount_id === 2 ? "closed" : "active",
        created_at_ns: "1",
      })),
      delegations: [],
    }),
    [ACCOUNT]: () => account("500"),
    [`account/${ADDRESS}/1`]: () => account("900"),
  });
  const { code, stdout, stderr } = await runMonitor(
    // The second says when the last one has come.
    [...args, "--first", ...rules(`${any} equity < 100`, `${any} equity > 700`)],
    {
      onOutput: steps([
        "already_past",
        () => service.publish(`account/${ADDRESS}/1`, account("99")),
      ]),
    },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(linesOf(stdout)).toMatchObject([
    { event: "already_past", account: `${ADDRESS}/1`, value: "900" },
    {
      event: "alert",
      rule: `${any} equity < 100`,
      account: `${ADDRESS}/1`,
      value: "99",
    },
  ]);
  const asked = service.peers.flatMap(({ commands }) => commands.map(({ channel }) => channel));
  expect(asked.filter((channel) => channel.startsWith("account"))).toEqual([
    `accounts/${ADDRESS}`,
    ACCOUNT,
    `account/${ADDRESS}/1`,
  ]);
});
