// Certificates are checked on every way to the service, even where the environment says that they are not to be.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";
import { listen } from "../support/listen.ts";
import { runInside } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { certificate, key, trusted } from "../support/self-signed.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const scratch = folderOfFile();
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
  address = `127.0.0.1:${await listen(server)}`;
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
    createWsSocket({ url, headers: { "x-key": "secret" }, clock: systemClock })({
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
  expect(ended.stderr).toMatch(/^monitor: https:\S+: self-signed certificate /);
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

describe.concurrent("where the user trusts who signed it, one", () => {
  const VERDICTS = ["network.ws.tls", "network.rest.tls", "stream.upgrade", "rest.trades"];

  test.each([
    ["sound", "ok ok fail fail", /^TLS/],
    ["expired", "fail fail fail fail", /^CERT_HAS_EXPIRED$/],
    ["elsewhere", "fail fail fail fail", /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ] as const)("that is %s is: %s", async (name, verdicts, fact) => {
    let asked = 0;
    const service = createServer({ cert: trusted[name], key: trusted.key }, (_, response) => {
      asked++;
      response.writeHead(404).end();
    });
    service.on("upgrade", (_, socket) => {
      asked++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(scratch, "ca-"));
    writeFileSync(join(folder, "ca.pem"), trusted[name]);
    const at = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    const words = ["--ws-url", `wss://${at}`, "--base-url", `https://${at}`];
    const { stdout } = await runMonitor(["doctor", ...words, "--json", "--timeout", "1s"], {
      env: { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") },
    });
    service.close();
    const checks = JSON.parse(stdout).checks as { id: string; verdict: string; fact: string }[];
    const found = VERDICTS.map((id) => checks.find((check) => check.id === id));
    expect(found.map((check) => check?.verdict).join(" ")).toBe(verdicts);
    expect(found[0]?.fact).toMatch(fact);
    expect(asked > 0).toBe(name === "sound");
  });
});
