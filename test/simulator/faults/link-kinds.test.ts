// Each kind of fault that concerns the connection, commands or REST, as a client on the wire meets it.
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { FAULT_KINDS, type FaultName } from "../../../src/simulator/faults/fault-kinds.ts";
import { loadScenario } from "../../../src/simulator/scenarios/scenario.ts";
import { openFaulty, startFaultRig } from "./fault-rig.ts";

const BOOK = "orderbook/perp/1";
const BBO = "bbo/perp/1";

describe("messages that nobody asked for", () => {
  test("garbage-frame sends text, bytes, and text that is no UTF-8, which ends the connection", async () => {
    const { rig, client } = await openFaulty([
      { kind: "garbage-frame", at_ms: [1000, 2000] },
      { kind: "garbage-frame", form: "bytes", at_ms: [3000] },
      { kind: "garbage-frame", form: "no-utf8", at_ms: [5000] },
    ]);
    await rig.pass(4000);
    expect(client.unreadable).toBe(2);
    expect(client.binaries).toEqual([64]);
    await rig.pass(2000);
    expect(client.error?.message).toMatch(/UTF-8/);
  });

  test("giant-frame and flood send as much as they say", async () => {
    const { rig, client } = await openFaulty([
      { kind: "giant-frame", bytes: 2_000_000, at_ms: [1000] },
      { kind: "flood", frames: 5000, at_ms: [2000] },
    ]);
    await rig.pass(1500);
    expect(client.texts.at(-1)).toHaveLength(2_000_000);
    const before = client.texts.length;
    await rig.pass(1500);
    expect(client.texts.length - before).toBe(5000);
    expect(rig.struck.get("flood")).toBe(1);
  });

  test("stray-error and anonymous-errors name no channel, and conflict answers 409 to what it obeys", async () => {
    const { rig, client } = await openFaulty(
      [
        { kind: "stray-error", at_ms: [1000], code: 400 },
        { kind: "conflict", probability: 1 },
        { kind: "anonymous-errors", probability: 1 },
      ],
      BBO,
    );
    await rig.pass(1500);
    const errors = client.texts
      .map((text) => JSON.parse(text))
      .filter(({ type }) => type === "error");
    expect(errors.map(({ code, channel }) => [code, channel])).toEqual([
      [409, undefined],
      [400, undefined],
    ]);
    expect(client.updates(BBO).length).toBeGreaterThan(1);
  });

  test("no-farewell ends a subscription without a word", async () => {
    const { rig, client } = await openFaulty([{ kind: "no-farewell", probability: 1 }], BBO);
    client.command("unsubscribe", BBO);
    await rig.settle();
    const count = client.texts.length;
    await rig.pass(5000);
    expect(client.texts).toHaveLength(count);
    expect(client.texts.join("")).not.toContain("unsubscribed");
  });
});

describe("the connection", () => {
  test("close and terminate end it with a code and without one, and a new one is as good as the first", async () => {
    const { rig, client } = await openFaulty(
      [
        { kind: "close", at_ms: [1000], code: 3000 },
        { kind: "terminate", at_ms: [3000] },
      ],
      BBO,
    );
    await rig.pass(1500);
    expect(client.closeCode).toBe(3000);
    const second = await rig.connect(BBO);
    expect(second.updates(BBO)).toHaveLength(1);
    await rig.pass(2000);
    expect(second.closeCode).toBe(1006);
    expect(rig.struck.size).toBe(2);
  });

  test("half-open lets nothing through and closes nothing", async () => {
    const { rig, client } = await openFaulty([{ kind: "half-open", at_ms: [2000] }], BBO);
    await rig.pass(2000);
    const count = client.texts.length;
    client.socket.ping();
    client.command("subscribe", BOOK);
    await rig.pass(60_000);
    expect(client.texts).toHaveLength(count);
    expect(client.pongs).toBe(0);
    expect(client.closeCode).toBeUndefined();
  });

  test("no-pong answers no pings while updates go on", async () => {
    const { rig, client } = await openFaulty(
      [{ kind: "no-pong", when: { after_ms: 1000, for_ms: 5000 } }],
      BBO,
    );
    const pongs: number[] = [];
    for (let i = 0; i < 4; i++) {
      client.socket.ping();
      await rig.pass(2500);
      pongs.push(client.pongs);
    }
    expect(pongs).toEqual([1, 1, 1, 2]);
    expect(client.updates(BBO).length).toBeGreaterThan(20);
  });

  test("slow-drip lets bytes through at its pace, and all of them in the end", async () => {
    const when = { for_ms: 10_000 };
    const { rig, client } = await openFaulty([{ kind: "slow-drip", bytes_per_s: 300, when }], BBO);
    await rig.pass(9900);
    const dripped = client.texts.join("").length;
    expect(dripped).toBeGreaterThan(2000);
    expect(dripped).toBeLessThanOrEqual(3000);
    await rig.pass(5000);
    const last = BigInt(client.updates(BBO).at(-1).timestamp_ns) / 1_000_000n;
    expect(rig.clock.wall() - Number(last)).toBeLessThan(2000);
    expect(client.unreadable).toBe(0);
  });

  test("cut-frame ends the connection within a frame", async () => {
    const { rig, client } = await openFaulty([{ kind: "cut-frame", at_ms: [1000] }], BBO);
    await rig.pass(3000);
    expect(client.closeCode).toBe(1006);
    expect(client.unreadable).toBe(0);
  });

  test("refuse-upgrade answers a status with Retry-After, hang-upgrade nothing", async () => {
    const rig = await startFaultRig([
      { kind: "refuse-upgrade", status: 429, retry_after_s: 7, when: { for_ms: 1000 } },
      { kind: "hang-upgrade", when: { after_ms: 2000 } },
    ]);
    expect((await rig.connect()).refused).toEqual([429, "7"]);
    await rig.pass(1000);
    expect((await rig.connect()).texts).toHaveLength(1);
    await rig.pass(1000);
    const { refused, socket, error } = await rig.connect();
    expect([refused, error, socket.readyState]).toEqual([undefined, undefined, socket.CONNECTING]);
  });
});

test("unavailable: a stream that is away answers 503, ends in mid-stream, and is there in between", async () => {
  const trades = "trades/perp/1";
  const { rig, client } = await openFaulty("unavailable", BOOK, trades, "mark-candles/1/1m");
  const errors = (channel: string) =>
    client.texts.filter((text) => text.includes('"code":503') && text.includes(channel)).length;
  expect([BOOK, trades, "mark-candles"].map(errors)).toEqual([1, 0, 1]);
  await rig.pass(8000);
  for (const channel of [BOOK, "mark-candles/1/1m"]) client.command("subscribe", channel);
  await rig.pass(11_000);
  expect(client.updates(BOOK).length).toBeGreaterThan(10);
  expect([BOOK, trades, "mark-candles"].map(errors)).toEqual([1, 0, 2]);
  await rig.pass(2000);
  expect(errors(trades)).toBe(1);
  const count = client.updates(trades).length;
  await rig.pass(7000);
  expect(client.updates(trades)).toHaveLength(count);
  client.command("subscribe", trades);
  await rig.settle();
  expect(client.updates(trades).at(-1).previous_sequence).toBeNull();
  await rig.pass(60_000);
  expect(errors(trades)).toBe(2);
});

describe("REST", () => {
  const ask = async (fault: object) => {
    const rig = await startFaultRig([{ probability: 1, ...fault }]);
    const { base_url } = rig.simulator.announcement;
    const end = new AbortController();
    const { signal } = end;
    return { rig, end, answer: request(`${base_url}/markets/1/trades?limit=50`, { signal }) };
  };

  test("rest-hang never answers, rest-cut breaks off, rest-html answers a page", async () => {
    const { rig, end, answer } = await ask({ kind: "rest-hang" });
    let isAnswered = false;
    answer.then(
      () => {
        isAnswered = true;
      },
      () => {},
    );
    await rig.pass(60_000);
    expect(isAnswered).toBe(false);
    end.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    const { body, headers } = await (await ask({ kind: "rest-cut" })).answer;
    expect(headers["content-type"]).toBe("application/json");
    await expect(body.text()).rejects.toThrow();
    const page = await (await ask({ kind: "rest-html" })).answer;
    expect([page.statusCode, page.headers["content-type"]]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await page.body.text()).toMatch(/^<!DOCTYPE html>/);
  });

  test("rest-slow sends a whole answer, a little at a time", async () => {
    const { rig, answer } = await ask({ kind: "rest-slow", bytes_per_s: 5000 });
    await rig.settle();
    await rig.pass(100);
    const { body } = await answer;
    let text = "";
    body.on("data", (data) => {
      text += data;
    });
    await rig.pass(900);
    await rig.settle();
    expect(text).toHaveLength(5000);
    await rig.pass(10_000);
    await rig.settle();
    expect(JSON.parse(text)).toHaveLength(50);
  });

  test("rest-error refuses matching requests, with any text as Retry-After", async () => {
    const refusal = { kind: "rest-error", status: 429, retry_after_s: "soon" };
    const { statusCode, headers } = await (await ask(refusal)).answer;
    expect([statusCode, headers["retry-after"]]).toEqual([429, "soon"]);
    const { answer } = await ask({ ...refusal, paths: "*/liquidations" });
    expect((await answer).statusCode).toBe(200);
  });
});

test("the scenario storm has nearly every kind of fault", () => {
  const used = new Set(loadScenario("storm").faults.map(({ kind }) => kind));
  const missing = (Object.keys(FAULT_KINDS) as FaultName[]).filter((kind) => !used.has(kind));
  expect(missing).toEqual(["wrong-version", "rest-hang", "rest-slow"]);
});
