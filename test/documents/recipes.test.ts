// The recipes are run as they stand, where the programs that they need are installed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { parseArguments } from "../../src/args/arguments.ts";
import { METRICS } from "../../src/metrics/families.ts";
import { ROOT, readDocument } from "../support/documents.ts";
import { isInstalled } from "../support/installed.ts";
import { listen } from "../support/listen.ts";
import { type Finished, runMonitor } from "../support/monitor-process.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { simulateForFile } from "../support/simulate-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { words } from "../support/words.ts";

const RECIPES = `${ROOT}docs/recipes/`;
/** Packages that no part of this program needs: npm install --prefix /tmp/monitor-recipe-modules nats @duckdb/node-api */
const MODULES = join(tmpdir(), "monitor-recipe-modules", "node_modules");
const DUCKDB = "@duckdb/node-api";
const folder = folderOfFile();

const announced = simulateForFile("--history", "3000");

/** Skips a test where a program is not there. */
function needs({ skip }: TestContext, ...programs: string[]): void {
  const missing = programs.filter((program) => !isInstalled(program));
  skip(missing.length > 0, `not installed: ${missing.join(", ")}`);
}

function needsModule({ skip }: TestContext, name: string): void {
  skip(!existsSync(join(MODULES, name)), `${name} is not in ${MODULES}`);
}

function runRecipe(program: string, args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: RECIPES,
    input,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

function recipe(name: string): string {
  return readDocument(`docs/recipes/${name}`);
}

function createFolder(): string {
  return mkdtempSync(join(folder, "run-"));
}

describe("the dashboard for Grafana", () => {
  interface Panel {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }
  const dashboard = JSON.parse(recipe("grafana-dashboard.json")) as {
    readonly panels: readonly (Panel & { readonly id: number })[];
    readonly templating: {
      readonly list: readonly { readonly query: string | { readonly query: string } }[];
    };
  };
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  test("names metrics that are there, with labels that they have, and shows every one of them", () => {
    const variables = dashboard.templating.list.map(({ query }) => JSON.stringify(query));
    const named = [...expressions, ...variables].flatMap(
      (text) => text.match(/monitor_[a-z_]+/g) ?? [],
    );
    expect(new Set(named)).toEqual(new Set(METRICS.map(({ name }) => name)));
    for (const [, name, labels = ""] of expressions
      .join("\n")
      .matchAll(/(monitor_[a-z_]+)\{([^}]*)\}/g)) {
      const own = METRICS.find((family) => family.name === name)?.labels ?? [];
      const used = [...labels.matchAll(/([a-z]+)=~?"/g)].map(([, label]) => label);
      expect([
        name,
        used.filter((label) => label !== "instance" && !own.includes(label ?? "")),
      ]).toEqual([name, []]);
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  test("asks what Prometheus understands", (context) => {
    needs(context, "promtool");
    const rules = expressions.map((expr, i) => ({
      record: `panel:${i}`,
      expr: expr.replaceAll(/\$__(?:rate_interval|range)/g, "5m").replaceAll(/\$[a-z]+/g, ".*"),
    }));
    const path = join(createFolder(), "dashboard.yml");
    writeFileSync(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(runRecipe("promtool", ["check", "rules", path])).toMatchObject({ status: 0 });
  });
});

describe("the rules for Prometheus", () => {
  test("name metrics and states that are there", () => {
    const named = recipe("monitor-rules.yml").match(/monitor_[a-z_]+/g) ?? [];
    const known = new Set<string>(METRICS.map(({ name }) => name));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });

  test("pass promtool, as does the file that names them", (context) => {
    needs(context, "promtool");
    expect(runRecipe("promtool", ["check", "config", "prometheus.yml"])).toMatchObject({
      status: 0,
    });
    expect(runRecipe("promtool", ["check", "rules", "monitor-rules.yml"])).toMatchObject({
      status: 0,
    });
  });

  test("fire when they should, and not before", (context) => {
    needs(context, "promtool");
    const { status, output } = runRecipe("promtool", ["test", "rules", "monitor-rules-test.yml"]);
    expect([status, output]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

describe("the units for systemd", () => {
  /** Words of the command of a unit, with what its environment holds. */
  function textOf(unit: string, environment: Readonly<Record<string, string>>): string[] {
    const command = /^ExecStart=\/usr\/local\/bin\/monitor (.*)$/m.exec(recipe(unit))?.[1] ?? "";
    return command.replace(/\$\{([A-Z_]+)\}/g, (_, name) => environment[name] ?? "").split(" ");
  }

  test("pass systemd-analyze", (context) => {
    needs(context, "systemd-analyze");
    const units = createFolder();
    for (const name of [
      "monitor-export.service",
      "monitor-export.timer",
      "monitor-watch.service",
    ]) {
      // The program is elsewhere here.
      writeFileSync(
        join(units, name),
        recipe(name).replaceAll("/usr/local/bin/monitor", "/bin/true"),
      );
    }
    const { status, output } = runRecipe("systemd-analyze", [
      "verify",
      join(units, "monitor-export.timer"),
      join(units, "monitor-watch.service"),
    ]);
    expect([status, output]).toEqual([0, ""]);
  });

  test.each(["monitor-export.service", "monitor-watch.service"])(
    "%s runs a command that there is",
    (unit) => {
      const words = textOf(unit, { OWNER: `0x${"1".repeat(40)}`, SUBACCOUNT_ID: "0" });
      expect(parseArguments(words).command?.name).toBe(
        unit.slice("monitor-".length, -".service".length),
      );
    },
  );

  test("export, and at the next night add what is newer", async () => {
    const cwd = createFolder();
    const { owner, subaccount_id } = announced().account;
    const environment = { OWNER: owner, SUBACCOUNT_ID: String(subaccount_id) };
    const words = textOf("monitor-export.service", environment).map((word) =>
      word.startsWith("fills.") ? join(cwd, word) : word,
    );
    const env = { MONITOR_BASE_URL: announced().base_url };
    const rows: number[] = [];
    for (const night of [1, 2]) {
      const { code, stderr } = await runMonitor(words, { env });
      expect([night, code, stderr]).toEqual([night, 0, expect.stringContaining("complete: yes")]);
      rows.push(readFileSync(join(cwd, "fills.csv"), "utf8").split("\r\n").length - 2);
    }
    expect(rows[1]).toBeGreaterThanOrEqual(rows[0] ?? 0);
    expect(rows[0]).toBeGreaterThan(10);
  });
});

describe("an alert to a chat", () => {
  /** The environment of a recipe that posts to a chat which answers so. */
  async function startChat(answer: RequestListener) {
    const chat = createServer(answer);
    const CHAT_URL = `http://127.0.0.1:${await listen(chat)}/hook/secret`;
    onTestFinished(() => void chat.close());
    return { CHAT_URL };
  }

  /** Answers the exit code of the recipe. */
  async function post(event: object, env: Readonly<Record<string, string>>): Promise<unknown> {
    const child = spawn(`${RECIPES}chat.sh`, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.end(JSON.stringify(event));
    return (await once(child, "close"))[0];
  }

  test("is posted as text, whatever it holds", async (context) => {
    needs(context, "jq", "curl");
    const posted: { readonly type: string | undefined; readonly body: string }[] = [];
    const env = await startChat(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      posted.push({ type: request.headers["content-type"], body });
      response.end("ok");
    });
    const at = "2026-11-22T02:24:08.000Z";
    const events = [
      { alert: "perp/1 last > 65000", value: "65010.50", at, firings: 1 },
      { alert: 'perp/1 trades stale "\n\\$(reboot)', value: null, at, firings: 1 },
    ];
    for (const event of events) expect(await post(event, env)).toBe(0);
    expect(posted.map(({ type, body }) => [type, JSON.parse(body)])).toEqual([
      ["application/json", { text: `perp/1 last > 65000: 65010.50 (${at})` }],
      ["application/json", { text: `perp/1 trades stale "\n\\$(reboot): has happened (${at})` }],
    ]);
  });

  test("is posted by the exec of a watch when the price crosses", async (context) => {
    needs(context, "jq", "curl");
    const level = (price_ticks: string) => ({ price_ticks, size_base_lots: "1" });
    const bbo = (bid: string) => ({ bbo: { bid: level(bid), ask: level("9000") } });
    const exchange = new ScriptedService({ channels: { "bbo/perp/1": () => bbo("6000") } });
    const listening = await exchange.listen();
    onTestFinished(() => listening.close());
    const posts: string[] = [];
    const env = await startChat(async (request, response) => {
      for await (const chunk of request) posts.push(String(chunk));
      response.end("ok");
    });
    const config = join(createFolder(), "config.toml");
    const when = "perp/1 bid > 7000 ticks";
    writeFileSync(config, `[[alerts]]\nwhen = "${when}"\nexec = ["${RECIPES}chat.sh"]\n`);
    let result: Finished | undefined;
    runMonitor(["watch", "--config", config, "--ws-url", listening.wsUrl], { env }).then(
      (finished) => {
        result = finished;
      },
    );
    let turn = 0;
    await expect
      .poll(() => {
        exchange.publish("bbo/perp/1", bbo(++turn % 2 === 0 ? "7001" : "6000"));
        return result;
      })
      .toMatchObject({ code: 0, stderr: "" });
    expect(posts.map((text) => JSON.parse(text).text)).toEqual([
      expect.stringContaining(`${when}: 7001 (`),
    ]);
  });

  test("that the chat does not take ends with an error", async (context) => {
    needs(context, "jq", "curl");
    const env = await startChat((_, response) => response.writeHead(403).end());
    expect(await post({}, env)).not.toBe(0);
  });
});

describe("history in DuckDB", () => {
  type Row = Readonly<Record<string, unknown>>;

  /** Runs the statement of a recipe in a folder, every value as text. */
  async function query(name: string, cwd: string): Promise<readonly Row[]> {
    const require = createRequire(pathToFileURL(join(MODULES, "..", "package.json")));
    const { DuckDBInstance } = require(DUCKDB);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const sql = recipe(name).replace(
      /'([a-z]+\.(?:csv|ndjson))'/,
      (_, file) => `'${join(cwd, file)}'`,
    );
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[];
    connection.closeSync();
    return rows;
  }

  /** The text of a file that was exported. */
  async function exported(file: string, ...words: string[]): Promise<string> {
    const args = ["export", ...words, "-o", file, "--base-url", announced().base_url];
    expect(await runMonitor(args)).toMatchObject({ code: 0 });
    return readFileSync(file, "utf8");
  }

  /** Exact sum of decimal texts, with nine digits after the point. */
  function sum(texts: readonly string[]): string {
    const atoms = texts.map((text) => {
      const [whole = "", fraction = ""] = text.replace("-", "").split(".");
      const value = BigInt(whole + fraction.padEnd(9, "0"));
      return text.startsWith("-") ? -value : value;
    });
    const total = atoms.reduce((a, b) => a + b, 0n);
    const digits = `${total < 0n ? -total : total}`.padStart(10, "0");
    return `${total < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
  }

  test("sums fees and volume of fills by day and market, to the last digit", async (context) => {
    needsModule(context, DUCKDB);
    const cwd = createFolder();
    const { owner, subaccount_id } = announced().account;
    const file = join(cwd, "fills.csv");
    const text = await exported(file, "fills", owner, String(subaccount_id));
    const [header = "", ...lines] = text.trimEnd().split("\r\n");
    const names = header.split(",");
    const fills = lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])),
    );
    const rows = await query("fills.sql", cwd);
    for (const { day, market, ...sums } of rows) {
      const own = fills.filter(
        (fill) =>
          fill.time?.startsWith(String(day)) && `${fill.market_type}/${fill.market_id}` === market,
      );
      expect(sums).toEqual({
        fills: String(own.length),
        volume_quote: sum(own.map((fill) => fill.quote_notional ?? "")),
        fees_quote: sum(own.map((fill) => fill.fee_quote ?? "")),
      });
    }
    expect(rows.reduce((all, { fills: count }) => all + Number(count), 0)).toBe(fills.length);
  });

  test("makes candles of trades, with the prices and sums of the file", async (context) => {
    needsModule(context, DUCKDB);
    const cwd = createFolder();
    const file = join(cwd, "trades.ndjson");
    const trades = (await exported(file, "trades", "perp/1", "--max", "500"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const minutes = new Map<number, typeof trades>();
    for (const trade of trades) {
      const minute = Math.floor(trade.timestamp_ms / 60_000);
      minutes.set(minute, [...(minutes.get(minute) ?? []), trade]);
    }
    const rows = await query("trades.sql", cwd);
    const expected = [...minutes]
      .sort(([a], [b]) => a - b)
      .map(([minute, own]) => {
        const oldest = [...own].sort((a, b) => Number(BigInt(a.trade_id) - BigInt(b.trade_id)));
        const byPrice = own.map(({ price }) => sum([price])).sort((a, b) => Number(a) - Number(b));
        return {
          minute: new Date(minute * 60_000).toISOString().replace("T", " ").replace(".000Z", ""),
          open: sum([oldest[0].price]),
          close: sum([oldest.at(-1).price]),
          low: byPrice[0],
          high: byPrice.at(-1),
          volume_base: sum(own.map(({ quantity }) => quantity)),
          volume_quote: sum(own.map(({ quote_notional }) => quote_notional)),
          trades: String(own.length),
        };
      });
    expect(rows).toEqual(expected);
  });
});

describe("frames in NATS", () => {
  const clients = new Set<ChildProcess>();

  /** A server with its own store, on a port of its own. */
  function startNats(port: number, store: string): ChildProcess {
    const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", store];
    const server = spawn("nats-server", args, { stdio: "ignore" });
    clients.add(server);
    return server;
  }

  afterAll(() => {
    for (const client of clients) client.kill("SIGKILL");
  });

  async function freePort(): Promise<number> {
    const server = createServer();
    const port = await listen(server);
    server.close();
    await once(server, "close");
    return port;
  }

  /** The recipes where they find the packages. */
  function createPlace(): string {
    const place = createFolder();
    for (const name of ["nats-publish.mjs", "nats-read.mjs"])
      copyFileSync(RECIPES + name, join(place, name));
    symlinkSync(MODULES, join(place, "node_modules"));
    mkdirSync(join(place, "store"));
    return place;
  }

  test("are read back by a second reader, none lost, none twice, in order, although the server is killed meanwhile", async (context) => {
    needs(context, "nats-server");
    needsModule(context, "nats");
    const place = createPlace();
    const port = await freePort();
    const env = { PATH: process.env.PATH, NATS_URL: `nats://127.0.0.1:${port}` };
    let nats = startNats(port, join(place, "store"));
    const tail = spawn(
      process.execPath,
      words(
        `${ROOT}bin/monitor.js tail trades/perp/1 bbo/perp/1 orderbook/perp/1 --events --for 2s`,
      ),
      {
        env: { ...env, HOME: place, MONITOR_WS_URL: announced().ws_url },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const publisher = spawn(process.execPath, [join(place, "nats-publish.mjs")], {
      env,
      stdio: ["pipe", "inherit", "pipe"],
    });
    clients.add(tail).add(publisher);
    let sent = "";
    let isKilled = false;
    tail.stdout.on("data", (data) => {
      sent += data;
      publisher.stdin.write(data);
      if (isKilled || sent.split("\n").length < 30) return;
      isKilled = true;
      nats.kill("SIGKILL");
      nats.once("exit", () => {
        nats = startNats(port, join(place, "store"));
      });
    });
    tail.stdout.on("end", () => publisher.stdin.end());
    const [code] = await once(publisher, "close");
    expect([code, isKilled]).toEqual([0, true]);
    const reader = spawn(process.execPath, [join(place, "nats-read.mjs")], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    clients.add(reader);
    let read = "";
    for await (const data of reader.stdout) {
      read += data;
      if (read.length >= sent.length) break;
    }
    reader.kill("SIGTERM");
    expect(read).toBe(sent);
    expect(sent.split("\n").length).toBeGreaterThan(50);
    nats.kill("SIGTERM");
  });
});
