// Certificates are checked on every way to the service, even where the environment says that they are not to be.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { LinkFault } from "../../src/protocol/stream-event.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { runInside } from "../support/monitor-inside.ts";
import { realClock } from "../support/real-clock.ts";
import { certificate, key } from "../support/self-signed.ts";

let server: Server;
let address = "";
let requests = 0;

beforeAll(async () => {
  // Node's own switch: with it, a connection that says nothing takes any certificate.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  server = createServer({ cert: certificate, key }, (_, response) => {
    requests++;
    response.end("[]");
  });
  server.on("upgrade", (_, socket) => {
    requests++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

test("one that nobody vouches for ends the stream before anything is sent", async () => {
  const url = `wss://${address}/v1/ws`;
  const fault = await new Promise<LinkFault>((onEnd) => {
    const onMessage = () => {};
    const handlers = { onOpen: onMessage, onMessage, onBinary: onMessage, onPong: onMessage };
    createWsSocket({ url, headers: { "x-key": "secret" }, clock: realClock })({
      ...handlers,
      onEnd,
    });
  });
  expect(fault.detail).toBe("self-signed certificate");
  expect(requests).toBe(0);
});

test("one that nobody vouches for ends a listing before anything is sent", async () => {
  const ended = await runInside(["trades", "1", "--once", "--base-url", `https://${address}`]);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(/^monitor: the certificate of .* is not valid: /);
  expect(requests).toBe(0);
});

test("the doctor fails both", async () => {
  const words = ["--ws-url", `wss://${address}/v1/ws`, "--base-url", `https://${address}`];
  const { code, stdout } = await runInside(["doctor", ...words, "--json", "--timeout", "1s"]);
  expect(code).toBe(1);
  const checks = JSON.parse(stdout).checks as { id: string; verdict: string }[];
  const verdicts = Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({
    "network.ws.tls": "fail",
    "network.rest.tls": "fail",
    "stream.upgrade": "fail",
    "rest.trades": "fail",
  });
  expect(requests).toBe(0);
});
