// The REST side of the service: GET requests to one origin, with a limit on everything that could go on for
// ever, and tried again where that can help. Reading: docs/adr/0010.
import { type Dispatcher, Pool } from "undici";
import type { Clock } from "../../units/clock.ts";
import { HistoryError } from "../../units/monitor-error.ts";
import { pause } from "../../units/pause.ts";
import type { Random } from "../../units/random.ts";
import { type Secrets, secretsOf } from "../../wire/secrets.ts";
import { Body, readBody } from "./body.ts";
import { CONNECT_TIMEOUT_MS, createConnector } from "./connector.ts";
import { Deadline } from "./deadline.ts";
import { networkFault } from "./network-fault.ts";
import { type Reply, type Trouble, troubleOf } from "./reply.ts";
import type { RequestBudget } from "./request-budget.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** A retry that is about to be waited for. */
export interface Retry {
  /** Retries of this client so far, this one counted. */
  readonly count: number;
  /** Why, for the user. */
  readonly reason: string;
  readonly waitMs: number;
}

/** Where the listings are, and what a client needs of the world. */
export interface RestOptions {
  /** Root of the listings, without a slash at its end. */
  readonly baseUrl: string;
  /** Sent with each request; their values are taken out of whatever is answered. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Each request of `get` waits until it lets it through; without it none waits. */
  readonly budget?: RequestBudget | undefined;
}

/** Query parameters, in the order in which they are sent. */
export type Query = Readonly<Record<string, string | number | bigint | undefined>>;

/** From the request on, which may have to connect first. */
const HEADERS_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 10_000;
const IDLE_BODY_TIMEOUT_MS = 10_000;
/** From the request to the last byte: a body that trickles must end some time. */
const TOTAL_TIMEOUT_MS = 60_000;
/** One to read and one beside it (a probe of the doctor, a second view), or those that look below the end, at once. */
const CONNECTIONS = 9;
/** Tries in all where a fault may pass. */
const TRIES = 5;
/** A service that has been unavailable for so long is gone, as far as one request is concerned. */
const PATIENCE_MS = 600_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Asks one origin. Many requests may be under way at once; a service that says "wait" makes all of them wait. */
export class RestClient {
  readonly #options: RestOptions;
  readonly #base: URL;
  readonly #pool: Pool;
  readonly #secrets: Secrets | undefined;
  #retries = 0;
  /** Monotonic time before which the service does not want to be asked. */
  #closedUntil = 0;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#secrets = secretsOf(options.headers ?? {});
    this.#base = new URL(options.baseUrl);
    this.#pool = new Pool(this.#base.origin, {
      connections: CONNECTIONS,
      connect: createConnector(options.clock, this.#late("no connection in time")),
      // These limits are kept here, on the clock that all others are on.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Retries so far. */
  get retries(): number {
    return this.#retries;
  }

  /** The address of a request, as it is shown. Never throws. */
  urlOf(path: string, query: Query = {}): string {
    return `${this.#base.origin}${this.#pathOf(path, query)}`;
  }

  /**
   * Asks once, whatever comes of it: for those who want to know how the service answers.
   * @param path below the root, beginning with a slash
   * @throws {HistoryError} when no whole answer came; the signal's reason when aborted
   */
  async ask(path: string, query: Query, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const [total, step] = [new Deadline(clock), new Deadline(clock)];
    total.begin(TOTAL_TIMEOUT_MS, this.#late("no whole answer in time"));
    const all = AbortSignal.any([signal, total.signal, step.signal]);
    try {
      return await this.#request(path, query, all, step);
    } catch (error) {
      signal.throwIfAborted();
      throw networkFault(all.reason ?? error, this.#base.origin, (text) => this.#words(text));
    } finally {
      total.end();
      step.end();
    }
  }

  #late(what: string): HistoryError {
    return new HistoryError("unreachable", `${this.#base.origin}: ${what}`, {
      advice: "check --base-url and the network",
    });
  }

  /**
   * Asks until there is an answer that can be a page, for as long as trying again can help.
   * @returns the body, which begins and ends as a JSON array does
   * @throws {HistoryError} when there is none; the signal's reason when aborted
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<Body> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    for (let tries = 1; ; tries++) {
      await this.#whenOpen(signal);
      const answer = await this.#try(path, query, signal);
      if (answer instanceof Body) return answer;
      const { error, remedy } = answer;
      const isOver = remedy === "wait" ? clock.now() - startedAt > PATIENCE_MS : tries >= TRIES;
      if (remedy === "final" || isOver) throw error;
      await this.#waitAfter(answer, tries, signal);
    }
  }

  /** Ends what is under way. Never throws. */
  async close(): Promise<void> {
    await this.#pool.destroy().catch(() => {});
  }

  async #try(path: string, query: Query, signal: AbortSignal): Promise<Body | Trouble> {
    try {
      const reply = await this.ask(path, query, signal);
      return troubleOf(reply) ?? reply.body;
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      const isPassing = error.code === "unreachable" || error.code === "cut-body";
      return { error, remedy: isPassing ? "again" : "final" };
    }
  }

  async #waitAfter({ error, remedy, waitMs }: Trouble, tries: number, signal: AbortSignal) {
    const { clock, random, onRetry } = this.#options;
    const step = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 16));
    // Spread over its upper half, so that many clients do not come back at once.
    const ms = waitMs ?? step * (0.5 + random() / 2);
    if (remedy === "wait") this.#closedUntil = Math.max(this.#closedUntil, clock.now() + ms);
    this.#retries++;
    onRetry?.({ count: this.#retries, reason: error.message, waitMs: ms });
    await pause(clock, ms, signal);
  }

  async #whenOpen(signal: AbortSignal): Promise<void> {
    const { clock, budget } = this.#options;
    const left = () => this.#closedUntil - clock.now();
    do {
      while (left() > 0) await pause(clock, left(), signal);
      await budget?.take(signal);
      // The service may have asked for quiet while the budget was waited for.
    } while (left() > 0);
  }

  async #request(path: string, query: Query, signal: AbortSignal, step: Deadline): Promise<Reply> {
    const { clock, headers = {} } = this.#options;
    const startedAt = clock.now();
    step.begin(HEADERS_TIMEOUT_MS, this.#late("no answer in time"));
    const answer = await this.#pool.request({
      method: "GET",
      path: this.#pathOf(path, query),
      headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
      signal,
    });
    const encoding = this.#header(answer, "content-encoding")?.trim().toLowerCase();
    const isGoingOn = () =>
      step.begin(IDLE_BODY_TIMEOUT_MS, this.#late("the answer stopped half way"));
    isGoingOn();
    const body = discreetBody(
      await readBody(answer.body, encoding, isGoingOn),
      answer.statusCode,
      this.#secrets,
    );
    return {
      url: this.urlOf(path, query),
      status: answer.statusCode,
      contentType: this.#header(answer, "content-type")?.split(";")[0]?.trim().toLowerCase() ?? "",
      body,
      tookMs: clock.now() - startedAt,
      location: this.#header(answer, "location"),
      retryAfterMs: parseRetryAfter(
        header(answer, "retry-after"),
        header(answer, "date"),
        clock.wall(),
      ),
    };
  }

  /** What the service says in a header of its own. */
  #header(answer: Dispatcher.ResponseData, name: string): string | undefined {
    const value = header(answer, name);
    return value === undefined ? undefined : this.#words(value);
  }

  #words(text: string): string {
    return this.#secrets?.words(text) ?? text;
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

/** A page is data; what comes with another status is words, whatever its form. */
function discreetBody(body: Body, status: number, secrets: Secrets | undefined): Body {
  if (secrets === undefined || !secrets.mayHold(body.bytes)) return body;
  const data = secrets.json(body.text);
  const text = status === 200 ? data : secrets.words(data);
  return text === body.text ? body : new Body(Buffer.from(text));
}

function header({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
