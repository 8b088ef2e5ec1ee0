// A reader that stops, as a pager does, or a program that hangs: what it does not take waits in the network, and nothing is lost.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../src/system/system-clock.ts";
import { openPty } from "../support/terminal/open-pty.ts";

const program = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));
const MEGABYTE = 1 << 20;
/** More than the network between two processes and a pipe hold. */
const MAX_TAKEN = 48 * MEGABYTE;
const STOPPED_AFTER_MS = 1500;

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/v1/ws" });
  await once(server, "listening");
});
afterAll(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

const words = () => {
  const { port } = server.address() as AddressInfo;
  return ["tail", "trades/perp/1", "--ws-url", `ws://127.0.0.1:${port}`, "--events"];
};

async function subscribed([peer]: readonly [WebSocket]): Promise<WebSocket> {
  peer.send('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
  await once(peer, "message");
  return peer;
}

/** The program with a reader that does not read, and the service that it has subscribed at. */
async function start() {
  const child = spawn(process.execPath, [program, ...words()], {
    env: { PATH: process.env.PATH, HOME: "/dev/null" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const peer = await subscribed((await once(server, "connection")) as [WebSocket]);
  return { child, peer };
}

/** Trades of a megabyte. */
function frame(sequence: number): string {
  const trade = { timestamp_ns: "1", price_ticks: "1", size_base_lots: "1", taker_is_bid: true };
  const trades = new Array(Math.ceil(MEGABYTE / JSON.stringify(trade).length)).fill(trade);
  const previous = sequence === 1 ? null : `${sequence - 1}`;
  const head = { type: "update", channel: "trades/perp/1", timestamp_ns: `${sequence}` };
  const links = { previous_sequence: previous, sequence: `${sequence}` };
  return JSON.stringify({ ...head, ...links, trades });
}

/** Sends until nothing more is taken, or too much was. @returns how many frames */
async function sendUntilStopped(peer: WebSocket): Promise<number> {
  let sent = 0;
  for (let taken = 0; taken < MAX_TAKEN; taken += MEGABYTE) {
    sent++;
    const isTaken = new Promise<boolean>((resolve) => {
      const cancel = systemClock.after(STOPPED_AFTER_MS, () => resolve(false));
      peer.send(frame(sent), () => {
        cancel();
        resolve(true);
      });
    });
    if (!(await isTaken)) break;
  }
  return sent;
}

test("tail reads no faster than its reader, and loses nothing", async () => {
  const { child, peer } = await start();
  const sent = await sendUntilStopped(peer);
  expect(sent * MEGABYTE).toBeLessThan(MAX_TAKEN);
  const sequences: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { sequence, event } = JSON.parse(line);
    if (event === undefined) sequences.push(sequence);
    else expect(event).toBe("connected");
    if (sequences.length === sent) child.kill("SIGTERM");
  }
  expect(sequences).toEqual(Array.from({ length: sent }, (_, i) => `${i + 1}`));
});

test("SIGTERM ends it although its reader has stopped", async () => {
  const { child, peer } = await start();
  await sendUntilStopped(peer);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("SIGTERM ends it on a terminal that was stopped, as by Ctrl+S", async () => {
  const connected = once(server, "connection");
  const { pty, exit } = openPty(process.execPath, [program, ...words()], {
    env: { PATH: process.env.PATH ?? "", HOME: "/dev/null", TERM: "xterm" },
  });
  pty.pause();
  await sendUntilStopped(await subscribed((await connected) as [WebSocket]));
  process.kill(pty.pid, "SIGTERM");
  expect(await exit).toMatchObject({ exitCode: 0 });
});
