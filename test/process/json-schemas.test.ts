// docs/schemas has what the JSON of each form looks like: what the program prints conforms, and would not if a field had another
// name.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { firingJson } from "../../src/alerts/alert-effects.ts";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { JSON_FORMS, type JsonFormName } from "../../src/print/json-schemas.ts";
import { openScales } from "../../src/select/scale.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { alertRule } from "../support/alert-rule.ts";
import { ForeignListings, OWNER } from "../support/foreign-listings.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { runInside, runMonitor } from "../support/monitor-inside.ts";
import { runSettled } from "../support/settled-run.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";

type Values = readonly unknown[];

const FORMS = Object.keys(JSON_FORMS) as JsonFormName[];
const folder = folderOfFile();
const fileOf = (name: string) => join(folder, name);
const read = (name: string) => lines(readFileSync(fileOf(name), "utf8"));

const ADDRESS_OF_NOBODY = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";

function lines(text: string): Values {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function simulate(clock: VirtualClock, scenario: string, history: number) {
  const options = { seed: 7, port: 0, clock, scenario: loadScenario(scenario, ""), history };
  const { announcement, close } = await startSimulator(options);
  onTestFinished(close);
  return announcement;
}

/** What the program writes in each form, against a simulated exchange. */
async function writeAll(): Promise<Readonly<Record<JsonFormName, Values>>> {
  const streamed = await runSettled(writeStreamed);
  return { ...streamed, ...(await writeListed()) };
}

/** Against listings with odd rows. */
async function writeListed() {
  const listings = await ForeignListings.start();
  const list = async (...args: string[]) =>
    (await runInside([...args, "--base-url", listings.baseUrl])).stdout;
  const write = (name: string, ...args: string[]) => list("export", ...args, "-o", fileOf(name));
  const fills = ["fills", OWNER, "1"];
  await write("t.ndjson", "trades", "perp/1", "--max", "50", "--manifest", fileOf("m"));
  await write("f.ndjson", ...fills, "--max", "50");
  await write("l.ndjson", "liquidations", "1");
  const [trades, ownFills, liquidations] = [
    lines(await list("trades", "perp/1", "--json")),
    lines(await list(...fills, "--json")),
    lines(await list("liquidations", "1", "--json")),
  ];
  const statement = await list("statement", OWNER, "1", "--json");
  listings.close();
  return {
    trades,
    fills: ownFills,
    liquidations,
    statement: lines(statement),
    "export-trades": read("t.ndjson"),
    "export-fills": read("f.ndjson"),
    "export-liquidations": read("l.ndjson"),
    manifest: [JSON.parse(readFileSync(fileOf("m"), "utf8"))],
  };
}

async function writeStreamed(clock: VirtualClock) {
  const service = await simulate(clock, "steady", 2000);
  const troubled = await simulate(clock, "gaps", 100);
  const { address, subaccount_id } = service.account;
  const urls = ["--ws-url", service.ws_url, "--base-url", service.base_url];
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await runMonitor(args, { clock });
    if (stdout === "") throw new Error(stderr);
    return lines(stdout);
  };
  const print = (...args: string[]) => run(...args, ...urls);
  const account = `${address}/${subaccount_id}`;
  const market = [
    "bbo/perp/1",
    "orderbook/perp/1",
    "trades/perp/1",
    "candles/perp/1/1m",
    "markets",
    "mark-candles/1/1m",
    "market-stats/perp/1",
    "funding-rates/1",
  ];
  const ofTroubled = ["--ws-url", troubled.ws_url];
  const alerts = [
    "perp/1 last > 1 ticks",
    "perp/1 trade > 1 lots every 0s",
    `account/${account} position perp/999 > 1 for 2s`,
    "perp/999 last > 1",
  ].flatMap((rule) => ["--alert", rule]);
  const record = ["--record", fileOf("r"), "--redact", "--log", fileOf("log")];
  const [live, withAccount, recorded, one, overview, several, tail, gaps, doctor, markets, watch] =
    await Promise.all([
      print("perp/1", "--once", "--json"),
      print("perp/1", "--once", "--json", "--account", account, "--stats"),
      print("perp/1", "--json", "--for", "4s", "--account", account, ...record),
      print("account", address, String(subaccount_id), "--once", "--json"),
      print("account", address, "--once", "--json"),
      print("account", address, ADDRESS_OF_NOBODY, "--once", "--json", "--stats"),
      print("tail", ...market, `account/${account}`, `accounts/${address}`, "--for", "2s"),
      run("tail", ...market, "bbo/perp/999", "--events", "--for", "15s", ...ofTroubled),
      print("doctor", "--json", "--timeout", "3s"),
      print("markets", "--json"),
      run("watch", "perp/1", "--events", "--for", "4s", ...alerts, ...ofTroubled),
    ]);
  return {
    live: [...live, ...withAccount, ...recorded],
    account: [...one, ...overview, ...several],
    markets,
    tail,
    events: gaps.filter((line) => "event" in (line as object)),
    doctor,
    recording: read("r"),
    alert: ["perp/1 last > 1", `account/${address}/1 equity < 5`].map((rule) =>
      JSON.parse(firing(rule)),
    ),
    log: read("log"),
    simulate: [service],
    watch,
  };
}

function firing(text: string): string {
  const { store } = new MarketFeed();
  const scales = openScales(store, {});
  const manager = new AlertManager({ store, scales, now: () => 0, wall: () => 5 });
  const alert = manager.add(alertRule(text), "config");
  if (alert === undefined) throw new Error(`no alert: ${text}`);
  return firingJson({ alert, atWallMs: 0, value: "1", crossedDuringGap: false, state: "live" });
}

/** Records of the service whose fields the interface does not list, and objects whose keys are names. */
const OPEN =
  /^\/account\/(?:account|balances|positions|orders|fills|funding_payments)\b|^\/(?:markets|stats|rates|market_stats|funding_rates|account|balances|positions|orders|fills|funding_payments)\b|^\/(?:settings\/)?scales$|^\/trades\/\d+\/(?!timestamp_ns)/;

/** A frame of an account holds at least one of these. */
const ACCOUNT_FIELDS = /^\/(?:account|balances|positions|leverages|orders|fills|funding_payments)$/;

/** The value with one field at a time under another name. Of lists, the first entries. */
function renamed(value: unknown, path = ""): [path: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [];
  const within = (key: string | number, inner: unknown, put: (changed: unknown) => unknown) =>
    renamed(inner, `${path}/${key}`).map(([at, changed]): [string, unknown] => [at, put(changed)]);
  if (Array.isArray(value)) {
    return value
      .slice(0, 2)
      .flatMap((entry, i) => within(i, entry, (changed) => value.with(i, changed)));
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    const others = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    const own: [string, unknown] = [`${path}/${key}`, { ...others, [`${key}_x`]: inner }];
    const inside = within(key, inner, (changed) => ({ ...value, [key]: changed }));
    return OPEN.test(path) ? inside : [own, ...inside];
  });
}

describe("the JSON of each form", () => {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const validatorOf = (name: JsonFormName) => {
    const path = new URL(`../../docs/schemas/${name}.json`, import.meta.url);
    return ajv.compile(JSON.parse(readFileSync(path, "utf8")));
  };
  let all: ReturnType<typeof writeAll> | undefined;
  const writtenAs = async (name: JsonFormName) => {
    all ??= writeAll();
    return (await all)[name];
  };

  test.each(FORMS)("%s conforms to its schema", async (name) => {
    const written = await writtenAs(name);
    const validate = validatorOf(name);
    expect(written.length).toBeGreaterThan(0);
    for (const value of written) {
      const isValid = validate(value);
      expect({ isValid, errors: validate.errors, value: isValid ? "" : value }).toEqual({
        isValid: true,
        errors: null,
        value: "",
      });
    }
  });

  test.each(FORMS)("%s does not conform with a field of another name", async (name) => {
    const validate = validatorOf(name);
    const kinds = new Map((await writtenAs(name)).map((value) => [fieldsOf(value), value]));
    const accepted = [...kinds.values()].flatMap((value) =>
      [...renamed(value)]
        .filter(([path, changed]) => !isLeftOut(name, path) && validate(changed))
        .map(([path]) => path),
    );
    expect([...new Set(accepted)]).toEqual([]);
  });
});

/** What the service may leave out of its own frames and records, and decimals beside ticks and lots. */
function isLeftOut(name: JsonFormName, path: string): boolean {
  const isOptional =
    /\/delegations\/\d+\/(?:expires_at_ns|name)$|^\/(?:bbo|orderbook|trades)\/.*\/(?:price|size)$/.test(
      path,
    );
  return isOptional || (name === "tail" && ACCOUNT_FIELDS.test(path));
}

/** Values of one kind have the same fields. */
function fieldsOf(value: unknown): string {
  const { type, event, channel } = value as Record<string, Record<string, unknown>>;
  const kind = [type, typeof event === "object" ? event.type : "", String(channel).split("/")[0]];
  return [...kind, ...Object.keys(value as object)].join(" ");
}
