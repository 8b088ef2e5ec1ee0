// REST over HTTP: finds the listing that a request asks for and sends its page, or says in JSON why not; whole, or as
// a fault has it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, every } from "../../units/clock.ts";
import { SECOND_MS } from "../../units/time.ts";
import type { Trouble, TroubleOf } from "../faults/fault.ts";
import type { FeedContext } from "../feeds/feed.ts";
import { ENDPOINTS, RequestError } from "./listings.ts";

/** Answers one request, or lets it hang where a fault says so. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly value: object;
  readonly headers?: Headers;
}

/** @param troubleOf what a fault makes of an answer, by path without the prefix */
export function createRouter(
  context: FeedContext,
  troubleOf: TroubleOf,
  clock: Clock,
): HandleRequest {
  const { rest_prefix } = context.interpretations;
  return ({ url = "", method }, response) => {
    const base = "http://127.0.0.1";
    // A target that is no URL is a path that nobody knows.
    const { pathname, searchParams } = new URL(URL.canParse(url, base) ? url : "/unreadable", base);
    const path = pathname.startsWith(rest_prefix) ? pathname.slice(rest_prefix.length) : "";
    const endpoint = ENDPOINTS.find((each) => each.path.test(path));
    if (endpoint === undefined) {
      send(response, refuse(404, "unknown path"));
    } else if (method !== "GET") {
      send(response, refuse(405, "only GET", { allow: "GET" }));
    } else {
      const parts = endpoint.path.exec(path)?.slice(1) ?? [];
      const answer = createAnswer(() => endpoint.page(context, parts, searchParams));
      deliver(response, answer, troubleOf(path), clock);
    }
  };
}

function createAnswer(page: () => readonly object[]): Answer {
  try {
    return { status: 200, value: page() };
  } catch (error) {
    if (error instanceof RequestError) return refuse(error.status, error.message);
    throw error;
  }
}

function refuse(status: number, message: string, headers: Headers = {}): Answer {
  return { status, value: { error: { status, message } }, headers };
}

const HTML = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>";
const JSON_TYPE = "application/json";

/** Sends the answer, turned into what the trouble makes of it. */
function deliver(
  response: ServerResponse,
  answer: Answer,
  trouble: Trouble | undefined,
  clock: Clock,
): void {
  const body = Buffer.from(JSON.stringify(answer.value));
  switch (trouble?.type) {
    case "hang":
      return;
    case "html":
      head(response, 200, HTML.length, "text/html; charset=utf-8");
      response.end(HTML);
      return;
    case "cut":
      head(response, answer.status, body.length, JSON_TYPE);
      response.write(body.subarray(0, body.length >> 1), () => response.destroy());
      return;
    case "slow":
      head(response, answer.status, body.length, JSON_TYPE);
      drip(response, body, trouble.bytesPerSecond, clock);
      return;
    case "refuse": {
      const { status, retryAfter } = trouble;
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      send(response, refuse(status, "the simulator's REST fault", headers));
      return;
    }
    default:
      send(response, answer);
  }
}

function send(response: ServerResponse, { status, value, headers }: Answer): void {
  const body = Buffer.from(JSON.stringify(value));
  head(response, status, body.length, JSON_TYPE, headers);
  response.end(body);
}

function head(
  response: ServerResponse,
  status: number,
  length: number,
  type: string,
  headers: Headers = {},
): void {
  response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
}

const SLOW_PERIOD_MS = 100;

function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number, clock: Clock): void {
  const share = (bytesPerSecond * SLOW_PERIOD_MS) / SECOND_MS;
  let due = 0;
  let sent = 0;
  const stop = every(clock, SLOW_PERIOD_MS, () => {
    due = Math.min(body.length, due + share);
    const end = Math.floor(due);
    if (end > sent) response.write(body.subarray(sent, end));
    sent = end;
    if (sent < body.length) return;
    stop();
    response.end();
  });
  response.on("close", stop);
}
