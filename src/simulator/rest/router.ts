// REST over HTTP: finds the listing that a request asks for and sends its page, or says in JSON why not.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RestRefusal } from "../faults/fault.ts";
import { ENDPOINTS, type ListingContext } from "./listings.ts";
import { RequestError } from "./request-error.ts";

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

/** What a request gets. */
interface Answer {
  readonly status: number;
  readonly value: object;
  readonly headers?: Headers;
}

/** @param refusal what a fault answers in place of the listing, by path without the prefix */
export function createRouter(
  context: ListingContext,
  refusal: (path: string) => RestRefusal | undefined,
): HandleRequest {
  return (request, response) => {
    const { status, value, headers = {} } = answer(context, refusal, request);
    const body = JSON.stringify(value);
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  };
}

function answer(
  context: ListingContext,
  refusal: (path: string) => RestRefusal | undefined,
  request: IncomingMessage,
): Answer {
  const { rest_prefix } = context.readings;
  const { pathname, searchParams } = targetOf(request);
  const path = pathname.startsWith(rest_prefix) ? pathname.slice(rest_prefix.length) : "";
  const endpoint = ENDPOINTS.find((each) => each.path.test(path));
  if (endpoint === undefined) return refuse(404, "unknown path");
  if (request.method !== "GET") return refuse(405, "only GET", { allow: "GET" });
  const refused = refusal(path);
  if (refused !== undefined) return refuse(refused.status, refused.message, refused.headers);
  try {
    const parts = endpoint.path.exec(path)?.slice(1) ?? [];
    return { status: 200, value: endpoint.page(context, parts, searchParams) };
  } catch (error) {
    if (error instanceof RequestError) return refuse(error.status, error.message);
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
