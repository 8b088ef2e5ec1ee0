// How an answer reaches whoever asked: whole, or as a fault has it.
import type { ServerResponse } from "node:http";
import { type Clock, every } from "../../units/clock.ts";
import type { RestTrouble } from "../faults/fault.ts";

/** What a request gets. */
export interface Answer {
  readonly status: number;
  readonly value: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const HTML = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>";
const SLOW_PERIOD_MS = 100;
const MS_PER_S = 1000;

/** Sends the answer, turned into what the trouble makes of it. Never throws. */
export function deliver(
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
