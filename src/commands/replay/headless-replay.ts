// A recording without a screen, as fast as it can be read: what the live run printed, or the view at some moment.

import { type Context, EXIT, interruptedExitCode } from "../../args/context.ts";
import type { MarketArgument } from "../../args/targets.ts";
import type { Config } from "../../config/config-file.ts";
import { accountForms } from "../../print/account.ts";
import type { HeadlessSnapshot } from "../../print/forms.ts";
import { jsonText } from "../../print/json-text.ts";
import { marketForms } from "../../print/market.ts";
import { formatMarket, marketChannels } from "../../select/market.ts";
import { Store } from "../../state/store.ts";
import { printLine } from "../../system/print-line.ts";
import { visible } from "../../terminal/visible.ts";
import { type Entry, getNamedChannel, isMadeSession } from "../../timeline/entry.ts";
import type { RecordingReader } from "../../timeline/recording-reader.ts";
import { formatMade } from "../../timeline/replay.ts";
import { ServiceError } from "../../units/monitor-error.ts";
import type { Interval } from "../../wire/channels.ts";
import { ReplayedSession, replayedAccount, replayedMarket } from "./session.ts";

export interface ReplayRun {
  readonly reader: RecordingReader;
  readonly market: MarketArgument | undefined;
  readonly interval: Interval;
  readonly config: Config;
}

/** @throws {ServiceError} when the recording is broken, or contains nothing of what is requested */
export async function runHeadlessReplay(context: Context, run: ReplayRun): Promise<number> {
  const { clock, options, interrupt, stderr } = context;
  const { heading, entries } = run.reader;
  const session = new ReplayedSession(heading.settings, heading, new Store());
  const channels: string[] = [];
  const endMs = heading.t + (options.for ?? Number.POSITIVE_INFINITY);
  const giveUpAtMs = clock.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  const getView = () => viewOf(context, run, session, channels);
  let isComplete: boolean | undefined;
  const print = () => {
    const view = getView() ?? failForLack(context, channels);
    isComplete = view.missing().length === 0;
    printLine(context, options.json ? jsonText(view.json()) : view.page());
  };
  const apply = (entry: Entry) => {
    const channel = getNamedChannel(entry);
    if (channel !== undefined) channels.push(channel);
    if (isMadeSession(entry)) stderr.write(`monitor: ${formatMade(entry)}\n`);
    session.apply(entry);
    const isPrinted = !options.once && options.for === undefined && "shown" in entry;
    if (isPrinted) print();
  };
  const isEnough = () => options.once === true && getView()?.missing().length === 0;
  for await (const entry of entries) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    if (entry.t > endMs) break;
    apply(entry);
    if (isEnough() || clock.now() > giveUpAtMs) break;
  }
  // If nothing was printed during the recording, print its end.
  if (isComplete === undefined) print();
  return conclude(context, session, isComplete ?? false);
}

/** @throws {ServiceError} */
function failForLack({ args }: Context, channels: readonly string[]): never {
  throw new ServiceError("recording", `the recording shows no ${args[1] ?? "market or account"}`, {
    advice: `it holds: ${visible([...new Set(channels)].join(", ") || "no channel")}`,
  });
}

function conclude(
  { stderr }: Context,
  { unreadable }: ReplayedSession,
  isComplete: boolean,
): number {
  if (unreadable > 0) {
    stderr.write(`monitor: ${unreadable} lines of the recording could not be read\n`);
  }
  if (!isComplete) stderr.write("monitor: not complete: something was never received\n");
  return isComplete && unreadable === 0 ? EXIT.done : EXIT.failed;
}

function viewOf(
  { options: { mask, depth } }: Context,
  { market: named, interval, reader }: ReplayRun,
  { store, scales, nowMs, wallMs }: ReplayedSession,
  channels: readonly string[],
): HeadlessSnapshot | undefined {
  const now = { store, scales, nowMs, wallMs };
  if (named === undefined && reader.heading.settings.command === "account") {
    const account = replayedAccount(channels);
    return account && accountForms({ ...now, account, isMasked: mask ?? false });
  }
  const market = replayedMarket(channels, store, named);
  if (market === undefined) return undefined;
  const scale = scales.of(formatMarket(market));
  const shown = { market, channels: marketChannels(market, interval), interval, scale };
  return marketForms({ ...now, ...shown, bookRows: depth });
}
