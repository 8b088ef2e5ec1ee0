// A live session without a screen: what concerns the user goes to stderr, and waiting ends with the first
// connection if that cannot be made.
import type { StreamEvent, StreamListener } from "../protocol/stream-event.ts";
import { Store } from "../store/store.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import { visible } from "../terminal/visible.ts";
import type { Context } from "./context.ts";
import { aliasesOf } from "./field-names.ts";
import { firstConnectionFault, versionNotice } from "./link-faults.ts";
import { type Live, openLive } from "./live.ts";
import { PerformanceMeter } from "./performance-meter.ts";
import type { Service } from "./run-market.ts";
import { Wait, type WaitEnd } from "./wait.ts";

export class HeadlessSession {
  readonly live: Live;
  /** Only with `--json` and `--stats`: the object is the same for the same data otherwise. */
  readonly meter: PerformanceMeter | undefined;
  readonly #context: Context;
  readonly #onEvent: StreamListener | undefined;
  #hasBeenOpen = false;
  #hasNoticed = false;
  #fatal: Error | undefined;
  #wait: Wait | undefined;

  constructor(context: Context, service: Service, onEvent?: StreamListener) {
    this.#context = context;
    this.#onEvent = onEvent;
    this.live = openLive({
      openSocket: createWsSocket({ ...service, clock: context.clock }),
      recorder: service.recorder,
      log: context.log,
      isStrict: context.options.strict ?? false,
      clock: context.clock,
      random: context.random,
      store: new Store(aliasesOf(service.fields)),
      onEvent: (event) => this.#hear(event),
    });
    const { json, stats } = context.options;
    if (json && stats) this.meter = new PerformanceMeter(context.clock, this.live.store);
  }

  /**
   * Waits until the condition holds, looking after each event of the stream.
   * @throws {ServiceError} when the first connection cannot be made
   */
  until(isMet: () => boolean, timeoutMs: number): Promise<WaitEnd> {
    const { clock, interrupt } = this.#context;
    const check = () => {
      if (this.#fatal !== undefined) throw this.#fatal;
      return isMet();
    };
    this.#wait = new Wait(check, timeoutMs, clock, interrupt);
    this.#wait.check();
    return this.#wait.ended;
  }

  /** Something else than the stream has changed: look again at what is waited for. */
  check(): void {
    this.#wait?.check();
  }

  close(): void {
    this.meter?.stop();
    this.live.close();
  }

  #hear(event: StreamEvent): void {
    if (event.type === "link") {
      this.#fatal ??= firstConnectionFault(event.link, this.#hasBeenOpen);
      this.#hasBeenOpen ||= event.link.state === "open";
    }
    this.#notice(event);
    this.#onEvent?.(event);
    this.#wait?.check();
  }

  #notice(event: StreamEvent): void {
    const notice = this.#hasNoticed ? undefined : versionNotice(event);
    if (notice === undefined) return;
    this.#hasNoticed = true;
    this.#context.stderr.write(`monitor: ${visible(notice)}\n`);
  }
}
