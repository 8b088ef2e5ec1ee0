// A recording without a screen, as fast as it can be read: what the live run printed, when it printed it, or the view
// as it was at some moment.

import { type Context, EXIT, interruptedExitCode } from "../../args/context.ts";
import type { MarketArgument } from "../../args/targets.ts";
import type { Config } from "../../config/config-file.ts";
import { parseAliases } from "../../config/settings.ts";
import type { HeadlessSnapshot } from "../../print/forms.ts";
import { jsonText } from "../../print/json-text.ts";
import { Store } from "../../state/store.ts";
import { printLine } from "../../system/print-line.ts";
import { visible } from "../../terminal/visible.ts";
import { type Entry, getNamedChannel, isMadeSession } from "../../timeline/entry.ts";
import type { RecordingReader } from "../../timeline/recording-reader.ts";
import { formatMadeWords } from "../../timeline/replay.ts";
import { ServiceError } from "../../units/monitor-error.ts";
import type { Interval } from "../../wire/channels.ts";
import {
  accountView,
  marketView,
  ReplayedSession,
  replayedAccount,
  replayedMarket,
} from "./session.ts";

/** A recording, and how it is to be shown. */
export interface ReplayRun {
  readonly reader: RecordingReader;
  readonly market: MarketArgument | undefined;
  readonly interval: Interval;
  readonly config: Config;
}

/**
 * Answers the exit code: 0 when the view is complete, 1 when something never came.
 * @throws {ServiceError} when the recording is broken, or shows nothing of what is named
 */
export async function runHeadlessReplay(context: Context, run: ReplayRun): Promise<number> {
  const replay = new HeadlessReplay(context, run);
  const { clock, options, interrupt } = context;
  const until = clock.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  for await (const entry of run.reader.entries) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    if (replay.apply(entry) || clock.now() > until) break;
  }
  return replay.end();
}

class HeadlessReplay {
  readonly #context: Context;
  readonly #run: ReplayRun;
  readonly #session: ReplayedSession;
  readonly #channels: string[] = [];
  readonly #untilMs: number;
  #hasPrinted = false;
  #isComplete = false;

  constructor(context: Context, run: ReplayRun) {
    const { heading } = run.reader;
    this.#context = context;
    this.#run = run;
    const store = new Store(parseAliases(run.config));
    this.#session = new ReplayedSession(heading.settings, heading, store);
    this.#untilMs = heading.t + (context.options.for ?? Number.POSITIVE_INFINITY);
  }

  /** Applies one line. True when nothing after it is needed. */
  apply(entry: Entry): boolean {
    if (entry.t > this.#untilMs) return true;
    const channel = getNamedChannel(entry);
    if (channel !== undefined) this.#channels.push(channel);
    if (isMadeSession(entry)) this.#context.stderr.write(`monitor: ${formatMadeWords(entry)}\n`);
    this.#session.apply(entry);
    const { once, for: forMs } = this.#context.options;
    if (once) return this.#view?.missing().length === 0;
    if (forMs === undefined && "shown" in entry) this.#print();
    return false;
  }

  end(): number {
    const { stderr } = this.#context;
    // What was printed during the recording has been printed; otherwise it is the end that is shown.
    if (!this.#hasPrinted) this.#print();
    const { unreadable } = this.#session;
    if (unreadable > 0) {
      stderr.write(`monitor: ${unreadable} lines of the recording could not be read\n`);
    }
    if (!this.#isComplete) stderr.write("monitor: not complete: something never came\n");
    return this.#isComplete && unreadable === 0 ? EXIT.done : EXIT.failed;
  }

  #print(): void {
    const view = this.#view;
    if (view === undefined) {
      throw new ServiceError("recording", `the recording shows no ${this.#named}`, {
        advice: `it holds: ${visible([...new Set(this.#channels)].join(", ") || "no channel")}`,
      });
    }
    this.#hasPrinted = true;
    this.#isComplete = view.missing().length === 0;
    const { options } = this.#context;
    printLine(this.#context, options.json ? jsonText(view.json()) : view.page());
  }

  get #named(): string {
    return this.#context.args[1] ?? "market or account";
  }

  get #view(): HeadlessSnapshot | undefined {
    const { market: named, interval, reader } = this.#run;
    if (named === undefined && reader.heading.settings.command === "account") {
      const account = replayedAccount(this.#channels);
      const isMasked = this.#context.options.mask ?? false;
      return account && accountView(this.#session, account, isMasked);
    }
    const market = replayedMarket(this.#channels, this.#session.store, named);
    return (
      market &&
      marketView(this.#session, market, { interval, bookRows: this.#context.options.depth })
    );
  }
}
