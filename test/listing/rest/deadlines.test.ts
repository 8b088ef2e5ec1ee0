// Answers that do not come, or never end, against a client whose clock is moved by hand.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { RestClient } from "../../../src/listing/rest/rest-client.ts";
import { errorOf } from "../../support/error-of.ts";
import { type ScriptedAnswer, serveScript } from "../../support/scripted-http.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

/** A clock that counts its timers: an answer has one for all of it, and one each for the connection, the head, the
 * body and each part of that. */
function countingClock() {
  const clock = createVirtualClock();
  let timers = 0;
  const after = (ms: number, callback: () => void) => {
    timers++;
    return clock.after(ms, callback);
  };
  return Object.create(clock, {
    after: { value: after },
    timers: { get: () => timers },
  }) as VirtualClock & { readonly timers: number };
}

async function rig(answer: ScriptedAnswer) {
  const server = await serveScript([answer]);
  const clock = countingClock();
  const client = new RestClient({ baseUrl: server.baseUrl, clock, random: () => 1 });
  onTestFinished(() => client.close());
  return { server, clock, client };
}

const neverAborted = () => new AbortController().signal;

describe("an answer that takes too long is given up", () => {
  const start = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n[";

  test.each<[what: string, bytes: string, ms: number, message: string]>([
    ["when it does not begin", "", 15_000, "no answer in time"],
    ["when it stops half way", start, 10_000, "the answer stopped half way"],
  ])("%s", async (_, bytes, ms, message) => {
    const { client, clock, server } = await rig({ bytes });
    let isOver = false;
    const error = errorOf(client.ask("/x", {}, neverAborted())).finally(() => {
      isOver = true;
    });
    await expect.poll(() => server.requests.length).toBe(1);
    if (bytes !== "") await expect.poll(() => clock.timers).toBe(5);
    clock.advance(ms - 1);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await error).toMatchObject({ code: "unreachable" });
    expect((await error).message).toBe(`${new URL(server.baseUrl).origin}: ${message}`);
    expect(clock.pending).toBe(0);
  });

  test("when the connection is not made, because nothing is said to our TLS", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const clock = createVirtualClock();
    const client = new RestClient({ baseUrl: origin, clock, random: () => 1 });
    onTestFinished(async () => {
      await client.close();
      server.close();
    });
    const error = errorOf(client.ask("/x", {}, neverAborted()));
    await once(server, "connection");
    const gone = once(sockets[0] as Socket, "close");
    clock.advance(4999);
    expect(clock.pending).toBe(3);
    clock.advance(1);
    expect(await error).toMatchObject({ code: "unreachable" });
    expect((await error).message).toBe(`${origin}: no connection in time`);
    expect(clock.pending).toBe(0);
    await gone;
  });

  test("when a byte comes each second: after a minute", async () => {
    const { client, clock, server } = await rig({ bytes: start });
    const error = errorOf(client.ask("/x", {}, neverAborted()));
    // The head and the first byte are there; each byte gives it another ten seconds.
    await expect.poll(() => clock.timers).toBe(5);
    for (let second = 1; second < 60; second++) {
      clock.advance(1000);
      server.send(" ");
      await expect.poll(() => clock.timers, { interval: 1 }).toBe(5 + second);
    }
    clock.advance(999);
    expect(clock.pending).toBe(2);
    clock.advance(1);
    expect((await error).message).toContain("no whole answer in time");
    expect(clock.now()).toBe(60_000);
  });
});
