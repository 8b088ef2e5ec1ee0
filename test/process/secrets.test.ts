// A canary in the headers: whatever a command prints, logs or records, in success, failure and crash, it is not in it.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { listen } from "../support/listen.ts";
import { startMarketService } from "../support/market-service.ts";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const CANARY = "canary-7f3a9c51e2";
const HEADER = `Authorization: Bearer ${CANARY}`;
const OWNER = `0x${"ab".repeat(20)}`;
const ADDRESS = "Demo1Address1Demo1Address1Demo1Addr";

const folder = folderOfFile();
let service: Awaited<ReturnType<typeof startMarketService>>;
beforeAll(async () => {
  service = await startMarketService({ quietAfterMs: 0, scale: { tickPlaces: 2, lotPlaces: 4 } });
  await writeFile(
    join(folder, "config.toml"),
    `headers = { Authorization = "Bearer ${CANARY}" }\n`,
    { mode: 0o600 },
  );
});
afterAll(() => service.close());

/** Arguments of each command that can be given headers, as short as it gets. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  "": ["perp/1", "--json", "--once", "--record", "market.ndjson"],
  account: ["account", ADDRESS, "0", "--json", "--once", "--record", "account.ndjson"],
  markets: ["markets", "--json", "--timeout", "1s"],
  watch: ["watch", "perp/1", "--alert", "perp/1 last > 1", "--events", "--for", "1s"],
  statement: ["statement", OWNER, "0", "--json"],
  tail: ["tail", "bbo/perp/1", "--events", "--for", "1s", "--record", "tail.ndjson"],
  record: ["record", "bbo/perp/1", "-o", "record.ndjson", "--for", "1s"],
  doctor: ["doctor", "--json", "--timeout", "500ms"],
  trades: ["trades", "perp/1", "--json", "--once"],
  liquidations: ["liquidations", "1", "--json", "--once"],
  fills: ["fills", OWNER, "0", "--json", "--once"],
  // Standard input ends at once.
  mcp: ["mcp"],
  export: ["export", "trades", "perp/1", "-o", "export.ndjson", "--manifest", "manifest.ndjson"],
};
/** Commands that do not speak to the service, or are shown without it elsewhere. */
const SILENT = new Set(["demo", "simulate", "config", "completion", "replay"]);

const namesOf = (words: readonly string[]) =>
  words.map((word) => (/\.ndjson/.test(word) ? join(folder, word) : word));

function expectNoCanary(output: string): void {
  expect(output).not.toContain(CANARY);
}

/** What each file says that the commands have left. */
async function readLeft(): Promise<[name: string, text: string][]> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".toml"));
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return [name, (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1")];
    }),
  );
}

/** Options that lead a command to a server, with the secret. */
async function leadTo(server: Server): Promise<readonly string[]> {
  const at = `127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close());
  return ["--ws-url", `ws://${at}`, "--base-url", `http://${at}`, "--header", HEADER];
}

describe("a secret in a header", () => {
  test("is tried with every command that takes headers", () => {
    const taking = COMMANDS.filter(
      ({ options, name }) => options.includes("header") && !SILENT.has(name),
    );
    const untried = taking.map(({ name }) => name).filter((name) => RUNS[name] === undefined);
    // A new command belongs into the table above.
    expect(untried).toEqual([]);
  });

  test.each(Object.entries(RUNS))("never gets out of: monitor %s", async (name, words) => {
    const log = join(folder, `log-${name}.log`);
    const where = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
    const logging = ["--log", log, "--debug"];
    const given = await runMonitor([...namesOf(words), ...where, ...logging], {
      env: { MONITOR_HEADERS: HEADER },
    });
    expectNoCanary(given.stdout + given.stderr);
    expect(service.authorization).toBe(`Bearer ${CANARY}`);
  });

  test("is in no file that they have written", async () => {
    const left = await readLeft();
    const written = Object.values(RUNS)
      .flat()
      .filter((word) => word.includes(".ndjson"));
    const logs = Object.keys(RUNS).map((name) => `log-${name}.log`);
    expect(left.map(([name]) => name)).toEqual(expect.arrayContaining([...written, ...logs]));
    for (const [, text] of left) expectNoCanary(text);
  });

  test.each([
    ["a wrong option", ["perp/1", "--header", HEADER, "--nonsense"]],
    ["a wrong address", ["perp/1", "--header", HEADER, "--ws-url", "ftp://x"]],
    ["a header that is none", ["perp/1", "--header", `${CANARY}`, "--ws-url", "ws://127.0.0.1:1"]],
    [
      "a header with a line break",
      ["perp/1", "--header", `${HEADER}\nX: y`, "--ws-url", "ws://127.0.0.1:1"],
    ],
    [
      "nobody there",
      ["perp/1", "--header", HEADER, "--ws-url", "ws://127.0.0.1:1", "--for", "500ms", "--debug"],
    ],
    ["a header without its option", ["doctor", "perp/1", HEADER]],
    ["a header in place of a market", [HEADER]],
  ])("is not repeated in an error: %s", async (_, args) => {
    const { stdout, stderr } = await runMonitor(args);
    expectNoCanary(stdout + stderr);
  });

  test("is not repeated when the service refuses it", async () => {
    // It answers every request with the headers it got, as a careless service might.
    const mirror = createServer(({ headers }, answer) => {
      answer.writeHead(400, { "content-type": "text/plain" });
      answer.end(`no: ${Object.values(headers).join(" ")}`);
    });
    const where = await leadTo(mirror);
    for (const args of [["perp/1", "--once"], ["doctor"]]) {
      const { stdout, stderr } = await runMonitor([...args, ...where, "--debug"]);
      expectNoCanary(stdout + stderr);
    }
  });

  test("in the config file is neither printed nor logged, and a mode that others can read is warned about", async () => {
    const path = join(folder, "config.toml");
    const { stdout, stderr } = await runMonitor(["config", "check", "--config", path]);
    expectNoCanary(stdout + stderr);
    const loose = join(folder, "loose.toml");
    await writeFile(loose, `headers = { Authorization = "Bearer x" }\n`, { mode: 0o644 });
    const tail = ["tail", "bbo/perp/1", "--ws-url", service.wsUrl, "--config"];
    const until = (frames: string) => frames.includes("\n");
    const run = await runMonitor([...tail, loose], { until });
    expect(run.stderr).toMatch(/loose\.toml holds headers and can be read by others.*chmod 600/);
    const strict = await runMonitor([...tail, path], { until });
    expect(strict.stderr).toBe("");
    await rm(loose);
  });

  test("does not follow a redirect", async () => {
    const got: (string | undefined)[] = [];
    const other = createServer(({ headers }, answer) => {
      got.push(headers.authorization);
      answer.end("[]");
    });
    const port = await listen(other);
    onTestFinished(() => void other.close());
    const first = createServer((_, answer) => {
      answer.writeHead(302, { location: `http://127.0.0.1:${port}/` });
      answer.end();
    });
    const { code } = await runMonitor(["doctor", ...(await leadTo(first))]);
    expect(code).toBe(1);
    expect(got).toEqual([]);
  });
});
