// One answer of the service, and what is to be done when it is no page. Reading: docs/adr/0010.
import { HistoryError } from "../../units/monitor-error.ts";
import type { Body } from "./body.ts";

/** An answer of any status. Headers that we sent are no part of it. */
export interface Reply {
  /** Address of the request, without what a secret could stand in. */
  readonly url: string;
  readonly status: number;
  /** Lower case, without parameters; empty text when there was none. */
  readonly contentType: string;
  readonly body: Body;
  /** Milliseconds from the request to the end of the body. */
  readonly tookMs: number;
  /** Where a redirect leads; it is never followed. */
  readonly location: string | undefined;
  /** Milliseconds that the service asks us to wait. */
  readonly retryAfterMs: number | undefined;
}

/**
 * What is wrong with an answer, and what can help: `again` a few times, `wait` for as long as the service
 * needs, nothing (`final`).
 */
export interface Trouble {
  readonly error: HistoryError;
  readonly remedy: "again" | "wait" | "final";
  readonly waitMs?: number | undefined;
}

/** Most of a body that a message repeats. */
const SHOWN_CHARACTERS = 160;

/** What is wrong with an answer; undefined when it can be a page. Never throws. */
export function troubleOf(reply: Reply): Trouble | undefined {
  const { status, retryAfterMs } = reply;
  if (status === 200) return troubleOfPage(reply);
  const error = statusError(reply);
  if (status === 429 || status === 503) return { error, remedy: "wait", waitMs: retryAfterMs };
  return { error, remedy: status >= 500 ? "again" : "final" };
}

const [LIST_BEGIN, LIST_END] = [0x5b, 0x5d];

function troubleOfPage({ url, contentType, body }: Reply): Trouble | undefined {
  const isWebPage = contentType.includes("html");
  const { bytes } = body;
  if (!isWebPage && bytes[0] === LIST_BEGIN && bytes.at(-1) === LIST_END) return undefined;
  const text = body.text.trim();
  if (isWebPage || text.startsWith("<")) {
    const error = new HistoryError("not-json", `${url} answers a web page instead of a listing`, {
      advice: "check --base-url: it must lead to the listings, with the service's prefix",
    });
    return { error, remedy: "final" };
  }
  if (text.startsWith("[") && text.endsWith("]")) return undefined;
  if (text.startsWith("[") || text === "") {
    const error = new HistoryError("cut-body", `the answer of ${url} ends before its end`);
    return { error, remedy: "again" };
  }
  const error = new HistoryError(
    "not-json",
    `${url} answers no list of records${contentType && `, but ${contentType}`}: ${firstLine(text)}`,
    { advice: "check --base-url: it must lead to the listings, with the service's prefix" },
  );
  return { error, remedy: "final" };
}

const advice: Readonly<Record<number, string>> = {
  400: "the service refuses the request; monitor doctor says what it takes",
  401: "this service wants to know who asks: see --header",
  403: "this service does not let us in: see --header",
  404: "check the market or the account, and the prefix in --base-url (such as /v1)",
  429: "the service limits how often we may ask; try again later",
  503: "the service says that it is not available; try again later",
};

function statusError(reply: Reply): HistoryError {
  const { url, status, location, body, contentType } = reply;
  if (status >= 300 && status < 400) {
    const target =
      location === undefined ? "elsewhere" : `to ${location.slice(0, SHOWN_CHARACTERS)}`;
    return new HistoryError("redirect", `${url} redirects ${target} (${status})`, {
      advice: "redirects are not followed: give the right address as --base-url",
    });
  }
  // A page for people says nothing that fits on a line.
  const line = contentType.includes("html") ? "" : firstLine(body.text);
  const message = `${url} answers ${status}${line && `: ${line}`}`;
  const hint = advice[status] ?? (status >= 500 ? advice[503] : undefined);
  return new HistoryError(`http-${status}`, message, hint === undefined ? {} : { advice: hint });
}

function firstLine(body: string): string {
  const line = body.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
