// monitor replay FILE [market]: a recording on the dashboard, or printed as the run that it is of.

import { headlessView } from "../../print/headless-view.ts";
import { marketCalled } from "../../rows/market.ts";
import type { Store } from "../../state/store.ts";
import { printLine } from "../../system/print-line.ts";
import type { Shown } from "../../timeline/entry.ts";
import { openRecording, type Recording } from "../../timeline/recording-file.ts";
import { Cursor } from "../../timeline/track.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { parseChannel } from "../../wire/channels.ts";
import { formatJson } from "../../wire/json.ts";
import { type Context, interruptedExitCode } from "../context.ts";
import { isHeadless, sayMissing } from "../headless.ts";
import { printOptions } from "../preferences.ts";
import { prepare, type Task } from "../prepare.ts";
import { parseMarket } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { options, args, stderr } = context;
  const [path = "", name] = args;
  const task = await prepare(context);
  const called = name === undefined ? undefined : parseMarket(name, task.settings.config.aliases);
  const isPrinted = isHeadless(task);
  const recording = openRecording(path);
  if (recording.isCut)
    stderr.write(`monitor: ${path} ends in the middle of a line, which is left out\n`);
  try {
    if (isPrinted) return await printReplay(task, recording, called);
    const { showReplay } = await import("../show.ts");
    const first = new Cursor(recording.track);
    first.goTo(recording.track.startMs + FIRST_MS);
    const shown = shownOf(recording, first.store, called, options.interval);
    return await showReplay(task, recording, shown);
  } finally {
    recording.close();
  }
}

/** In this time a run has subscribed what it shows. */
const FIRST_MS = 3000;
/** Work between two looks at signals. */
const TURN_MS = 50;

/** What the run printed is printed again; else it is printed once. @returns the exit code */
async function printReplay(
  task: Task,
  recording: Recording,
  called: string | undefined,
): Promise<number> {
  const { clock, interrupt, options } = task;
  const { once, for: forMs, json, interval } = options;
  const cursor = new Cursor(recording.track);
  const view = () =>
    headlessView(shownOf(recording, cursor.store, called, interval), printOptions(task));
  const print = (form: "page" | "line") => {
    const { moment } = cursor;
    printLine(task, json ? formatJson(view().json(moment)) : view()[form](moment));
  };
  let isPrinted = false;
  cursor.onEntry = ({ printed }) => {
    if (printed === undefined || once || forMs !== undefined) return;
    print(printed);
    isPrinted = true;
  };
  const endMs = forMs === undefined ? Number.POSITIVE_INFINITY : recording.heading.t + forMs;
  const turn = () => {
    const turnEndsMs = clock.now() + TURN_MS;
    return () => clock.now() >= turnEndsMs;
  };
  while (!cursor.goTo(endMs, turn())) {
    await new Promise<void>((resolve) => clock.soon(resolve));
    if (interrupt.aborted) return interruptedExitCode(interrupt);
  }
  if (!isPrinted) print("page");
  return sayMissing(task, view(), cursor.store);
}

/** What the run showed, or the market that is asked for; of channels alone, the first that they are about. */
function shownOf(
  { heading: { shown } }: Recording,
  store: Store,
  called: string | undefined,
  interval: string | undefined,
): Shown {
  const base: Shown = { ...(shown ?? ofChannels(store)), ...(interval && { interval }) };
  if (called === undefined) return base;
  const market = marketCalled(store, called);
  if (market !== undefined) return { ...base, view: "market", market };
  throw new UsageError(`the recording knows no market ${called}`, "name it by type and id: perp/1");
}

function ofChannels(store: Store): Shown {
  const parts = [...store.channels.keys()].flatMap((channel) => parseChannel(channel) ?? []);
  const markets = parts.flatMap(({ type, market }) => (type && market ? `${type}/${market}` : []));
  const own = parts.find(({ kind }) => kind === "account");
  const addresses = [...new Set(parts.flatMap(({ address }) => address ?? []))];
  const view = markets.length > 0 ? "market" : addresses.length > 0 ? "account" : "markets";
  return {
    ...{ view, market: markets[0], addresses },
    account: own && `${own.address}/${own.subaccount}`,
    interval: parts.find(({ kind }) => kind === "candles")?.interval ?? "1m",
  };
}
