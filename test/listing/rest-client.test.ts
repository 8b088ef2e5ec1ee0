// Requests to the listings on real sockets, on a clock that waits for nobody: what is asked for again and when, and what is said.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createNetServer, type Server } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RequestBudget } from "../../src/listing/request-budget.ts";
import {
  type Answer,
  RestClient,
  type RestOptions,
  refusal,
} from "../../src/listing/rest-client.ts";
import type { Clock } from "../../src/units/clock.ts";
import { listen } from "../support/listen.ts";

/** Whoever waits on it has waited at once. */
function hurry() {
  const waits: number[] = [];
  let nowMs = 5000;
  const after = (ms: number, callback: () => void) => {
    waits.push(ms);
    const timer = setImmediate(() => {
      nowMs += ms;
      callback();
    });
    return () => clearImmediate(timer);
  };
  const soon = (callback: () => void) => after(0, callback);
  const clock: Clock = { now: () => nowMs, wall: () => nowMs, after, soon, next: soon };
  return { clock, waits };
}

async function serve<S extends Server>(server: S & { closeAllConnections?(): void }) {
  const port = await listen(server as never);
  onTestFinished(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return port;
}

async function open(answer: RequestListener, options: Partial<RestOptions> = {}) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  const baseUrl = `http://127.0.0.1:${await serve(server)}`;
  const { clock, waits } = hurry();
  const headers = {};
  const client = new RestClient({ baseUrl, headers, clock, random: () => 0, ...options });
  onTestFinished(() => client.close());
  const abort = new AbortController();
  const get = (query = {}) => client.get("/x", query, abort.signal);
  const ask = (query = {}) => client.ask("/x", query, abort.signal);
  return { asked, server, baseUrl, client, clock, waits, abort, get, ask };
}

type Reply = readonly [status: number, body?: string | Buffer, headers?: Record<string, string>];

/** One reply a request, the last one for all that follow. */
const replies = (...list: readonly Reply[]): RequestListener => {
  let at = 0;
  return (_, response) => {
    const [status, body = "[]", headers = {}] = list[Math.min(at++, list.length - 1)] as Reply;
    response.writeHead(status, headers).end(body);
  };
};

const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  const { code, message, advice } = error as Record<string, string>;
  return { code, message, advice };
};

describe("what may be another answer next time is asked for again", () => {
  const retryIn = (seconds: string): Reply => [429, "", { "retry-after": seconds }];
  test.each<[what: string, replies: readonly Reply[], waits: readonly number[]]>([
    ["a list", [[200, " [1] \n"]], []],
    ["408", [[408], [200]], [1000]],
    ["425", [[425], [200]], [1000]],
    ["500, twice", [[500], [500], [200]], [1000, 2000]],
    ["599", [[599], [200]], [1000]],
    ["another text than a list", [[200, "busy"], [200]], [1000]],
    ["half a list", [[200, '[{"a":1}'], [200]], [1000]],
    ["the end of a list", [[200, '{"a":1}]'], [200]], [1000]],
    ["429 and its seconds", [retryIn("3"), [200]], [3000]],
    ["503 and its seconds", [[503, "", { "retry-after": "7" }], [200]], [7000]],
    ["429 and a time that nobody waits for", [retryIn("86400"), [200]], [300_000]],
    ["429 and no seconds", [retryIn("0"), [200]], [1000]],
    ["429 and a date", [retryIn("Wed, 21 Oct 2026 07:28:00 GMT"), [200]], [1000]],
    ["nothing but 429", [[429]], [1000, 2000, 4000, 8000]],
    ["nothing but 500", [[500]], [1000, 2000, 4000, 8000]],
  ])("%s", async (_, list, waits) => {
    const client = await open(replies(...list));
    const isGood = list.at(-1)?.[0] === 200;
    await (isGood ? client.get() : expect(client.get()).rejects.toThrow(`answers ${list[0]?.[0]}`));
    expect(client.waits).toEqual(waits);
    expect(client.asked).toHaveLength(waits.length + 1);
  });

  test("a connection that is lost", async () => {
    let isLost = false;
    const client = await open((request, response) => {
      if (isLost) response.end("[]");
      else request.socket.destroy();
      isLost = true;
    });
    expect(await client.get()).toMatchObject({ status: 200, text: "[]" });
    expect(client.waits).toEqual([1000]);
  });

  test("after waits that differ, of which is told", async () => {
    const onRetry = vi.fn();
    const { get, client } = await open(replies([500, "no\nmore"], [200]), {
      onRetry,
      random: () => 1,
    });
    await Promise.all([get(), get({ limit: 2 })]);
    expect(client.retries).toBe(1);
    const reason = expect.stringMatching(/answers 500: no$/);
    expect(onRetry.mock.calls).toEqual([[{ count: 1, reason, waitMs: 2000 }]]);
  });
});

test.each<[status: number, body: string]>([
  [204, ""],
  [302, "elsewhere"],
  [400, "{}"],
  [404, "none"],
  [499, ""],
])("%i is the answer, at once", async (status, body) => {
  const { get, waits, baseUrl } = await open(replies([status, body]));
  expect(await get({ limit: 5 })).toMatchObject({
    status,
    text: body,
    url: `${baseUrl}/x?limit=5`,
  });
  expect(waits).toEqual([]);
});

test("a list of other bytes than text is refused at once", async () => {
  const { get, asked } = await open(replies([200, Buffer.from('["\u00fc"]', "latin1")]));
  expect(await failure(get())).toMatchObject({ code: "bad-encoding" });
  expect(asked).toHaveLength(1);
});

describe("a service that wants to be left alone", () => {
  test("is asked one thing after the other from then on, and by nobody before its time", async () => {
    const open429 = new Set<ServerResponse>();
    const times: number[] = [];
    let [busy, most, isTold] = [0, 0, false];
    const { get, clock, client } = await open((_, response) => {
      times.push(clock.now());
      if (!isTold) {
        open429.add(response);
        if (open429.size < 4) return;
        isTold = true;
        for (const each of open429) each.writeHead(429, { "retry-after": "60" }).end();
        return;
      }
      busy++;
      most = Math.max(most, busy);
      setImmediate(() => {
        busy--;
        response.end("[]");
      });
    });
    const startMs = clock.now();
    await Promise.all(["a", "b", "c", "d"].map((name) => get({ name })));
    expect(client.retries).toBe(4);
    expect(times.slice(0, 4)).toEqual([startMs, startMs, startMs, startMs]);
    expect(times).toHaveLength(8);
    expect(Math.min(...times.slice(4))).toBeGreaterThanOrEqual(startMs + 60_000);
    expect(most).toBe(1);
  });

  test.each<[status: number, waits: readonly number[]]>([
    [429, [60_000, 60_000]],
    [503, [60_000, 60_000]],
    [500, [60_000]],
  ])("keeps others waiting, too, who ask meanwhile: %i", async (status, waits) => {
    const others: Promise<unknown>[] = [];
    const onRetry = () => void others.push(started.get());
    const busy: Reply = [status, "", { "retry-after": "60" }];
    const started = await open(replies(busy, [200]), { onRetry });
    await started.get();
    await Promise.all(others);
    expect(started.waits).toEqual(waits);
  });

  test("is asked by others although one request comes to nothing", async () => {
    let count = 0;
    const { get, clock } = await open((request, response) => {
      if (++count === 1) response.writeHead(503, { "retry-after": "30" }).end();
      else response.writeHead(request.url?.includes("bad") ? 500 : 200).end("[]");
    });
    const startMs = clock.now();
    await get();
    expect(clock.now()).toBeGreaterThanOrEqual(startMs + 30_000);
    const [bad, good] = await Promise.allSettled([get({ bad: 1 }), get({ good: 1 })]);
    expect([bad?.status, good?.status]).toEqual(["rejected", "fulfilled"]);
  });
});

test("requests in the background are so many at first, and then so many a second", async () => {
  const { clock, waits } = hurry();
  const { get } = await open(replies([200]), { clock, budget: new RequestBudget(clock, 2) });
  for (let i = 0; i < 10; i++) await get();
  expect(waits).toEqual([500, 500, 500]);
});

describe("a request", () => {
  test("has the prefix of the address, and what was given, in order", async () => {
    const { client, asked, baseUrl, abort } = await open(replies([200]));
    const prefixed = new RestClient({
      ...{ baseUrl: `${baseUrl}/v1/a//`, headers: {}, random: () => 0, clock: hurry().clock },
    });
    onTestFinished(() => prefixed.close());
    const query = { limit: 5, before: undefined, name: "a b&c", index: 9223372036854775807n };
    const { url } = await prefixed.ask("/x", query, abort.signal);
    await client.ask("/x", { limit: 1 }, abort.signal);
    expect(asked.map((each) => each.url)).toEqual([
      "/v1/a/x?limit=5&name=a%20b%26c&index=9223372036854775807",
      "/x?limit=1",
    ]);
    expect(url).toBe(`${baseUrl}${asked[0]?.url}`);
  });

  test("says who asks and what for, unless the user says otherwise", async () => {
    const plain = await open(replies([200]));
    await plain.ask();
    expect(plain.asked[0]?.headers).toMatchObject({ accept: "application/json" });
    expect(plain.asked[0]?.headers["user-agent"]).toMatch(/^monitor\/[0-9]/);
    const own = await open(replies([200]), { headers: { "User-Agent": "me", "X-Key": "k" } });
    await own.ask();
    expect(own.asked[0]?.headers).toMatchObject({ "user-agent": "me", "x-key": "k" });
    expect(own.asked[0]?.rawHeaders.join(" ")).not.toContain("monitor/");
  });

  test("shows nothing of its secrets in what comes back", async () => {
    const headers = { authorization: "Bearer abcdefgh12345678" };
    const { ask } = await open(
      (request, response) => void response.end(`[${request.headers.authorization}]`),
      { headers },
    );
    expect((await ask()).text).toBe("[[hidden]]");
  });

  test("is one of ten at the same time", async () => {
    let connections = 0;
    const waiting: ServerResponse[] = [];
    const { ask, server } = await open((_, response) => void waiting.push(response));
    server.on("connection", () => connections++);
    const all = Array.from({ length: 25 }, () => ask());
    await vi.waitFor(() => expect(waiting).toHaveLength(10));
    expect(connections).toBe(10);
    server.on("request", (_, response) => void response.end("[]"));
    for (const response of waiting) response.end("[]");
    const timer = setInterval(() => {
      for (const response of waiting.splice(0)) if (!response.writableEnded) response.end("[]");
    }, 1);
    await Promise.all(all);
    clearInterval(timer);
  });

  test("of an answer without end is given up", async () => {
    const chunk = Buffer.alloc(1 << 20, 32);
    const { ask } = await open((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    expect(await failure(ask())).toMatchObject({ code: "unreachable" });
  });
});

describe("who is not wanted any more", () => {
  const reason = new Error("enough");

  test.each<[when: string, answer: RequestListener]>([
    ["while an answer is awaited", () => {}],
    ["while an answer is read", (_, response) => void response.write("[")],
  ])("asks nothing more %s", async (_, answer) => {
    const started = await open(answer);
    const asked = started.get();
    await vi.waitFor(() => expect(started.asked.length).toBeGreaterThan(0));
    started.abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
    const { length } = started.asked;
    await expect(started.get()).rejects.toBe(reason);
    expect(started.asked).toHaveLength(length);
  });

  test("does not try again", async () => {
    const onRetry = () => started.abort.abort(reason);
    const started = await open(replies([500]), { onRetry });
    await expect(started.get()).rejects.toBe(reason);
    expect(started.asked).toHaveLength(1);
  });

  test.each(["", "s"])("is not held by a connection that does not come, http%s", async (secure) => {
    const sockets = new Set<object>();
    const deaf = createNetServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("error", () => {});
      socket.resume();
    });
    vi.stubEnv(`http${secure}_proxy`, `http://127.0.0.1:${await serve(deaf)}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const baseUrl = `http${secure}://exchange.invalid`;
    const { client, ask, abort } = await open(() => {}, { baseUrl });
    const asked = ask();
    await vi.waitFor(() => expect(sockets.size).toBe(1));
    abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
    await client.close();
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });
});

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgornKcWHr2kYHss3q
NAUpzKxP/caA7zs0q5JCSH2m8SShRANCAARGnnQGhI4vYPiwGuESD/fTLQ7enFHF
A6rWM/jCE7tvVn3o3NPDkR1aHjthSNz18EGw9q+gaqRbTCOwK+/0hEoE
-----END PRIVATE KEY-----`;
/** Of 127.0.0.1, by nobody else. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUNHF5OceJmbjfsXEfU1dOlBTgYWYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODIxMzM1MVoYDzIxMjYxMTA0
MjEzMzUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARGnnQGhI4vYPiwGuESD/fTLQ7enFHFA6rWM/jCE7tvVn3o3NPDkR1a
HjthSNz18EGw9q+gaqRbTCOwK+/0hEoEo2QwYjAdBgNVHQ4EFgQUQJ8ga1dHPMLd
pmptfTwOjfuS6e8wHwYDVR0jBBgwFoAUQJ8ga1dHPMLdpmptfTwOjfuS6e8wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQD603DQYqkQUW6shrm7hmsPUkvDihpDYFo0CoRuMIv0awIgZXRqrTTGWxFjYfEM
UIrFs310ZtiTqEgrvpqQ7cvRN5A=
-----END CERTIFICATE-----`;

describe("a way that leads nowhere", () => {
  test("is named, with what to do, after five tries", async () => {
    const gone = createServer();
    const closed = await listen(gone);
    gone.close();
    const { get, waits } = await open(() => {}, { baseUrl: `http://127.0.0.1:${closed}` });
    expect(await failure(get())).toEqual({
      code: "unreachable",
      message: `http://127.0.0.1:${closed}: nobody listens at 127.0.0.1:${closed} (ECONNREFUSED)`,
      advice: "check --base-url and the network",
    });
    expect(waits).toHaveLength(4);
  });

  test("to a service that speaks no TLS is not tried again", async () => {
    const { baseUrl } = await open(replies([200]));
    const { get, waits } = await open(() => {}, { baseUrl: baseUrl.replace("http:", "https:") });
    const { code, message, advice } = await failure(get());
    expect([code, waits]).toEqual(["tls", []]);
    expect(message).toMatch(/EPROTO|SSL/);
    expect(advice).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("to a certificate that nobody vouches for is none, whatever the environment says", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    let asked = 0;
    const server = createSecureServer({ key: KEY, cert: CERTIFICATE }, () => asked++);
    const baseUrl = `https://127.0.0.1:${await serve(server)}`;
    const { get, waits } = await open(() => {}, { baseUrl });
    expect((await failure(get())).code).toBe("tls");
    expect([asked, waits]).toEqual([0, []]);
  });

  test.each<[status: number, code: string, tries: number]>([
    [400, "proxy", 1],
    [407, "proxy", 1],
    [499, "proxy", 1],
    [500, "unreachable", 5],
  ])("by a proxy that answers %i is the proxy's", async (status, code, tries) => {
    let asked = 0;
    const proxy = createServer().on("connect", (_, socket) => {
      asked++;
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    });
    const address = `127.0.0.1:${await serve(proxy)}`;
    vi.stubEnv("http_proxy", address);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { get } = await open(() => {}, { baseUrl: "http://exchange.invalid" });
    expect(await failure(get())).toEqual({
      code,
      message: `http://exchange.invalid: the proxy ${address} answered HTTP ${status}`,
      advice: expect.stringContaining("NO_PROXY"),
    });
    expect(asked).toBe(tries);
  });
});

describe("an answer that is no page is said", () => {
  const url = "http://a/x";
  const of = (status: number, text = "", headers: Answer["headers"] = {}) =>
    refusal({ url, status, text, headers });
  test.each<[error: Error, code: string, message: string, advice: string | undefined]>([
    [of(200, " \n<html>\rmore"), "not-json", "no list of records: <html>", "prefix"],
    [of(299), "not-json", "no list of records", "prefix"],
    [of(300, "", { location: "/y" }), "redirect", "300: to /y", "redirects"],
    [of(399, "", { location: "/y" }), "redirect", "399: to /y", "redirects"],
    [of(400, "bad\nworse"), "http-400", "400: bad", undefined],
    [of(401), "http-401", "401", "--header"],
    [of(403), "http-403", "403", "--header"],
    [of(404), "http-404", "404", "prefix"],
    [of(429), "http-429", "429", "how often"],
    [of(503), "http-503", "503", "not available"],
    [of(418, "x".repeat(900)), "http-418", `418: ${"x".repeat(155)}`, undefined],
  ])("%s", (error, code, message, advice) => {
    expect(error).toMatchObject({ code, message: `${url} answers ${message}` });
    expect((error as { advice?: string }).advice ?? "").toContain(advice ?? "");
    expect((error as { advice?: string }).advice === undefined).toBe(advice === undefined);
  });
});
