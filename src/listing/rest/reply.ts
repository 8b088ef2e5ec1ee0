// A response of the service, and what to do if it is not a page.
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { HistoryError } from "../../units/monitor-error.ts";

/** With any status. */
export interface Reply {
  /** Secrets removed. */
  readonly url: string;
  readonly status: number;
  /** Lower case, without parameters; empty if missing. */
  readonly contentType: string;
  readonly body: Body;
  /** Milliseconds from sending the request to the end of the body. */
  readonly tookMs: number;
  /** Target of a redirect, which is never followed. */
  readonly location: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** What is wrong with a response, and when to retry. */
export interface Trouble {
  readonly error: HistoryError;
  readonly retry: "soon" | "when-available" | "never";
  readonly waitMs?: number | undefined;
}

/** Maximum characters of a body shown in a message. */
const SHOWN_CHARACTERS = 160;

/** Undefined if it can be a page, whatever its status (4.5 documents none). */
export function checkReply(reply: Reply): Trouble | undefined {
  const { status, retryAfterMs } = reply;
  if (status === NO_CONTENT || (status === 404 && isEmptyList(reply.body))) return undefined;
  if (isSuccess(status)) return checkPage(reply);
  const error = statusError(reply);
  if (status === 429 || status === 503)
    return { error, retry: "when-available", waitMs: retryAfterMs };
  return { error, retry: status >= 500 ? "soon" : "never" };
}

/** HTTP's status for a response without content. */
const NO_CONTENT = 204;

/** By HTTP. Which of these a page has is not shown (4.5). */
function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isEmptyList({ bytes }: Body): boolean {
  return bytes.length < 1024 && /^\s*\[\s*\]\s*$/.test(bytes.toString("latin1"));
}

export function pageBody({ status, body }: Pick<Reply, "status" | "body">): Body {
  return status === NO_CONTENT ? new Body(Buffer.from("[]")) : body;
}

const [LIST_BEGIN, LIST_END] = [0x5b, 0x5d];

function checkPage({ url, contentType, body }: Reply): Trouble | undefined {
  const isWebPage = contentType.includes("html");
  const { bytes } = body;
  if (!isWebPage && bytes[0] === LIST_BEGIN && bytes.at(-1) === LIST_END) return undefined;
  const text = body.text.trim();
  if (isWebPage || text.startsWith("<")) {
    return noListing(`${url} answers a web page instead of a listing`);
  }
  if (text.startsWith("[") && text.endsWith("]")) return undefined;
  if (text === "") {
    const detail = `${url} answers nothing at all: a page without rows is []`;
    return { error: new HistoryError("cut-body", detail), retry: "soon" };
  }
  if (text.startsWith("[")) {
    const error = new HistoryError("cut-body", `the answer of ${url} ends before its end`);
    return { error, retry: "soon" };
  }
  if (text === "null") return noListing(`${url} answers null: a page without rows is []`);
  const type = contentType && `, but ${contentType}`;
  return noListing(`${url} answers no list of records${type}: ${firstLine(text)}`);
}

function noListing(what: string): Trouble {
  const error = new HistoryError("not-json", what, {
    advice: "check --base-url: it must lead to the listings, with the service's prefix",
  });
  return { error, retry: "never" };
}

const ADVICE: Readonly<Record<number, string>> = {
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
  // A web page has nothing useful that fits on a line.
  const line = contentType.includes("html") ? "" : firstLine(body.text);
  const message = `${url} answers ${status}${line && `: ${line}`}`;
  const hint = ADVICE[status] ?? (status >= 500 ? ADVICE[503] : undefined);
  return new HistoryError(`http-${status}`, message, hint === undefined ? {} : { advice: hint });
}

function firstLine(body: string): string {
  const line = body.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}

/** A page of 1000 records is about 600 KB. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** We request no compression: a small body must not decompress into something that exhausts memory. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Complete and decompressed; UTF-8. */
export class Body {
  readonly bytes: Buffer;
  #text: string | undefined;

  /** @throws {HistoryError} `bad-encoding` if the bytes are not UTF-8: replacement characters would falsify data */
  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw new HistoryError("bad-encoding", "the answer is not UTF-8 text");
    this.bytes = bytes;
  }

  /** Decoded on demand. */
  get text(): string {
    // Most pages are ASCII, where copying is faster than decoding.
    this.#text ??= isAscii(this.bytes) ? this.bytes.toString("latin1") : utf8.decode(this.bytes);
    return this.#text;
  }
}

const utf8 = new TextDecoder();

/**
 * @param encoding the Content-Encoding: some proxies compress regardless
 * @throws {HistoryError} `too-large`, `bad-encoding`, `cut-body`
 */
export async function decodeBody(
  chunks: readonly Buffer[],
  encoding: string | undefined,
): Promise<Body> {
  const [first = Buffer.alloc(0), ...more] = chunks;
  const bytes = more.length === 0 ? first : Buffer.concat(chunks);
  const isPlain = encoding === undefined || encoding === "identity";
  return new Body(isPlain ? bytes : await decompress(bytes, encoding));
}

async function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decode === undefined) {
    throw new HistoryError("bad-encoding", `the answer is encoded as ${encoding.slice(0, 40)}`);
  }
  try {
    return await decode(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLarge(MAX_UNPACKED_BYTES);
    }
    throw new HistoryError("cut-body", `the answer is no whole ${encoding} text`, { cause });
  }
}

export function tooLarge(most: number): HistoryError {
  return new HistoryError("too-large", `the answer is larger than ${most >> 20} MiB`, {
    advice: "check --base-url: no page of the interface is that large",
  });
}

/** Retries come after this at the latest, even if the service asks for a longer wait. */
const MAX_WAIT_MS = 300_000;

/**
 * @param retryAfter whole seconds, or an HTTP date
 * @param date the Date header of the same response: our clock may be wrong
 * @param wallMs our wall clock, used if `date` is missing
 * @returns milliseconds from 0 to 300,000; undefined when the header is missing or invalid
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  wallMs: number,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text) * 1000, MAX_WAIT_MS);
  const dueMs = httpDateMs(text);
  if (dueMs === undefined) return undefined;
  return Math.min(Math.max(0, dueMs - (httpDateMs(date) ?? wallMs)), MAX_WAIT_MS);
}

/** Only HTTP dates with names of days and months: `Date.parse` would read "-1" and "2" as years. */
function httpDateMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
