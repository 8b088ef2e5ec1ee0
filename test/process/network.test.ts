// Networks as they are: proxies, names with several addresses, services that never answer.
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../support/listen.ts";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

/** A name that only the proxy knows. */
const HOST = "exchange.invalid";
const folder = folderOfFile();
let service: Awaited<ReturnType<typeof startMarketService>>;
let named: string[];
const servers: Server[] = [];

beforeAll(async () => {
  service = await startMarketService({ quietAfterMs: 0, scale: { tickPlaces: 2, lotPlaces: 4 } });
  const { port } = new URL(service.wsUrl);
  const rest = new URL(service.baseUrl).pathname;
  named = ["--ws-url", `ws://${HOST}:${port}/v1/ws`, "--base-url", `http://${HOST}:${port}${rest}`];
  named.push("--insecure");
});
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await service.close();
});

/** Keeps the head of each request, to the proxy and within its tunnels. */
async function startProxy(answer: (socket: Duplex, request: IncomingMessage) => void) {
  const heads: string[] = [];
  const server = createServer().on("connect", (request, socket: Duplex) => {
    heads.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
    socket.on("data", (bytes) => heads.push(String(bytes))).on("error", () => {});
    answer(socket, request);
  });
  servers.push(server);
  return { heads, address: `127.0.0.1:${await listen(server)}` };
}

const tunnel = (socket: Duplex) => {
  const way = connect(Number(new URL(service.wsUrl).port), "127.0.0.1");
  way.on("error", () => {}).on("connect", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
  way.pipe(socket).pipe(way);
};
const refuse = (socket: Duplex) => void socket.end("HTTP/1.1 407 Who\r\n\r\n");

describe.concurrent("a proxy", () => {
  test.each([
    ["perp/1 --once", "GET /v1/ws"],
    ["trades perp/1 --once", "GET /rest/markets/1/trades"],
  ])("is the way of monitor %s, which says who asks", async (words, head) => {
    const { heads, address } = await startProxy(tunnel);
    const env = { HTTP_PROXY: `http://me:secret%21@${address}` };
    const { code, stderr } = await runMonitor([...words.split(" "), ...named], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const secret = Buffer.from("me:secret!").toString("base64");
    expect(heads[0]).toBe(`CONNECT ${HOST}:${new URL(service.wsUrl).port} Basic ${secret}`);
    const asked = heads.find((each) => each.startsWith(head));
    expect(asked).toMatch(/^user-agent: monitor\/\d/im);
  });

  test("is shown by the doctor, and not asked for this machine", async () => {
    const { heads, address } = await startProxy(tunnel);
    const env = { http_proxy: `me:secret@${address}` };
    const through = await runMonitor(["doctor", ...named, "--timeout", "1s"], { env });
    for (const part of ["ws", "rest"])
      expect(through.stdout).toMatch(
        new RegExp(`✓ +network.${part}.proxy +by way of ${address}, as http_proxy says`),
      );
    expect(through.stdout).not.toContain("secret");
    heads.length = 0;
    const own = ["doctor", "--ws-url", service.wsUrl, "--base-url", service.baseUrl];
    const { stdout } = await runMonitor([...own, "--timeout", "1s"], { env });
    expect(stdout).toMatch(/network.ws.proxy +none for this address, though there is http_proxy/);
    expect(heads).toEqual([]);
  });

  test.each(["perp/1 --once", "trades perp/1 --once"])(
    "that refuses monitor %s is named, once, with what to do",
    async (words) => {
      const { heads, address } = await startProxy(refuse);
      const env = { HTTP_PROXY: address };
      const { code, stderr } = await runMonitor([...words.split(" "), ...named], { env });
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`the proxy ${address} answered HTTP 407\n.*NO_PROXY`));
      expect(heads.length).toBe(1);
    },
  );

  test("of another kind is refused by the name of its variable, without its password", async () => {
    const env = { HTTP_PROXY: "socks5://me:secret@127.0.0.1:1" };
    const { code, stderr } = await runMonitor(["perp/1", "--once", ...named], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^(?=.*HTTP_PROXY)(?!.*secret).*\n.*\n$/),
    });
  });

  // It is given eight seconds; a user who gives it up is not held by it.
  test.each(["tail bbo/perp/1", "trades perp/1 --once", "doctor"])(
    "that does not answer does not keep monitor %s from ending",
    async (words) => {
      let end = () => {};
      const { address } = await startProxy(() => end());
      let toldAtMs = 0;
      const { code } = await runMonitor([...words.split(" "), ...named], {
        env: { HTTP_PROXY: address },
        onStart: (kill) => {
          end = () => {
            toldAtMs = performance.now();
            kill("SIGINT");
          };
        },
      });
      expect(code).toBe(words.startsWith("tail") ? 0 : 130);
      expect(performance.now() - toldAtMs).toBeLessThan(6000);
    },
  );
});

test("each address of a name is given the time of a slow network", async () => {
  const file = join(folder, "say.mjs");
  writeFileSync(
    file,
    `import { getDefaultAutoSelectFamilyAttemptTimeout as get } from "node:net";
     process.on("exit", () => console.error(get()));`,
  );
  const env = { NODE_OPTIONS: `--import ${file}` };
  const { stderr } = await runMonitor(["--version"], { env });
  expect(Number(stderr)).toBeGreaterThanOrEqual(2000);
});
