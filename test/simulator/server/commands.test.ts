import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { conformsServerFrame } from "../../support/interface-schema.ts";
import { words } from "../../support/words.ts";
import { type Client, startRig } from "../rig.ts";

async function connected(scenario: string | object = "steady"): Promise<Client> {
  const rig = await startRig({ scenario });
  return rig.connect();
}

describe("answers to commands", () => {
  test("hello comes at once", async () => {
    const client = await connected();
    await client.settle();
    expect(client.frames.map(({ value }) => value)).toEqual([
      { type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 },
    ]);
  });

  test("what is no command gets 400, naming a channel only when it is one", async () => {
    const client = await connected();
    for (const [text, channel] of [
      ["subscribe bbo/perp/1"],
      ["[]"],
      ["null"],
      ['{"channel":"bbo/perp/1"}', "bbo/perp/1"],
      ['{"type":"ping"}'],
      ['{"type":"subscribe"}'],
      ['{"type":"subscribe","channel":"bbo/perp/one"}'],
      ['{"type":"subscribe","channel":1}'],
      ['{"type":"subscribe","channel":"markets","id":1}', "markets"],
      ['{"type":"subscribe","channel":"accounts/abc"}'],
      [Buffer.from('{"type":"subscribe","channel":"markets"}')],
    ] as const) {
      const [answer, ...more] = await client.say(text);
      expect(conformsServerFrame(answer?.value), String(text)).toBeUndefined();
      expect(answer?.value, String(text)).toMatchObject({ type: "error", code: 400 });
      expect(answer?.value.channel, String(text)).toBe(channel);
      expect(more).toEqual([]);
    }
  });

  test("a name of nothing that exists gets 404, and may be tried again", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    for (const name of words(`
      bbo/perp/9 bbo/perp/01 orderbook/spot/2 trades/perp/99999999999999999999 candles/spot/3/1m
      mark-candles/3/1m market-stats/spot/2 funding-rates/9
      accounts/11111111111111111111111111111111 account/11111111111111111111111111111111/0
      account/OWN/3
    `)) {
      const channel = name.replace("OWN", rig.simulator.announcement.account.address);
      for (let i = 0; i < 2; i++) {
        const [answer] = await client.say({ type: "subscribe", channel });
        expect(conformsServerFrame(answer?.value)).toBeUndefined();
        expect(answer?.value).toMatchObject({ type: "error", code: 404, channel });
      }
    }
  });

  test("a second subscribe gets 409, and the first goes on", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    await client.subscribe("orderbook/perp/1");
    const [answer] = await client.say({ type: "subscribe", channel: "orderbook/perp/1" });
    expect(answer?.value).toMatchObject({ type: "error", code: 409, channel: "orderbook/perp/1" });
    const before = client.updates("orderbook/perp/1").length;
    await rig.pass(1000);
    expect(client.updates("orderbook/perp/1").length).toBeGreaterThan(before);
  });

  test("unsubscribe is confirmed, ends the updates, and a new subscribe begins with a whole book", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    await client.subscribe("orderbook/perp/1");
    await rig.pass(1000);
    const [answer] = await client.say({ type: "unsubscribe", channel: "orderbook/perp/1" });
    expect(conformsServerFrame(answer?.value)).toBeUndefined();
    expect(answer?.value).toMatchObject({ type: "unsubscribed", channel: "orderbook/perp/1" });
    const before = client.updates("orderbook/perp/1").length;
    await rig.pass(1000);
    expect(client.updates("orderbook/perp/1")).toHaveLength(before);
    await client.subscribe("orderbook/perp/1");
    const { sequence, previous_sequence, orderbook } = client.updates("orderbook/perp/1").at(-1);
    const truth = rig.simulator.ledger.book("perp", 1);
    expect(previous_sequence).toBeNull();
    expect({ sequence: Number(sequence), ...orderbook }).toEqual(truth);
  });

  test("unsubscribing from what was never subscribed is confirmed all the same", async () => {
    const client = await connected();
    const [answer] = await client.say({ type: "unsubscribe", channel: "trades/perp/1" });
    expect(answer?.value).toMatchObject({ type: "unsubscribed", channel: "trades/perp/1" });
  });

  test("each connection has its own subscriptions and its own chain", async () => {
    const rig = await startRig();
    const one = await rig.connect();
    await one.subscribe("orderbook/perp/1");
    await rig.pass(2000);
    const two = await rig.connect();
    await two.subscribe("orderbook/perp/1");
    await rig.pass(2000);
    const late = two.updates("orderbook/perp/1");
    expect(late[0].previous_sequence).toBeNull();
    expect(late[1].previous_sequence).toBe(late[0].sequence);
    expect(one.updates("orderbook/perp/1").slice(-late.length + 1)).toEqual(late.slice(1));
  });
});

describe("connections", () => {
  test("any other path than /v1/ws gets 404 at the handshake", async () => {
    const rig = await startRig();
    const { ws_url } = rig.simulator.announcement;
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(ws_url.replace("/v1/ws", "/ws"));
      socket.on("error", () => {});
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
    });
    expect(status).toBe(404);
  });

  test("a message far larger than any command ends the connection", async () => {
    const client = await connected();
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    client.socket.send("x".repeat(100_000));
    expect(await closed).toBe(1009);
  });

  test("closing the simulator ends every connection and frees the port", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    await rig.simulator.close();
    await closed;
    expect(rig.clock.pending).toBe(0);
  });
});
