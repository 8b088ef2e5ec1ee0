// The doctor tells each way of doing what the interface leaves open from the others, on evidence, within its limits.
import { describe, expect, onTestFinished, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { decodeScenario } from "../../src/simulator/scenarios/scenario.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { runDoctor } from "../support/doctor-run.ts";
import { type ForeignOptions, withForeignService } from "../support/foreign-service.ts";
import { runSettled } from "../support/settled-run.ts";

/** What the doctor finds, its clock moved as fast as everything that is sent arrives. */
const examine = (readings: object, given: (announcement: Announcement) => Given = () => ({})) =>
  runSettled(async (clock) => {
    const scenario = decodeScenario({ name: "test", description: "", readings }, "test");
    const simulator = await startSimulator({ seed: 5, scenario, history: 300, port: 0, clock });
    onTestFinished(() => simulator.close());
    const { announcement } = simulator;
    const { baseUrl = announcement.base_url, ...options } = given(announcement);
    return runDoctor(announcement.ws_url, baseUrl, options, clock);
  });

/** @param hasListings whether the doctor gets the address of the listings */
const examineForeign = (options: Partial<ForeignOptions>, hasListings = false, timeout?: number) =>
  withForeignService({ quietAfterMs: 6000, ...options }, async ({ wsUrl, baseUrl }, clock) =>
    runDoctor(
      wsUrl,
      hasListings ? baseUrl : undefined,
      timeout === undefined ? {} : { timeout },
      clock,
    ),
  );

type Announcement = Simulator["announcement"];
type Given = Context["options"] & { readonly baseUrl?: string };
type Expected = Readonly<Record<string, RegExp>>;

const SIMULATED: readonly (readonly [string, object, Expected])[] = [
  [
    "the usual readings",
    {},
    {
      "stream.hello": /^ok .*before any command/,
      "stream.version": /^ok 1$/,
      "stream.ping": /^ok round trip/,
      "stream.clock": /^ok .*: -?\d+ ms$/,
      "channel.orderbook": /^ok .*all as described/,
      "stream.duplicate": /^ok .*409/,
      "stream.missing": /^ok .*404/,
      "stream.unsubscribe": /^ok .*unsubscribed/,
      "reading.sequence": /^ok .* in (\d+) of \1$/,
      "reading.null": /^ok .*orderbook null.*sequence null in 0$/,
      "reading.book": /^ok snapshots are whole, other frames change them.*inferred/,
      "reading.witness": /^ok/,
      "reading.audit": /^ok markets .* ago: 3 rows, none differ$/,
      "rest.prefix": /^ok/,
      "rest.trades": /^ok 100 records/,
      "rest.order": /^ok newest first/,
      "rest.cursor": /^warn no field/,
      "rest.liquidations": /^ok/,
      "rest.fills": /^ok/,
      "rest.missing": /^ok .*404/,
      "rest.limit": /^ok .*400/,
    },
  ],
  [
    "whole books",
    { book: "whole" },
    { "reading.book": /^ok every frame is the whole book: inferred/ },
  ],
  [
    "no sequences",
    { sequences: "null" },
    { "reading.sequence": /^unknown/, "reading.null": /^warn .*sequence null in [1-9]/ },
  ],
];

describe("the simulated exchange with", () => {
  test.each(SIMULATED)("%s", async (_, readings, expected) => {
    const { code, checks, requests, took_ms } = await examine(readings);
    for (const [id, pattern] of Object.entries(expected))
      expect([id, checks[id]]).toEqual([id, expect.stringMatching(pattern)]);
    expect(code).toBe(0);
    expect(requests).toBeLessThanOrEqual(30);
    expect(took_ms).toBeLessThanOrEqual(60_000);
  });

  test("a prefix that the address lacks: where the listings are is found and said", async () => {
    const readings = { rest_prefix: "/v1" };
    const wrong = await examine(readings, ({ base_url }) => ({
      baseUrl: base_url.replace(/\/v1$/, ""),
    }));
    expect(wrong.checks["rest.prefix"]).toMatch(/^fail .*at \/v1: add that/);
    expect(wrong.checks["rest.trades"]).toMatch(/^ok/);
    expect(wrong.code).toBe(1);
    const right = await examine(readings);
    expect(right.checks["rest.prefix"]).toMatch(/^ok/);
  });

  test("every open point, with the fields and types that were found", async () => {
    const { points } = await examine({ trades_backlog: 7 });
    expect(points["fields of Market"]).toMatch(
      /^inferred .*market_id integer.*tick_size decimal text/,
    );
    expect(points["fields of MarginTier"]).toMatch(/^inferred in lists of Market: margin_tiers: /);
    expect(points["fields of FundingRate"]).toMatch(/^inferred .*funding_rate decimal text/);
    expect(points["order book: whole or changes"]).toMatch(/^verified/);
    expect(points["what a first trades frame holds"]).toMatch(/first frame had 7 trades/);
    expect(points["words of market_type"]).toBe("inferred perp");
    expect(points["rate limits"]).toMatch(/^unknown/);
    expect(points["fields of Order"]).toMatch(/^unknown not looked at: accounts are private/);
    expect(Object.keys(points).length).toBe(35);
  });

  test("an account that is given: its records, and what is not known of it", async () => {
    let address = "";
    const report = await examine({}, ({ account }) => {
      address = account.address;
      return { account: [`${address}/${account.subaccount_id}`] };
    });
    const { points, checks, requests, took_ms, code } = report;
    expect(checks["channel.account"]).toMatch(/^ok .*all as described/);
    expect(checks["channel.accounts"]).toMatch(/^ok .*all as described/);
    expect(points["fields of Subaccount"]).toMatch(/^inferred subaccount_id integer, .*equity/);
    expect(points["fields of Balance"]).toMatch(/^inferred .*asset text/);
    expect(points["fields of Order"]).toMatch(/^inferred .*order_id integer text/);
    expect(points["status of a subaccount: transitions"]).toMatch(/^unknown statuses are .*active/);
    expect(points.authentication).toMatch(/nor for the account$/);
    expect(JSON.stringify(report)).not.toContain(address);
    expect([requests <= 30, took_ms <= 60_000, code]).toEqual([true, true, 0]);
  });

  test("little patience ends soon, and says of each channel that it has not spoken", async () => {
    const { checks, took_ms } = await examineForeign({ hello: "never" }, false, 1);
    expect(checks["channel.markets"]).toMatch(/^(?:unknown no frame received|warn refused)/);
    expect(took_ms).toBeLessThan(60_000);
  });
});

const FOREIGN: readonly (readonly [string, Partial<ForeignOptions>, Expected])[] = [
  [
    "changes, and numbers beyond any double",
    { book: "changes", priceOffset: 10n ** 21n },
    {
      "reading.book": /^ok snapshots are whole/,
      "channel.bbo": /^ok/,
      "channel.markets": /^warn refused, 404/,
    },
  ],
  ["whole books", { book: "whole" }, { "reading.book": /^ok every frame is the whole book/ }],
  ["another version", { protocolVersion: 2 }, { "stream.version": /^warn 2, not 1/ }],
  ["late hello", { hello: "late" }, { "stream.hello": /^(?:ok|warn) [1-9]\d\d\d ms/ }],
  ["no hello", { hello: "never" }, { "stream.hello": /^warn was not received/ }],
];

describe("somebody else's service with", () => {
  test.each(FOREIGN)("%s", async (_, options, expected) => {
    const { code, checks, requests } = await examineForeign(options);
    for (const [id, pattern] of Object.entries(expected))
      expect([id, checks[id]]).toEqual([id, expect.stringMatching(pattern)]);
    expect(checks["rest.address"]).toMatch(/^unknown not looked at/);
    expect(code).toBe(0);
    expect(requests).toBeLessThanOrEqual(30);
  });

  test("a cursor that is the id, and no listing but one", async () => {
    const { checks, code } = await examineForeign({ scale: { tickPlaces: 2, lotPlaces: 4 } }, true);
    expect(checks["rest.liquidations"]).toMatch(/^fail status 404/);
    expect(checks["rest.fills"]).toMatch(/^unknown/);
    expect(checks["rest.trades"]).toMatch(/^(?:ok|fail)/);
    expect(code).toBe(1);
  });
});

describe("what cannot be reached", () => {
  test("is a failure with its fact, and everything else is still told", async () => {
    const { code, checks, points } = await runDoctor(
      "ws://127.0.0.1:1/v1/ws",
      "http://127.0.0.1:1",
    );
    expect(checks["stream.upgrade"]).toMatch(/^fail .*ECONNREFUSED/);
    expect(checks["rest.trades"]).toMatch(/^fail .*ECONNREFUSED/);
    expect(checks["network.ws.name"]).toMatch(/^ok/);
    expect(
      Object.values(points).filter((seen) => seen.startsWith("unknown")).length,
    ).toBeGreaterThan(30);
    expect(code).toBe(1);
  });

  test("by its name is told so", async () => {
    const { checks } = await runDoctor("wss://no-such-host.invalid/v1/ws");
    expect(checks["network.ws.name"]).toMatch(/^fail no-such-host\.invalid/);
  });
});
