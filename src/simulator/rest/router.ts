// REST over HTTP: finds the requested listing and sends its page or an error as JSON, unless a fault replaces the response.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, every } from "../../units/clock.ts";
import { SECOND_MS } from "../../units/time.ts";
import type { FindHttpFault, HttpFault } from "../faults/fault.ts";
import type { FeedContext } from "../feeds/feed.ts";
import { ENDPOINTS, RequestError } from "./listings.ts";

/** Responds to a request, or not, because of a fault. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly value: object;
  readonly headers?: Headers;
}

/** @param findFault the fault that strikes a response, by path without the prefix */
export function createRouter(
  context: FeedContext,
  findFault: FindHttpFault,
  clock: Clock,
): HandleRequest {
  const { rest_prefix } = context.interpretations;
  return ({ url = "", method }, response) => {
    const base = "http://127.0.0.1";
    // An invalid URL is treated as an unknown path.
    const { pathname, searchParams } = new URL(URL.canParse(url, base) ? url : "/unreadable", base);
    const path = pathname.startsWith(rest_prefix) ? pathname.slice(rest_prefix.length) : "";
    const endpoint = ENDPOINTS.find((each) => each.path.test(path));
    const reply = (result: Answer, fault?: HttpFault) => deliver(response, result, fault, clock);
    if (endpoint === undefined) reply(refuse(404, "unknown path"));
    else if (method !== "GET") reply(refuse(405, "only GET", { allow: "GET" }));
    else {
      const parts = endpoint.path.exec(path)?.slice(1) ?? [];
      const result = createAnswer(() => endpoint.page(context, parts, searchParams));
      reply(result, findFault(path));
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

/** Sends the response, modified by the fault. */
function deliver(
  response: ServerResponse,
  result: Answer,
  fault: HttpFault | undefined,
  clock: Clock,
): void {
  if (fault?.type === "hang") return;
  const { status, value, headers } = fault?.type === "refuse" ? refusalBy(fault) : result;
  const isHtml = fault?.type === "html";
  const body = Buffer.from(isHtml ? HTML : JSON.stringify(value));
  response.writeHead(isHtml ? 200 : status, {
    "content-type": isHtml ? "text/html; charset=utf-8" : "application/json",
    "content-length": body.length,
    ...headers,
  });
  if (fault?.type === "slow") drip(response, body, fault.bytesPerSecond, clock);
  else if (fault?.type === "cut") {
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  } else response.end(body);
}

function refusalBy({ status, retryAfter }: Extract<HttpFault, { type: "refuse" }>): Answer {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return refuse(status, "the simulator's REST fault", headers);
}

const SLOW_PERIOD_MS = 100;

function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number, clock: Clock): void {
  const bytesPerTick = (bytesPerSecond * SLOW_PERIOD_MS) / SECOND_MS;
  let due = 0;
  let sent = 0;
  const stop = every(clock, SLOW_PERIOD_MS, () => {
    due = Math.min(body.length, due + bytesPerTick);
    const end = Math.floor(due);
    if (end > sent) response.write(body.subarray(sent, end));
    sent = end;
    if (sent < body.length) return;
    stop();
    response.end();
  });
  response.on("close", stop);
}
