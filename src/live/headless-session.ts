// A live session without a screen: notices go to stderr, and waiting fails if the first connection cannot be made.
import { type Context, EXIT, interruptedExitCode, stoppedExitCode } from "../args/context.ts";
import { Store } from "../state/store.ts";
import { visible } from "../terminal/visible.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamEvent, StreamListener } from "../wire/stream-event.ts";
import { checkReached, firstConnectionFault, versionNotice } from "./link-faults.ts";
import { PerformanceMeter } from "./performance-meter.ts";
import type { Service } from "./service.ts";
import { openSession, type Session, type SessionOptions, sessionOptions } from "./session.ts";

/** How long a command waits for data without --timeout. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** Must be closed. */
export class HeadlessSession {
  readonly live: Session;
  /** Only with `--json` and `--stats`. */
  readonly meter: PerformanceMeter | undefined;
  readonly #context: Context;
  readonly #onEvent: StreamListener | undefined;
  #hasBeenOpen = false;
  #hasNoticed = false;
  #fatal: Error | undefined;
  readonly #waiter: Waiter;

  constructor(
    context: Context,
    service: Service,
    onEvent?: StreamListener,
    store = new Store(),
    historyBuffer?: SessionOptions["historyBuffer"],
  ) {
    this.#context = context;
    this.#onEvent = onEvent;
    this.#waiter = new Waiter(context.clock, context.interrupt);
    this.live = openSession({
      ...sessionOptions(context, service),
      store,
      historyBuffer,
      onEvent: (event) => this.#take(event),
    });
    const { json, stats } = context.options;
    if (json && stats) this.meter = new PerformanceMeter(context.clock, this.live.store);
  }

  /** Checks the condition after each event. @throws {ServiceError} when the first connection cannot be made */
  until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> {
    return this.#waiter.until(() => {
      if (this.#fatal !== undefined) throw this.#fatal;
      return isMet();
    }, timeoutMs);
  }

  /**
   * Runs until the condition holds, `--for` expires, or it is interrupted.
   * @param onEnd called before the exit code is decided
   * @returns the exit code
   * @throws {ServiceError} when the service was not reached
   */
  async observe(
    channels: ReadonlySet<string>,
    isOver: () => boolean,
    onEnd: () => void = () => {},
  ): Promise<number> {
    const { interrupt, options } = this.#context;
    for (const channel of channels) this.live.stream.subscribe(channel);
    const end = await this.until(isOver, options.for ?? Number.POSITIVE_INFINITY);
    onEnd();
    if (end === "interrupted") {
      const isEndless = options.for === undefined;
      return isEndless ? stoppedExitCode(interrupt) : interruptedExitCode(interrupt);
    }
    if (options.for === undefined) return EXIT.done;
    checkReached(this.live.stream.link);
    return EXIT.done;
  }

  /** Checks the condition again, after a change that is not an event of the stream. */
  check(): void {
    this.#waiter.check();
  }

  close(): void {
    this.meter?.stop();
    this.live.close();
  }

  #take(event: StreamEvent): void {
    if (event.type === "link") {
      this.#fatal ??= firstConnectionFault(event.link, this.#hasBeenOpen);
      this.#hasBeenOpen ||= event.link.state === "open";
    }
    this.#notice(event);
    this.#onEvent?.(event);
    this.#waiter.check();
  }

  #notice(event: StreamEvent): void {
    const notice = this.#hasNoticed ? undefined : versionNotice(event);
    if (notice === undefined) return;
    this.#hasNoticed = true;
    this.#context.stderr.write(`monitor: ${visible(notice)}\n`);
  }
}

// Waits for a condition, a timeout or an interruption, whichever comes first.

type WaitEnd = "met" | "timeout" | "interrupted";

export class Waiter {
  readonly #clock: Clock;
  readonly #interrupt: AbortSignal;
  /** Checks the condition again. */
  check: () => void = () => {};

  constructor(clock: Clock, interrupt: AbortSignal) {
    this.#clock = clock;
    this.#interrupt = interrupt;
  }

  /** @param isMet the wait rejects with what it throws */
  until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> {
    const interrupt = this.#interrupt;
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.check = () => {};
        cancel();
        interrupt.removeEventListener("abort", onInterrupt);
      };
      const end = (how: WaitEnd) => {
        settle();
        resolve(how);
      };
      const onInterrupt = () => end("interrupted");
      const cancel = this.#clock.after(timeoutMs, () => end("timeout"));
      this.check = () => {
        try {
          if (isMet()) end("met");
        } catch (error) {
          settle();
          reject(error);
        }
      };
      interrupt.addEventListener("abort", onInterrupt, { once: true });
      if (interrupt.aborted) onInterrupt();
      this.check();
    });
  }
}
