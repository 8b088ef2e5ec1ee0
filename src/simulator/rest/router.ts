// REST over HTTP: finds the listing that a request asks for and sends its page, or says in JSON why not.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, every } from "../../units/clock.ts";
import type { RestTrouble } from "../faults/fault.ts";
import { ENDPOINTS, type ListingContext, RequestError } from "./listings.ts";

/** Answers one request, or lets it hang where a fault says so. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

/** @param troubleOf what a fault makes of an answer, by path without the prefix. */
export function createRouter(
  context: ListingContext,
  troubleOf: (path: string) => RestTrouble | undefined,
  clock: Clock,
): HandleRequest {
  return (request, response) => {
    const { pathname, searchParams } = targetOf(request);
    const { rest_prefix } = context.readings;
    const path = pathname.startsWith(rest_prefix) ? pathname.slice(rest_prefix.length) : "";
    const { isKnown, ...answer } = answerTo(context, path, searchParams, request.method);
    const trouble = isKnown ? troubleOf(path) : undefined;
    if (trouble?.type !== "error") {
      deliver(response, answer, trouble, clock);
      return;
    }
    const { status, message, headers } = trouble;
    deliver(response, refuse(status, message, headers), undefined, clock);
  };
}

function answerTo(
  context: ListingContext,
  path: string,
  searchParams: URLSearchParams,
  method: string | undefined,
): Answer & { readonly isKnown: boolean } {
  const endpoint = ENDPOINTS.find((each) => each.path.test(path));
  if (endpoint === undefined) return { ...refuse(404, "unknown path"), isKnown: false };
  if (method !== "GET") return { ...refuse(405, "only GET", { allow: "GET" }), isKnown: false };
  try {
    const parts = endpoint.path.exec(path)?.slice(1) ?? [];
    return { status: 200, value: endpoint.page(context, parts, searchParams), isKnown: true };
  } catch (error) {
    if (error instanceof RequestError)
      return { ...refuse(error.status, error.message), isKnown: true };
    throw error;
  }
}

function refuse(status: number, message: string, headers: Headers = {}): Answer {
  return { status, value: { error: { status, message } }, headers };
}

/** A target that is no URL is a path that nobody knows. */
function targetOf({ url = "" }: IncomingMessage): URL {
  const base = "http://127.0.0.1";
  return URL.canParse(url, base) ? new URL(url, base) : new URL("/unreadable", base);
}

/** What a request gets. */
export interface Answer {
  readonly status: number;
  readonly value: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const HTML = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>";
const SLOW_PERIOD_MS = 100;
const MS_PER_S = 1000;

/** Sends the answer, turned into what the trouble makes of it. */
function deliver(
  response: ServerResponse,
  answer: Answer,
  trouble: RestTrouble | undefined,
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
      head(response, answer.status, body.length, "application/json");
      response.write(body.subarray(0, body.length >> 1), () => response.destroy());
      return;
    case "slow":
      head(response, answer.status, body.length, "application/json");
      drip(response, body, trouble.bytesPerSecond, clock);
      return;
    default:
      head(response, answer.status, body.length, "application/json", answer.headers);
      response.end(body);
  }
}

function head(
  response: ServerResponse,
  status: number,
  length: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
}

function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number, clock: Clock): void {
  const share = (bytesPerSecond * SLOW_PERIOD_MS) / MS_PER_S;
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
