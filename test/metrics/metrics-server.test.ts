// Who gets an answer from the metrics server, and what it bears.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type MetricsServerOptions, openMetricsServer } from "../../src/metrics/metrics-server.ts";
import { listen } from "../support/listen.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { words } from "../support/words.ts";

async function start(options: Partial<MetricsServerOptions> = {}) {
  const clock = createVirtualClock();
  let readings = 0;
  const server = await openMetricsServer({
    address: { host: "127.0.0.1", port: 0 },
    hostNames: ["desk7"],
    clock,
    render: (format) => `${format} ${++readings}\n`,
    ...options,
  });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  return { ...server, port, clock };
}

/** Sends these bytes, and gives what came until the server closed. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (data: string) => {
    answer += data;
  });
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return answer;
}

const ask = (port: number, line: string, ...headers: string[]) =>
  send(port, [`${line} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n"));
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1]);

describe("the metrics server", () => {
  test("answers GET and HEAD of /metrics in the form that is asked for", async () => {
    const { port, url, isLoopback } = await start();
    expect([url, isLoopback]).toEqual([`http://127.0.0.1:${port}/metrics`, true]);
    const plain = await fetch(url);
    expect(plain.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await plain.text()).toBe("text 1\n");
    const open = await fetch(`${url}?a=b`, { headers: { Accept: "application/openmetrics-text" } });
    expect(open.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    expect(await open.text()).toBe("openmetrics 2\n");
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      "7",
      "",
    ]);
  });

  test.each(words("/ /metrics/ /metricsx /..%2fmetrics http://127.0.0.1/metrics //metrics"))(
    "does not have %s",
    async (path) => {
      const { port } = await start();
      expect(statusOf(await ask(port, `GET ${path}`, "Host: localhost"))).toBe(404);
    },
  );

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])(
    "refuses %s, and waits for no body",
    async (method) => {
      const { port } = await start();
      const answer = await ask(
        port,
        `${method} /metrics`,
        "Host: localhost",
        "Content-Length: 1000000",
      );
      expect(statusOf(answer)).toBe(405);
      expect(answer).toContain("Allow: GET, HEAD");
    },
  );

  test.each([
    ["localhost", 200],
    ["LOCALHOST:1", 200],
    ["127.0.0.1:80", 200],
    ["127.9.9.9", 200],
    ["[::1]:9464", 200],
    ["evil.example", 421],
    ["evil.example:9464", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.evil.example", 421],
    ["localhost.", 421],
    ["0.0.0.0", 421],
    ["192.168.1.7", 421],
    ["desk7", 421],
    ["[::1", 421],
    ["localhost:9464:1", 421],
    ["user@localhost", 421],
    ["", 421],
  ])("on loopback answers the Host %s with %i", async (host, status) => {
    const { port } = await start();
    expect(statusOf(await ask(port, "GET /metrics", `Host: ${host}`))).toBe(status);
  });

  test.each([
    ["localhost", 200],
    ["192.168.1.7:9464", 200],
    ["[fe80::1]", 200],
    ["desk7:9464", 200],
    ["DESK7", 200],
    ["evil.example", 421],
    ["192.168.1.7.evil.example", 421],
  ])("on every address answers the Host %s with %i", async (host, status) => {
    const { port, isLoopback } = await start({ address: { host: "0.0.0.0", port: 0 } });
    expect(isLoopback).toBe(false);
    expect(statusOf(await ask(port, "GET /metrics", `Host: ${host}`))).toBe(status);
  });

  test("answers nobody without a Host, or with two", async () => {
    const { port } = await start();
    expect(statusOf(await ask(port, "GET /metrics"))).toBe(400);
    expect(statusOf(await send(port, "GET /metrics HTTP/1.0\r\n\r\n"))).toBe(421);
    const two = await ask(port, "GET /metrics", "Host: localhost", "Host: evil.example");
    expect([400, 421]).toContain(statusOf(two));
  });

  test("says of a foreign Host nothing of the metrics, whatever is asked for", async () => {
    const { port } = await start();
    for (const line of ["GET /metrics", "GET /", "POST /metrics", "HEAD /metrics"]) {
      const answer = await ask(port, line, "Host: evil.example");
      expect(statusOf(answer)).toBe(421);
      expect(answer).not.toContain("text 1");
    }
  });

  test("reads the metrics ten times a second at the most", async () => {
    const { url, clock } = await start();
    const read = async () => (await fetch(url)).text();
    expect([await read(), await read()]).toEqual(["text 1\n", "text 1\n"]);
    clock.advance(99);
    expect(await read()).toBe("text 1\n");
    clock.advance(1);
    expect(await read()).toBe("text 2\n");
  });

  test("bears broken requests, long headers and more connections than it takes", async () => {
    const { port, url } = await start();
    expect(statusOf(await send(port, "\u0000\u0001\r\n\r\n"))).toBe(400);
    expect(statusOf(await ask(port, "GET /metrics", `Host: ${"a".repeat(100_000)}`))).toBe(431);
    const idle = Array.from({ length: 100 }, () =>
      connect(port, "127.0.0.1").on("error", () => {}),
    );
    const closed = idle.slice(40).map((socket) => once(socket, "close"));
    await Promise.race(closed);
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => (await fetch(url).catch(() => undefined))?.status).toBe(200);
  });

  test("ends with its connections open", async () => {
    const { port, close } = await start();
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    await close();
    await once(socket, "close");
    expect(socket.destroyed).toBe(true);
  });

  test("says in one line that its port is taken, or that it cannot listen there", async () => {
    const other = createServer();
    const port = await listen(other);
    onTestFinished(() => void other.close());
    await expect(start({ address: { host: "127.0.0.1", port } })).rejects.toMatchObject({
      code: "port-in-use",
      kind: "failed",
      message: `port ${port} is in use`,
    });
    await expect(start({ address: { host: "203.0.113.1", port: 0 } })).rejects.toMatchObject({
      code: "listen-failed",
      message: expect.stringContaining("203.0.113.1:0"),
    });
  });
});
