// GET requests to the listings, with limits on everything that could go on for ever, and tried again where that can help.
import { isUtf8 } from "node:buffer";
import { setMaxListeners } from "node:events";
import type { Dispatcher } from "undici";
import {
  connectThrough,
  type HttpProxy,
  PROXY_ADVICE,
  PROXY_ERROR,
  proxyFor,
} from "../system/proxy.ts";
import { VERSION } from "../system/version.ts";
import { backoffDelayMs } from "../units/backoff.ts";
import { type Clock, pause } from "../units/clock.ts";
import { errorText, ServiceError } from "../units/monitor-error.ts";
import type { Random } from "../units/random.ts";
import { createRedact } from "../wire/redact.ts";
import type { RequestBudget } from "./request-budget.ts";

export interface Retry {
  readonly count: number;
  readonly reason: string;
  readonly waitMs: number;
}

export interface RestOptions {
  readonly baseUrl: string;
  /** Sent with each request; their values are removed from what the service answers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is made before it has failed; default 5. */
  readonly tries?: number;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Limits the rate of `get`. */
  readonly budget?: RequestBudget | undefined;
}

export type Query = Readonly<Record<string, string | number | bigint | undefined>>;

/** A whole response, whatever its status (4.5 documents none). */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Dispatcher.ResponseData["headers"];
}

/** Enough for the parallel probes below the end of a listing. */
const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;
const BODY_TIMEOUT_MS = 10_000;
/** A page of 1000 records has about 600 KB. */
const MAX_BYTES = 64 << 20;

const TRIES = 5;
const BACKOFF = { firstMs: 2000, capMs: 16_000 };
const MAX_RETRY_AFTER_MS = 300_000;

/** Why a try brought no list, where another one may help. */
interface Trouble {
  readonly error: ServiceError;
  /** The service asks to be left alone. */
  readonly isBusy: boolean;
  /** As long as the service says. */
  readonly waitMs?: number | undefined;
}

export class RestClient {
  readonly #options: RestOptions;
  readonly #base: URL;
  readonly #proxy: HttpProxy | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();
  readonly #redact: (text: string) => string;
  /** Opened with the first request, because undici is slow to load. */
  #agent: Promise<Dispatcher> | undefined;
  /** Monotonic time until which the service asked us to wait. */
  #blockedUntilMs = 0;
  /** Since it did, one request after the other: requests at the same time are what limits are about. */
  #line: Promise<unknown> | undefined;
  retries = 0;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#proxy = proxyFor(this.#base, process.env);
    const own = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]);
    this.#headers = {
      ...{ accept: "application/json", "user-agent": `monitor/${VERSION}` },
      ...Object.fromEntries(own),
    };
    this.#redact = createRedact(options.headers) ?? ((text) => text);
  }

  /** @throws {ServiceError} without a whole response; the signal's reason when aborted */
  async ask(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    // Many requests may share one signal: from eleven listeners on, Node warns of a leak.
    setMaxListeners(0, signal);
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(`${value}`)}`],
    );
    const whole = `${this.#base.pathname.replace(/\/+$/, "")}${path}?${given.join("&")}`;
    try {
      this.#agent ??= openAgent(this.#base, this.#proxy, this.#closing.signal);
      const asked = (await this.#agent).request({
        origin: this.#base.origin,
        path: whole,
        method: "GET",
        signal,
        headers: this.#headers,
      });
      const { statusCode, headers, body } = await unlessAborted(asked, signal);
      const text = decodeText(Buffer.from(await body.arrayBuffer()));
      const url = `${this.#base.origin}${whole}`;
      return { url, status: statusCode, text: this.#redact(text), headers };
    } catch (error) {
      signal.throwIfAborted();
      throw this.#networkFault(error);
    }
  }

  /**
   * Tries again while the trouble may be temporary.
   * @returns a list, or what the service answers instead with a status that is not 2xx
   * @throws {ServiceError} after the last try; the signal's reason when aborted
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
    const { clock, random, onRetry, tries: most = TRIES } = this.#options;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#inTurn(() => this.#attempt(path, query, signal));
      if (!("error" in outcome)) return outcome;
      const { error, isBusy, waitMs = backoffDelayMs(BACKOFF, tries, random) } = outcome;
      if (tries === most) throw error;
      if (isBusy) {
        this.#blockedUntilMs = Math.max(this.#blockedUntilMs, clock.now() + waitMs);
        this.#line ??= Promise.resolve();
      }
      this.retries++;
      onRetry?.({ count: this.retries, reason: error.message, waitMs });
      await pause(clock, waitMs, signal);
    }
  }

  /** Resolves when requests that were just made are on their way: undici writes in the second turn of the event loop. */
  sent(): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => clock.soon(() => clock.soon(resolve)));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await (await this.#agent)?.destroy().catch(() => {});
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    if (this.#line === undefined) return work();
    const turn = this.#line.then(work);
    this.#line = turn.catch(() => {});
    return turn;
  }

  async #attempt(path: string, query: Query, signal: AbortSignal): Promise<Answer | Trouble> {
    const { clock, budget } = this.#options;
    await budget?.take(signal);
    while (this.#blockedUntilMs > clock.now())
      await pause(clock, this.#blockedUntilMs - clock.now(), signal);
    try {
      const answer = await this.ask(path, query, signal);
      const { status, text } = answer;
      // Limits and pages of maintenance come as a 200, too.
      const isOther = isSuccess(status) && status !== 204 && !isList(text);
      const isTemporary = isOther || status === 408 || status === 425 || status >= 500;
      if (!isTemporary && status !== 429) return answer;
      const isBusy = status === 429 || status === 503;
      return { error: refusal(answer), isBusy, waitMs: retryAfterMs(answer) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unreachable") throw error;
      return { error, isBusy: false };
    }
  }

  #networkFault(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    const { code = "", status = 0 } = error as NodeJS.ErrnoException & { readonly status?: number };
    const reason = errorText(error);
    const isOfProxy = code === PROXY_ERROR;
    const named = isOfProxy || reason.includes(code) ? reason : `${reason} (${code})`;
    const isSecurity = SECURITY.test(code);
    const kind = isSecurity ? "tls" : status >= 400 && status < 500 ? "proxy" : "unreachable";
    const other = isSecurity ? ADVICE_TLS : "check --base-url and the network";
    return new ServiceError(kind, `${this.#base.origin}: ${this.#redact(named)}`, {
      advice: isOfProxy ? PROXY_ADVICE : other,
      cause: error,
    });
  }
}

/** Undici hears the signal only when there is a connection. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const ADVICE_TLS = "check --base-url; a private authority can be named in NODE_EXTRA_CA_CERTS";
/** A certificate that is not valid, or a peer that does not speak TLS: nothing must be sent there, and trying again is no help. */
const SECURITY =
  /^(?:CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/;

async function openAgent(
  base: URL,
  proxy: HttpProxy | undefined,
  signal: AbortSignal,
): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import("undici");
  const connect: ReturnType<typeof buildConnector> = (options, done) => {
    // Node never takes away what listens to the signal of a connection: each has its own.
    const own = new AbortController();
    const stop = () => own.abort();
    signal.addEventListener("abort", stop);
    const made = (...result: Parameters<typeof done>) => {
      signal.removeEventListener("abort", stop);
      done(...result);
    };
    if (proxy !== undefined)
      return connectThrough(proxy, base, own.signal, made as Parameters<typeof connectThrough>[3]);
    // Certificates count, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    const limits = { timeout: CONNECT_TIMEOUT_MS, keepAlive: false, rejectUnauthorized: true };
    buildConnector({ ...limits, signal: own.signal })(options, made);
  };
  return new Agent({
    connect,
    connections: CONNECTIONS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: BODY_TIMEOUT_MS,
    maxResponseSize: MAX_BYTES,
  });
}

/** Seconds; a date is left to the backoff. */
function retryAfterMs({ headers }: Answer): number | undefined {
  const ms = Number(headers["retry-after"]) * 1000;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** @throws {ServiceError} for a list of other bytes: replaced characters would be other data */
function decodeText(bytes: Buffer): string {
  const text = bytes.toString().replace(/^\ufeff/, "");
  if (isUtf8(bytes) || !isList(text)) return text;
  throw new ServiceError("bad-encoding", "the answer is not UTF-8 text");
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isList(text: string): boolean {
  return /^\s*\[/.test(text) && /\]\s*$/.test(text.slice(-100));
}

const ADVICE: Readonly<Record<number, string>> = {
  200: "check --base-url: it must lead to the listings, with the service's prefix",
  300: "redirects are not followed: give the right address as --base-url",
  401: "this service wants to know who asks: see --header",
  403: "this service does not let us in: see --header",
  404: "check the market or the account, and the prefix in --base-url (such as /v1)",
  429: "the service limits how often we may ask; try again later",
  500: "the service says that it is not available; try again later",
};

/** Characters of a body that stand in a message. */
const SHOWN_CHARACTERS = 160;

/** What an answer says that is no page. */
export function refusal({ url, status, text, headers }: Answer): ServiceError {
  const isRedirect = status >= 300 && status < 400;
  const isPage = isSuccess(status);
  const line = isRedirect ? `to ${headers.location}` : (text.trim().split(/[\r\n]/, 1)[0] ?? "");
  const what = `${isPage ? "no list of records" : status}${line && `: ${line}`}`;
  const code = isRedirect ? "redirect" : isPage ? "not-json" : `http-${status}`;
  const advice = ADVICE[status] ?? ADVICE[Math.floor(status / 100) * 100];
  return new ServiceError(
    code,
    `${url} answers ${what.slice(0, SHOWN_CHARACTERS)}`,
    advice === undefined ? {} : { advice },
  );
}
