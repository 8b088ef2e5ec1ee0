// GET requests to one origin, with limits on everything that could go on for ever, and retries where they can help.
import { setMaxListeners } from "node:events";
import { Socket } from "node:net";
import type { buildConnector, Dispatcher, Pool } from "undici";
import { backoffDelayMs, requestBackoff } from "../../units/backoff.ts";
import { type Clock, pause } from "../../units/clock.ts";
import { HistoryError } from "../../units/monitor-error.ts";
import type { Random } from "../../units/random.ts";
import { createRedact } from "../../wire/redact.ts";
import {
  Body,
  checkReply,
  decodeBody,
  MAX_BODY_BYTES,
  pageBody,
  parseRetryAfter,
  type Reply,
  type Trouble,
  tooLarge,
} from "./reply.ts";
import type { RequestBudget } from "./request-budget.ts";

export interface Retry {
  readonly count: number;
  readonly reason: string;
  readonly waitMs: number;
}

export interface RestOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Sent with each request; their values are redacted in responses. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Rate limit for `get`. */
  readonly budget?: RequestBudget | undefined;
}

export type Query = Readonly<Record<string, string | number | bigint | undefined>>;

/** From DNS to the end of the TLS handshake. */
const CONNECT_TIMEOUT_MS = 5000;
/** Includes connecting. */
const HEADERS_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 10_000;
const IDLE_BODY_TIMEOUT_MS = 10_000;
/** Up to the last byte: a trickling body must end at some point. */
const TOTAL_TIMEOUT_MS = 60_000;
/** Enough for reading and for the parallel requests below the end; opened on demand. */
const CONNECTIONS = 26;
const TRIES = 5;
/** How long one request waits for an unavailable service. */
const MAX_OUTAGE_MS = 600_000;

/** A response that asks to wait delays all requests. */
export class RestClient {
  readonly #options: RestOptions;
  readonly #base: URL;
  /** Opened with the first request, because undici is slow to load. */
  #pool: Promise<Pool> | undefined;
  readonly #redact: ((text: string) => string) | undefined;
  retries = 0;
  /** Monotonic time until which the service asked us to wait. */
  #blockedUntilMs = 0;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#redact = createRedact(options.headers ?? {});
    this.#base = new URL(options.baseUrl);
  }

  async #openPool(): Promise<Pool> {
    const { buildConnector, Pool } = await import("undici");
    // Overrides the environment.
    const connect = buildConnector({ timeout: 0, rejectUnauthorized: true });
    return new Pool(this.#base.origin, {
      connections: CONNECTIONS,
      connect: withConnectTimeout(
        connect,
        this.#options.clock,
        this.#timeoutError("no connection in time"),
      ),
      // The timeouts run on our own clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** For messages. */
  urlOf(path: string, query: Query = {}): string {
    return `${this.#base.origin}${this.#pathOf(path, query)}`;
  }

  /**
   * Makes a single request, whatever its outcome.
   * @param path below the root, beginning with a slash
   * @throws {HistoryError} when no complete response was received; the signal's reason when aborted
   */
  async ask(path: string, query: Query, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    const request = new PendingRequest();
    const onAbort = () => request.abort(signal.reason);
    const abortAfter = (ms: number, what: string) =>
      this.#options.clock.after(ms, () => request.abort(this.#timeoutError(what)));
    const cancelTotal = abortAfter(TOTAL_TIMEOUT_MS, "no whole answer in time");
    let cancelStep = abortAfter(HEADERS_TIMEOUT_MS, "no answer in time");
    request.onProgress = () => {
      cancelStep();
      cancelStep = abortAfter(IDLE_BODY_TIMEOUT_MS, "the answer stopped half way");
    };
    // Many requests may share one signal: from eleven listeners on, Node warns of a leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", onAbort);
    try {
      return await this.#send(path, query, request);
    } catch (error) {
      signal.throwIfAborted();
      throw networkFault(error, this.#base.origin, this.#redact);
    } finally {
      signal.removeEventListener("abort", onAbort);
      cancelTotal();
      cancelStep();
    }
  }

  #timeoutError(what: string): HistoryError {
    return new HistoryError("unreachable", `${this.#base.origin}: ${what}`, {
      advice: "check --base-url and the network",
    });
  }

  /**
   * Retries until there is a response that can be a page.
   * @returns the body, which begins and ends like a JSON array
   * @throws {HistoryError} when there is none; the signal's reason when aborted
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<Body> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    let failures = 0;
    for (let tries = 1; ; tries++) {
      await this.#waitUntilAllowed(signal);
      const outcome = await this.#attempt(path, query, signal);
      if (outcome instanceof Body) return outcome;
      const { error, retry } = outcome;
      // An outage is no failure: it may take many tries.
      if (retry === "soon") failures++;
      const isOver =
        retry === "when-available" ? clock.now() - startedAt > MAX_OUTAGE_MS : failures >= TRIES;
      if (retry === "never" || isOver) throw error;
      await this.#waitAfter(outcome, tries, signal);
    }
  }

  async close(): Promise<void> {
    const pool = await this.#pool;
    await pool?.destroy().catch(() => {});
  }

  async #attempt(path: string, query: Query, signal: AbortSignal): Promise<Body | Trouble> {
    try {
      const reply = await this.ask(path, query, signal);
      return checkReply(reply) ?? pageBody(reply);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      const isTransient = error.code === "unreachable" || error.code === "cut-body";
      return { error, retry: isTransient ? "soon" : "never" };
    }
  }

  async #waitAfter({ error, retry, waitMs }: Trouble, tries: number, signal: AbortSignal) {
    const { clock, random, onRetry } = this.#options;
    // "At once" is believed once: a service that says so each time would be asked without end.
    const wantedMs = waitMs === 0 && tries > 1 ? undefined : waitMs;
    const ms = wantedMs ?? backoffDelayMs(requestBackoff, tries, random);
    if (retry === "when-available")
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, clock.now() + ms);
    this.retries++;
    onRetry?.({ count: this.retries, reason: error.message, waitMs: ms });
    await pause(clock, ms, signal);
  }

  async #waitUntilAllowed(signal: AbortSignal): Promise<void> {
    const { clock, budget } = this.#options;
    const left = () => this.#blockedUntilMs - clock.now();
    do {
      while (left() > 0) await pause(clock, left(), signal);
      await budget?.take(signal);
      // The service may have asked for a pause while this waited for the budget.
    } while (left() > 0);
  }

  async #send(path: string, query: Query, request: PendingRequest): Promise<Reply> {
    const { clock, headers: given = {} } = this.#options;
    const startedAt = clock.now();
    const headers = { accept: "application/json", "accept-encoding": "identity", ...given };
    this.#pool ??= this.#openPool();
    const pool = await this.#pool;
    if (!request.isAborted) {
      pool.dispatch({ method: "GET", path: this.#pathOf(path, query), headers }, request);
    }
    await request.ended;
    const encoding = this.#header(request, "content-encoding")?.trim().toLowerCase();
    const body = await decodeBody(request.chunks, encoding);
    return {
      url: this.urlOf(path, query),
      status: request.status,
      contentType: this.#header(request, "content-type")?.split(";")[0]?.trim().toLowerCase() ?? "",
      body: this.#redact === undefined ? body : redactBody(body, this.#redact),
      tookMs: clock.now() - startedAt,
      location: this.#header(request, "location"),
      retryAfterMs: parseRetryAfter(
        rawHeader(request, "retry-after"),
        rawHeader(request, "date"),
        clock.wall(),
      ),
    };
  }

  /** Secrets removed. */
  #header(request: PendingRequest, name: string): string | undefined {
    const value = rawHeader(request, name);
    return value === undefined ? undefined : (this.#redact?.(value) ?? value);
  }

  #pathOf(path: string, query: Query): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = given
      .map(([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`)
      .join("&");
    const root = this.#base.pathname.replace(/\/+$/, "");
    return `${root}${path}${text && `?${text}`}`;
  }
}

function redactBody(body: Body, redact: (text: string) => string): Body {
  const text = redact(body.text);
  return text === body.text ? body : new Body(Buffer.from(text));
}

/** May contain a secret that the service echoes: use for parsing only. */
function rawHeader({ headers }: PendingRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** One request, collected without a stream. */
class PendingRequest implements Dispatcher.DispatchHandler {
  /** Rejects with the reason of `abort`, or with a network error. */
  readonly ended: Promise<void>;
  readonly chunks: Buffer[] = [];
  status = 0;
  headers: Readonly<Record<string, string | string[] | undefined>> = {};
  /** Called for the headers and for each chunk of the body. */
  onProgress = () => {};
  #resolve = () => {};
  #reject = (_: unknown) => {};
  #controller: Dispatcher.DispatchController | undefined;
  #reason: Error | undefined;
  #bytes = 0;

  constructor() {
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may be aborted before anything awaits it.
    this.ended.catch(() => {});
  }

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  abort(reason: unknown): void {
    this.#reason ??= reason instanceof Error ? reason : new Error(String(reason));
    this.#reject(reason);
    this.#controller?.abort(this.#reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: PendingRequest["headers"],
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.onProgress();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reason !== undefined) return;
    this.onProgress();
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BODY_BYTES) this.abort(tooLarge(MAX_BODY_BYTES));
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** Limits the time to connect. @param late the error for a connection that takes too long */
function withConnectTimeout(
  connect: buildConnector.connector,
  clock: Clock,
  late: Error,
): buildConnector.connector {
  return (options, callback) => {
    // The types omit its return value, the socket.
    const socket: unknown = connect(options, (...outcome) => {
      cancel();
      callback(...outcome);
    });
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => {
      if (socket instanceof Socket) socket.destroy(late);
    });
  };
}

/** Retrying does not help, and nothing must be sent to such a service. */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|CRL_)/;
/** The peer does not speak TLS, or there is no common version. */
const TLS = /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/;

const MESSAGES: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "the service closed the connection before its answer was whole",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter or longer than it says",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name of the host cannot be resolved",
  ETIMEDOUT: "no connection in time",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no network",
  EPIPE: "the connection was closed",
};

/** @param redact for texts of libraries, which repeat what the service sent */
function networkFault(
  error: unknown,
  origin: string,
  redact: ((text: string) => string) | undefined,
): HistoryError {
  if (error instanceof HistoryError) return error;
  const code = getCode(error);
  if (CERTIFICATE.test(code)) {
    return new HistoryError("certificate", `the certificate of ${origin} is not valid: ${code}`, {
      advice: "check --base-url; a private authority can be named in NODE_EXTRA_CA_CERTS",
      cause: error,
    });
  }
  if (TLS.test(code)) {
    return new HistoryError("tls", `${origin} does not speak TLS as expected: ${code}`, {
      advice: "check --base-url: https: for a secure service, http: only on this machine",
      cause: error,
    });
  }
  const text = error instanceof Error ? error.message : String(error);
  const isNoHttp = error instanceof Error && error.name === "HTTPParserError";
  const what = MESSAGES[code] ?? (isNoHttp ? "not an HTTP response" : (redact?.(text) ?? text));
  return new HistoryError("unreachable", `${origin}: ${what}${code && ` (${code})`}`, {
    advice: "check --base-url and the network",
    cause: error,
  });
}

function getCode(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth++) {
    const { code, errors, cause } = current as NodeJS.ErrnoException & { errors?: unknown[] };
    if (typeof code === "string" && code !== "") return code;
    current = errors?.[0] ?? cause;
  }
  return "";
}
