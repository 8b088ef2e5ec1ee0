// REST over HTTP: finds the requested listing and sends its page or an error as JSON, unless a fault refuses the request.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../faults/fault.ts";
import type { FeedContext } from "../feeds/feed.ts";
import { ENDPOINTS, RequestError } from "./listings.ts";

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** @param refuse a status for a request, by path without the prefix, if a fault strikes it */
export function createRouter(
  context: FeedContext,
  refuse: (path: string) => Refusal | undefined,
): HandleRequest {
  return ({ url = "", method = "" }, response) => {
    try {
      send(response, 200, answer(context, method, url, refuse));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { status, message, headers } = error;
      send(response, status, { error: { status, message } }, headers);
    }
  };
}

/** @throws {RequestError} */
function answer(
  context: FeedContext,
  method: string,
  url: string,
  refuse: (path: string) => Refusal | undefined,
): readonly object[] {
  const { rest_prefix } = context.readings;
  const base = "http://127.0.0.1";
  // An invalid URL is treated as an unknown path.
  const { pathname, searchParams } = new URL(URL.canParse(url, base) ? url : "/unreadable", base);
  const path = pathname.startsWith(rest_prefix) ? pathname.slice(rest_prefix.length) : "";
  const endpoint = ENDPOINTS.find((each) => each.path.test(path));
  if (endpoint === undefined) throw new RequestError(404, "unknown path");
  if (method !== "GET") throw new RequestError(405, "only GET", { allow: "GET" });
  const refusal = refuse(path);
  if (refusal !== undefined) throw refusedBy(refusal);
  return endpoint.page(context, endpoint.path.exec(path)?.slice(1) ?? [], searchParams);
}

function refusedBy({ status, retryAfterS }: Refusal): RequestError {
  const headers = retryAfterS === undefined ? {} : { "retry-after": `${retryAfterS}` };
  return new RequestError(status, "the simulator's REST fault", headers);
}

function send(response: ServerResponse, status: number, value: object, headers: object = {}): void {
  const body = Buffer.from(JSON.stringify(value));
  const type = { "content-type": "application/json", "content-length": body.length };
  response.writeHead(status, { ...type, ...headers });
  response.end(body);
}
