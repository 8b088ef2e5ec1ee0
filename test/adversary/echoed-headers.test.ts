// A service that repeats what it was sent in our headers, wherever it has room for text. Nothing that
// the program prints, draws, logs, records or exports has it; what the service lists besides is exactly what came.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { listen } from "../support/listen.ts";
import {
  runInsideSettled as runInside,
  runMonitorSettled as runMonitor,
} from "../support/monitor-inside.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const TOKEN = "canary-7f3a9c51e2-Zx";
const KEY = "4f9d0c7e11aa22bb";
const NUMBER = "49293847561029384756";
const HEADERS = [
  `Authorization: Bearer ${TOKEN}`,
  `X-Api-Key: ${KEY}`,
  `Cookie: a=b; id=${NUMBER}`,
  // What is data, too, must stay what it is there.
  "X-Retries: 5000",
  "X-Kind: perp",
];
const SECRETS = [TOKEN, KEY, NUMBER];

const ADDRESS = "Demo1Address1Demo1Address1Demo1Addr";
const OWNER = `0x${"ab".repeat(20)}`;
const NS = "1784300000123456789";
const BBO = `{"type":"update","channel":"bbo/perp/1","timestamp_ns":"${NS}","bbo":{"bid":{"price_ticks":"5000","size_base_lots":"12345"},"ask":null}}`;

/** The values of our headers, as it got them. */
function sentTo({ headers }: IncomingMessage): string {
  const { authorization = "", cookie = "" } = headers;
  return [authorization, String(headers["x-api-key"]), cookie].join(" ");
}

/** All that a stream can say, with it in each text. */
function say(peer: WebSocket, channel: string, echo: string, kind: string): void {
  const text = JSON.stringify(echo);
  const stamp = `"timestamp_ns":"${NS}"`;
  const frames: Readonly<Record<string, string>> = {
    bbo: BBO,
    orderbook: `{"type":"error","channel":"${channel}","code":503,"message":${text},${stamp}}`,
    trades: `{"type":"error","channel":"${channel}","code":404,"message":${text},${stamp}}`,
    "market-stats": `{"type":"update","channel":"${channel}",${stamp},"previous_sequence":null,"sequence":"1","market_stats":[{"market_id":1,"market_type":"perp","symbol":${text},"last":"5000",${text}:1}]}`,
    markets: `{"type":"update","channel":"markets",${stamp},"previous_sequence":null,"sequence":"1","markets":[{"market_id":1,"market_type":"perp","symbol":${text}}]}`,
    accounts: `{"type":"update","channel":"${channel}",${stamp},"previous_sequence":null,"sequence":"1","subaccounts":[{"subaccount_id":0,"status":"active","created_at_ns":"1"}],"delegations":[{"subaccount_id":0,"delegate":${text},"permissions":[${text}],"name":${text}}]}`,
    account: `{"type":"update","channel":"${channel}",${stamp},"previous_sequence":null,"sequence":"1","account":{"status":${text},"equity":"5000"},"orders":[{"order_id":${text},"market_id":1,"status":${text}}]}`,
  };
  peer.send(frames[channel.split("/")[0] ?? ""] ?? `no ${echo}`);
  if (kind === "short") return;
  // Drift, a frame that is none, a channel that nobody knows, and what is no JSON.
  peer.send(BBO.replace(/\}$/, `,"echo":${text},${text}:null}`));
  peer.send(`{"type":"update","channel":"bbo/perp/1",${stamp},"bbo":${text}}`);
  peer.send(`{"type":"update","channel":${text}}`);
  peer.send(`{"type":${text}}`);
  peer.send(`{"type":"error","code":500,"message":${text},${stamp}}`);
  peer.send(`no: ${echo}`);
}

function record(place: number, echo: string) {
  return {
    trade_id: `${place}`,
    tx_hash: echo,
    market_type: "perp",
    market_id: 1,
    price: "5000",
    quantity: "1",
    quote_notional: "5000",
    taker_is_bid: true,
    maker_address: OWNER,
    maker_subaccount_id: 0,
    taker_address: echo,
    taker_subaccount_id: 0,
    maker_fee_quote: "0",
    taker_fee_quote: "0",
    maker_client_order_id: "5000",
    taker_client_order_id: "0",
    timestamp_ms: 1_784_300_000_000,
  };
}

/** How a listing is answered, by the number of its market: 2 and above say no in different ways. */
const ANSWERS: Readonly<Record<string, (answer: ServerResponse, echo: string) => void>> = {
  "2": (answer, echo) => answer.writeHead(400, { "content-type": "text/plain" }).end(`no: ${echo}`),
  "3": (answer, echo) => answer.writeHead(302, { location: `/login?back=${echo}` }).end(),
  "4": (answer, echo) => answer.writeHead(200, { "content-type": `text/${echo}` }).end(`x${echo}`),
  "5": (answer, echo) => answer.writeHead(200, { "content-encoding": echo }).end("[]"),
  "6": (answer, echo) => answer.writeHead(403, echo, {}).end(JSON.stringify({ error: echo })),
  "7": (answer, echo) => answer.end(JSON.stringify([{ ...record(1, "x"), price: echo }])),
  "8": (answer, echo) => answer.end(`[{"${echo}":`),
};

async function startEcho() {
  const http = createServer((request, answer) => {
    const path = (request.url ?? "").split(/[/?]/);
    const echo = sentTo(request);
    const market = path[path.indexOf("markets") + 1] ?? "";
    const say = ANSWERS[market];
    answer.setHeader("content-type", "application/json");
    if (say !== undefined) say(answer, echo);
    else if (request.url?.includes("before=")) answer.end("[]");
    else answer.end(JSON.stringify([record(2, echo), record(1, echo)]));
  });
  const sockets = new WebSocketServer({ noServer: true });
  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => {});
    const [, kind] = (request.url ?? "").split("/");
    const echo = sentTo(request);
    if (kind === "refused") {
      socket.end(
        `HTTP/1.1 403 ${echo}\r\nx-echo: ${echo}\r\ncontent-length: ${echo.length}\r\n\r\n${echo}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (peer) => {
      peer.on("error", () => {});
      peer.send(
        `{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000,"you":${JSON.stringify(echo)}}`,
      );
      if (kind === "leaving") peer.close(4001, echo.slice(0, 120));
      peer.on("message", (data) => {
        const { type, channel } = JSON.parse(String(data)) as Record<string, string>;
        if (type === "subscribe" && channel !== undefined) say(peer, channel, echo, kind ?? "");
      });
    });
  });
  const port = await listen(http);
  return {
    ws: (kind = "v1") => ["--ws-url", `ws://127.0.0.1:${port}/${kind}/ws`],
    rest: ["--base-url", `http://127.0.0.1:${port}`],
    close: () => {
      sockets.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

const folder = folderOfFile();
let service: Awaited<ReturnType<typeof startEcho>>;
beforeAll(async () => {
  service = await startEcho();
  const toml = HEADERS.map((line) => line.split(": ")).map(
    ([name, value]) => `"${name}" = "${value}"`,
  );
  await writeFile(join(folder, "config.toml"), `headers = { ${toml.join(", ")} }\n`, {
    mode: 0o600,
  });
});
afterAll(() => service.close());

function expectNothing(output: string, where: string): void {
  for (const secret of SECRETS) {
    const at = output.indexOf(secret);
    expect(at < 0 ? "" : `${where}: ${output.slice(Math.max(0, at - 60), at + 60)}`).toBe("");
  }
}

/** Each command that speaks to the service, with each of the ways in which it tells something. */
const RUNS: Readonly<Record<string, string>> = {
  "a market as text": "perp/1 --once --timeout 700ms --record FOLDER/NAME-market.ndjson",
  "a market as JSON": "perp/1 --json --for 700ms",
  "a market a line a second": "perp/1 --plain --for 1500ms",
  "an account as text": `account ${ADDRESS} 0 --once --timeout 700ms`,
  "an account as JSON": `account ${ADDRESS} 0 --json --for 700ms --record FOLDER/NAME-account.ndjson.gz`,
  tail: `tail bbo/perp/1 orderbook/perp/1 trades/perp/1 markets account/${ADDRESS}/0 --for 700ms`,
  "tail --events": "tail bbo/perp/1 trades/perp/1 funding-rates/1 --events --for 700ms",
  record: `record bbo/perp/1 markets accounts/${ADDRESS} -o FOLDER/NAME-record.ndjson --for 700ms`,
  doctor: "doctor --timeout 1s",
  "doctor as JSON": `doctor --timeout 1s --json --account ${ADDRESS}/0`,
  "a listing": "trades perp/1 --once",
  "a listing as JSON": "liquidations 1 --once --json",
  fills: `fills ${OWNER} 0 --once --json`,
  "an export":
    "export trades perp/1 -o FOLDER/NAME-export.csv --manifest FOLDER/NAME-manifest.json",
  "an export as NDJSON": "export trades perp/1 --format ndjson",
  "a symbol": "trades NONE --once",
  ...Object.fromEntries(
    Object.keys(ANSWERS).map((market) => [
      `a listing that fails, ${market}`,
      `trades perp/${market} --once`,
    ]),
  ),
  "an export that fails": "export trades perp/2",
};

describe("a service that repeats our headers", () => {
  test.each(Object.entries(RUNS))(
    "is not repeated by %s, its log and its files",
    async (place, words) => {
      const name = place.replace(/\W+/g, "-");
      const log = join(folder, `${name}.log`);
      const args = words.replaceAll("FOLDER", folder).replaceAll("NAME", name).split(" ");
      const where = [...service.ws(), ...service.rest, "--log", log, "--debug"];
      const headers = HEADERS.flatMap((header) => ["--header", header]);
      const { stdout, stderr } = await runInside([...args, ...where, ...headers]);
      expectNothing(stdout + stderr, place);
      expect(stdout + stderr).not.toBe("");
      for (const file of (await readdir(folder)).filter((each) => each.startsWith(name))) {
        const bytes = await readFile(join(folder, file));
        expectNothing(String(file.endsWith(".gz") ? gunzipSync(bytes) : bytes), file);
      }
    },
  );

  test.each(["refused", "leaving"])("is not repeated of a connection that is %s", async (kind) => {
    const all = [...service.ws(kind), "--config", join(folder, "config.toml"), "--debug"];
    for (const words of ["tail bbo/perp/1 --events --for 500ms", "doctor --timeout 500ms"]) {
      const { stdout, stderr } = await runInside([...words.split(" "), ...all]);
      expectNothing(stdout + stderr, words);
      expect(stdout + stderr).not.toBe("");
    }
  });
});

describe("what is no echo", () => {
  test("is exactly what came: frames with the numbers and words of short headers", async () => {
    const { stdout } = await runMonitor(["tail", "bbo/perp/1", ...service.ws(), "--for", "700ms"], {
      env: { MONITOR_HEADERS: HEADERS.join("\n") },
    });
    const [first, second] = stdout.split("\n");
    expect(first).toBe(BBO);
    expect(second).toMatch(/^\{"type":"update","channel":"bbo\/perp\/1".*"price_ticks":"5000"/);
    expect(second).toContain("[hidden]");
  });

  test("is exported exactly, and an account that a header names, too, is watched", async () => {
    const env = {
      MONITOR_HEADERS: [...HEADERS, `X-Wallet: ${ADDRESS}`, `X-Owner: ${OWNER}`].join("\n"),
    };
    const exported = await runMonitor(["export", "trades", "perp/1", ...service.rest], {
      env,
    });
    const cells = exported.stdout.split("\r\n")[1]?.split(",") ?? [];
    expect([cells[4], cells[8], cells[14]]).toEqual(["5000", OWNER, "5000"]);
    expect(cells[1]).toContain("[hidden]");
    const watched = await runMonitor(
      ["account", ADDRESS, "0", "--json", "--for", "700ms", ...service.ws("short")],
      { env },
    );
    const { account, panes } = JSON.parse(watched.stdout);
    expect(account.address).toBe(ADDRESS);
    expect(account.account.equity).toBe("5000");
    expect(panes.account.rejected).toBe(0);
  });
});

test("a key in the query of an address is in no recording and no log", async () => {
  const [recorded, log] = [join(folder, "query.ndjson"), join(folder, "query.log")];
  const [option = "", url] = service.ws("short");
  const { stdout, stderr } = await runInside([
    ...["tail", "bbo/perp/1", "--for", "500ms", "--record", recorded, "--log", log],
    ...[option, `${url}?key=${KEY}`],
  ]);
  const files = [await readFile(recorded), await readFile(log)];
  expectNothing([stdout, stderr, ...files].join(""), "tail");
  expect(String(files[0])).toContain("/ws?[hidden]");
});

test("an error of ours has it no more than those of the service", async () => {
  const args = ["--header", `X-Api-Key: ${KEY}`, "--config", join(folder, KEY), "--debug"];
  const { code, stdout, stderr } = await runMonitor(["perp/1", ...args]);
  expect(code).toBe(2);
  expectNothing(stdout + stderr, "an error of ours");
});
