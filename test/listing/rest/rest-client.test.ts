import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { RestClient, type Retry } from "../../../src/listing/rest/rest-client.ts";
import { HistoryError } from "../../../src/units/monitor-error.ts";
import { errorOf } from "../../support/error-of.ts";
import { httpAnswer, type ScriptedAnswer, serveScript } from "../../support/scripted-http.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** A client of a scripted server; its clock jumps over every wait as soon as it is announced. */
async function rig(answers: readonly ScriptedAnswer[], headers: Record<string, string> = {}) {
  const server = await serveScript(answers);
  const clock = createVirtualClock();
  const retries: Retry[] = [];
  const client = new RestClient({
    baseUrl: server.baseUrl,
    headers,
    clock,
    random: () => 1,
    onRetry: (retry) => {
      retries.push(retry);
      setImmediate(() => clock.advance(retry.waitMs));
    },
  });
  onTestFinished(() => client.close());
  const get = async () =>
    (await client.get("/markets/1/trades", { limit: 5, before: 7n }, neverAborted())).text;
  return { server, client, clock, retries, get };
}

const neverAborted = () => new AbortController().signal;

const page = httpAnswer(200, '[{"a":1}]');
const cut: ScriptedAnswer = {
  bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n[{"a":1}',
  ending: "destroy",
};

describe("a request", () => {
  test("is a GET below the prefix with only the given parameters, and the given headers", async () => {
    const { server, get } = await rig([page], { "X-Key": "secret" });
    expect(await get()).toBe('[{"a":1}]');
    const head = server.requests[0] ?? "";
    expect(head).toMatch(/^GET \/api\/markets\/1\/trades\?limit=5&before=7 HTTP\/1\.1\r\n/);
    expect(head).toContain("X-Key: secret\r\n");
    expect(head).toContain("accept-encoding: identity\r\n");
  });

  test("ends at once with the signal's reason when it is aborted", async () => {
    const { client } = await rig([{ bytes: "" }]);
    const controller = new AbortController();
    const answer = client.get("/x", {}, controller.signal);
    controller.abort("stop it");
    await expect(answer).rejects.toBe("stop it");
  });

  test("ends a wait with the signal's reason, too", async () => {
    const server = await serveScript([httpAnswer(503, "later", { "retry-after": "100" })]);
    const controller = new AbortController();
    const client = new RestClient({
      baseUrl: server.baseUrl,
      clock: createVirtualClock(),
      random: () => 1,
      onRetry: () => controller.abort("stop it"),
    });
    onTestFinished(() => client.close());
    await expect(client.get("/x", {}, controller.signal)).rejects.toBe("stop it");
  });
});

describe("what may pass is tried again", () => {
  test.each<[name: string, trouble: ScriptedAnswer, reason: string]>([
    ["500", httpAnswer(500, "oops"), "answers 500: oops"],
    [
      "502 with a web page",
      httpAnswer(502, "<h1>x</h1>", { "content-type": "text/html" }),
      "answers 502",
    ],
    ["a connection that breaks", { bytes: "", ending: "destroy" }, "closed the connection"],
    ["a body that is cut", cut, "closed the connection"],
    [
      "a chunked body that is cut",
      {
        bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n[{}]\r\n",
        ending: "destroy",
      },
      "closed the connection",
    ],
    [
      "a body without a length that is cut",
      { bytes: "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[{}", ending: "destroy" },
      "ends before its end",
    ],
    ["an empty body", httpAnswer(200, ""), "answers nothing at all"],
    ["no HTTP", { bytes: "hello\r\n\r\n", ending: "end" }, "not an HTTP response"],
  ])("%s", async (_, trouble, reason) => {
    const { get, retries } = await rig([trouble, trouble, page]);
    expect(await get()).toBe('[{"a":1}]');
    expect(retries.map(({ count, waitMs }) => [count, waitMs])).toEqual([
      [1, 500],
      [2, 1000],
    ]);
    expect(retries[0]?.reason).toContain(reason);
  });

  test("five times in all, then the last fault is the error", async () => {
    const { get, retries, server } = await rig([httpAnswer(500, "broken")]);
    const error = await errorOf<HistoryError>(get());
    expect(error).toMatchObject({ code: "http-500", kind: "failed" });
    expect(error.message).toBe(
      `${server.baseUrl}/markets/1/trades?limit=5&before=7 answers 500: broken`,
    );
    expect([retries.length, server.requests.length]).toEqual([4, 5]);
  });

  test("a service that is not available is asked for ten minutes", async () => {
    const { get, retries, clock } = await rig([
      httpAnswer(503, "maintenance", { "retry-after": "60" }),
    ]);
    const error = await errorOf<HistoryError>(get());
    expect(error.code).toBe("http-503");
    expect(retries.map(({ waitMs }) => waitMs)).toEqual(Array(11).fill(60_000));
    expect(clock.now()).toBe(660_000);
  });

  test.each<[value: string, waitMs: number]>([
    ["0", 0],
    ["7", 7000],
    ["999999999", 300_000],
    ["-1", 500],
    ["NaN", 500],
    ["Thu, 01 Jan 2015 00:00:00 GMT", 0],
  ])("a service that says Retry-After: %s is asked again after %i ms", async (value, waitMs) => {
    const later = httpAnswer(503, "later", { "retry-after": value });
    const { get, retries } = await rig([later, page]);
    await get();
    expect(retries.map((retry) => retry.waitMs)).toEqual([waitMs]);
  });

  test("a service that says Retry-After: 0 each time is asked less and less often", async () => {
    const { get, retries } = await rig([httpAnswer(503, "later", { "retry-after": "0" })]);
    expect((await errorOf<HistoryError>(get())).code).toBe("http-503");
    const waits = retries.map(({ waitMs }) => waitMs);
    expect(waits.slice(0, 7)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000]);
    expect(waits.length).toBeLessThan(30);
  });

  test("five times, however often the service was waited for before", async () => {
    const [busy, broken] = [httpAnswer(429, "slow", { "retry-after": "1" }), httpAnswer(502, "")];
    const { get, retries } = await rig([...Array(6).fill(busy), ...Array(4).fill(broken), page]);
    expect(await get()).toBe('[{"a":1}]');
    expect(retries).toHaveLength(10);
  });

  test("a service that limits us makes every request wait", async () => {
    const limited = httpAnswer(429, "slow", { "retry-after": "7" });
    const server = await serveScript([limited, page]);
    const clock = createVirtualClock();
    const answeredAt: number[] = [];
    const ask = async (path: string) => {
      await client.get(path, {}, neverAborted());
      answeredAt.push(clock.now());
    };
    let second: Promise<void> | undefined;
    const client = new RestClient({
      baseUrl: server.baseUrl,
      clock,
      random: () => 1,
      onRetry: ({ waitMs }) => {
        second = ask("/b");
        setImmediate(() => clock.advance(waitMs));
      },
    });
    onTestFinished(() => client.close());
    await ask("/a");
    await second;
    expect(answeredAt).toEqual([7000, 7000]);
    expect(client.retries).toBe(1);
  });
});

describe("what cannot pass is an error at once", () => {
  test.each<[name: string, answer: ScriptedAnswer, code: string, message: string]>([
    ["400", httpAnswer(400, "bad limit\nmore"), "http-400", "answers 400: bad limit"],
    ["401", httpAnswer(401, ""), "http-401", "answers 401"],
    ["404", httpAnswer(404, '{"error":"none"}'), "http-404", 'answers 404: {"error":"none"}'],
    [
      "301",
      httpAnswer(301, "", { location: "https://other/x" }),
      "redirect",
      "redirects to https://other/x (301)",
    ],
    [
      "a web page with status 200",
      httpAnswer(200, "<html>", { "content-type": "text/html" }),
      "not-json",
      "answers a web page",
    ],
    [
      "a web page that says it is JSON",
      httpAnswer(200, "\n<!doctype html>"),
      "not-json",
      "answers a web page",
    ],
    ["an object", httpAnswer(200, '{"error":"x"}'), "not-json", "answers no list of records"],
    [
      "an unknown encoding",
      httpAnswer(200, "[]", { "content-encoding": "zstd" }),
      "bad-encoding",
      "encoded as zstd",
    ],
    [
      "a text that is packed five times",
      httpAnswer(200, "[]", { "content-encoding": "gzip, gzip, gzip, gzip, gzip" }),
      "bad-encoding",
      "encoded as gzip, gzip",
    ],
    [
      "text that is no UTF-8",
      httpAnswer(200, Buffer.from('["\xff"]', "latin1")),
      "bad-encoding",
      "not UTF-8",
    ],
  ])("%s", async (_, answer, code, message) => {
    const { get, retries } = await rig([answer]);
    const error = await errorOf<HistoryError>(get());
    expect(error).toBeInstanceOf(HistoryError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(retries).toEqual([]);
  });

  test("a small answer that unpacks to more than 8 MiB", async () => {
    const bomb = gzipSync(Buffer.alloc(9 * 1024 * 1024, " "));
    const { get } = await rig([httpAnswer(200, bomb, { "content-encoding": "gzip" })]);
    expect(await errorOf<HistoryError>(get())).toMatchObject({
      code: "too-large",
      message: "the answer is larger than 8 MiB",
    });
  });

  test("a body that goes on for ever", async () => {
    const endless = Buffer.alloc(65 * 1024 * 1024, "x");
    const { get } = await rig([httpAnswer(200, endless)]);
    expect(await errorOf<HistoryError>(get())).toMatchObject({ code: "too-large" });
  });
});

test("an answer that a proxy has compressed is read", async () => {
  const { get } = await rig([httpAnswer(200, gzipSync('["ok"]'), { "content-encoding": "gzip" })]);
  expect(await get()).toBe('["ok"]');
});

test("no header that we sent is in an error, nor in what it was caused by", async () => {
  const { get } = await rig([httpAnswer(401, "no")], { authorization: "Bearer secret" });
  const error = await errorOf<HistoryError>(get());
  const all = [
    error.message,
    error.advice,
    error.stack,
    String(error.cause),
    JSON.stringify(error),
  ];
  expect(all.join()).not.toContain("secret");
});

test.each([200, 203, 206])(
  "what a page of status %i holds is data, though a header holds it, too",
  async (status) => {
    const { get } = await rig([httpAnswer(status, '[{"market_type":"perp"}]')], {
      "x-tier": "perp",
    });
    expect(await get()).toBe('[{"market_type":"perp"}]');
  },
);

test("a single question tells any status as it is", async () => {
  const { client } = await rig([httpAnswer(418, "teapot", { "content-type": "text/plain; x=y" })]);
  expect(await client.ask("/health", {}, neverAborted())).toMatchObject({
    status: 418,
    contentType: "text/plain",
    body: { text: "teapot", bytes: Buffer.from("teapot") },
  });
});
