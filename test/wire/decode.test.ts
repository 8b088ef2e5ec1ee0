// What the decoder says beyond yes and no: the kind, the channel, and all that the document does not list.
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../src/wire/decode.ts";

const bboOn = (channel: string, more: object = {}): string =>
  JSON.stringify({
    type: "update",
    channel,
    timestamp_ns: "1",
    bbo: { bid: null, ask: { price_ticks: "1", size_base_lots: "2" } },
    ...more,
  });

describe("an accepted frame", () => {
  test("names each place with something that the document does not list", () => {
    const decoder = createDecoder();
    const level = { price_ticks: "1", size_base_lots: "2", orders: 3 };
    const decoded = decoder.decode(
      bboOn("bbo/perp/1", { a: 1, b: 2, bbo: { bid: level, ask: level, mid: "1" } }),
    );
    expect(decoded).toMatchObject({ ok: true, drifts: true });
    if (!decoded.ok) return;
    const drifts = decoder.drifts(decoded.received);
    expect(drifts.map(({ path }) => path).sort()).toEqual(["", "bbo", "bbo.ask", "bbo.bid"]);
    const whole = drifts.find(({ path }) => path === "");
    expect(whole?.detail).toMatch(/"a".*"b"/);
  });

  test("is read alone: no number of channel names seen before changes what it is", () => {
    const decoder = createDecoder();
    const names = Array.from({ length: 2500 }, (_, id) => `bbo/perp/${id}`);
    for (const name of [...names, ...names]) {
      expect(decoder.decode(bboOn(name))).toMatchObject({ ok: true, received: { kind: "bbo" } });
    }
    expect(decoder.decode(bboOn("bbo/perp/x")).ok).toBe(false);
  });
});

describe("a refused frame", () => {
  const rejectionOf = (message: string) => {
    const decoded = createDecoder().decode(message);
    return decoded.ok ? undefined : decoded.rejection;
  };

  test("names the channel that it came on, where it named a channel of the document", () => {
    expect(rejectionOf(bboOn("bbo/perp/1", { bbo: null }))?.channel).toBe("bbo/perp/1");
    const error = JSON.stringify({ type: "error", channel: "bbo/perp/1", timestamp_ns: "1" });
    expect(rejectionOf(error)?.channel).toBe("bbo/perp/1");
    expect(rejectionOf(JSON.stringify({ type: "pong", channel: "bbo/perp/1" }))?.channel).toBe(
      "bbo/perp/1",
    );
  });

  test("names no channel where the message has none in text", () => {
    for (const message of ["", "[]", "{}", '{"type":"error","channel":1}']) {
      expect(rejectionOf(message)).toMatchObject({ channel: undefined });
    }
  });

  test("names the first of several faults", () => {
    const levels = [{ price_ticks: "1", size_base_lots: "2" }, { price_ticks: 1 }, null];
    const message = JSON.stringify({
      type: "update",
      channel: "orderbook/spot/1",
      timestamp_ns: "1",
      previous_sequence: null,
      sequence: null,
      orderbook: { bids: levels, asks: null },
    });
    expect(rejectionOf(message)).toMatchObject({
      reason: "wrong-shape",
      path: "orderbook.bids[1].price_ticks",
      channel: "orderbook/spot/1",
    });
  });
});
