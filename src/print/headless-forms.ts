// The forms of a view without a screen: a page when its data has come, a page after a time, or a line a second.

import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { DEFAULT_TIMEOUT_MS, type HeadlessSession } from "../live/headless-session.ts";
import type { Feed } from "../state/feed.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { every } from "../units/clock.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";
import type { Link } from "../wire/stream-event.ts";

/** Between two lines of a view that goes on. */
const LINE_PERIOD_MS = 1000;

/** A view as it is at one moment, in each of its forms. */
export interface HeadlessSnapshot {
  /** The moment, monotonic. */
  readonly nowMs: number;
  line(): string;
  page(): string;
  json(): object;
  /** What never came, each with why; empty when the view is complete. */
  missing(): readonly string[];
}

/** A view that is printed. */
export interface HeadlessView {
  /** Something has come: what is subscribed to may have to change. */
  follow?(): void;
  /** True when nothing is gained by waiting: all has come, or is refused and will never come. */
  isSettled(): boolean;
  snapshot(): HeadlessSnapshot;
}

/**
 * Prints a view in the form that --once, --for and --json ask for.
 * @returns the exit code: 0 when the data came, 1 when some never did
 * @throws {ServiceError} when the first connection cannot be made
 */
export function printView(
  context: Context,
  session: HeadlessSession,
  view: HeadlessView,
): Promise<number> {
  return new HeadlessForms(context, session, view).print();
}

/** Why there is nothing of a channel: `bbo (no data came)`. Text of the service may be in it. */
export function wordMissing(
  name: string,
  feed: Pick<Feed, "phase" | "reason">,
  link: Link | undefined,
): string {
  const { phase, reason } = feed;
  if (link?.state !== "open")
    return `${name} (no connection: ${link?.fault?.detail ?? "none yet"})`;
  return reason === undefined ? `${name} (no data came)` : `${name} (${phase}: ${reason})`;
}

class HeadlessForms {
  readonly #context: Context;
  readonly #session: HeadlessSession;
  readonly #view: HeadlessView;

  constructor(context: Context, session: HeadlessSession, view: HeadlessView) {
    this.#context = context;
    this.#session = session;
    this.#view = view;
  }

  print(): Promise<number> {
    const { once, for: forMs } = this.#context.options;
    if (once) return this.#printOnce();
    return forMs === undefined ? this.#printLines() : this.#printAfter(forMs);
  }

  async #printOnce(): Promise<number> {
    const { options, interrupt } = this.#context;
    const end = await this.#until(
      () => this.#view.isSettled(),
      options.timeout ?? DEFAULT_TIMEOUT_MS,
    );
    return end === "interrupted" ? interruptedExitCode(interrupt) : this.#printPage();
  }

  async #printAfter(forMs: number): Promise<number> {
    const end = await this.#until(() => false, forMs);
    const code = this.#printPage();
    return end === "interrupted" ? interruptedExitCode(this.#context.interrupt) : code;
  }

  /** One line a second until the user has had enough. */
  async #printLines(): Promise<number> {
    const print = () => {
      const now = this.#take();
      printLine(this.#context, this.#context.options.json ? this.#jsonText(now) : now.line());
    };
    const stop = every(this.#context.clock, LINE_PERIOD_MS, print);
    try {
      await this.#until(() => false, Number.POSITIVE_INFINITY);
    } finally {
      stop();
    }
    return EXIT.done;
  }

  #until(isMet: () => boolean, timeoutMs: number) {
    return this.#session.until(() => {
      this.#view.follow?.();
      return isMet();
    }, timeoutMs);
  }

  #printPage(): number {
    const { options, stderr } = this.#context;
    const now = this.#take();
    printLine(this.#context, options.json ? this.#jsonText(now) : now.page());
    const missing = now.missing();
    if (missing.length === 0) return EXIT.done;
    stderr.write(`monitor: not complete: ${visible(missing.join(", "))}\n`);
    return EXIT.failed;
  }

  /** A recording notes what was looked at. */
  #take(): HeadlessSnapshot {
    const now = this.#view.snapshot();
    this.#session.live.shown(now.nowMs);
    return now;
  }

  #jsonText(now: HeadlessSnapshot): string {
    const { meter } = this.#session;
    return stringifyExact({ ...now.json(), ...(meter && { perf: meter.json() }) });
  }
}
