// REST over HTTP: finds the listing that a request asks for and sends its page, or says in JSON why not.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../units/clock.ts";
import type { RestTrouble } from "../faults/fault.ts";
import { type Answer, deliver } from "./delivery.ts";
import { ENDPOINTS, type ListingContext } from "./listings.ts";
import { RequestError } from "./request-error.ts";

/** Answers one request, or lets it hang where a fault says so. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

/** @param troubleOf what a fault makes of an answer, by path without the prefix. Never throws. */
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
