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
import type { Config } from "../config/config-keys.ts";
import { type Context, interruptedExitCode } from "../context.ts";
import { isHeadless, sayMissing } from "../headless.ts";
import { printOptions } from "../preferences.ts";
import { findConfig } from "../prepare.ts";
import { type MarketArgument, parseMarket } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { options, args } = context;
  const [path = "", name] = args;
  const { config } = await findConfig(context);
  const market = name === undefined ? undefined : parseMarket(name, config.aliases);
  const isPrinted = isHeadless(context);
  const recording = openRecording(path);
  if (recording.isCut)
    context.stderr.write(`monitor: ${path} ends in the middle of a line, which is left out\n`);
  try {
    if (isPrinted) return await printReplay(context, recording, { config, market });
    const { showReplay } = await import("../show.ts");
    const first = new Cursor(recording.track);
    first.goTo(recording.track.startMs + FIRST_MS);
    const shown = shownOf(recording, first.store, market, options.interval);
    return await showReplay(context, recording, { config, shown });
  } finally {
    recording.close();
  }
}

/** In this time a run has subscribed what it shows. */
const FIRST_MS = 3000;
/** Work between two looks at signals. */
const TURN_MS = 50;

interface Run {
  readonly config: Config;
  readonly market: MarketArgument | undefined;
}

/** What the run printed is printed again; else it is printed once. @returns the exit code */
async function printReplay(
  context: Context,
  recording: Recording,
  { config, market }: Run,
): Promise<number> {
  const { clock, interrupt, options } = context;
  const { once, for: forMs, json, interval } = options;
  const cursor = new Cursor(recording.track);
  const print = (form: "page" | "line") => {
    const { moment } = cursor;
    const view = headlessView(
      shownOf(recording, moment.store, market, interval),
      printOptions(context, config),
    );
    printLine(context, json ? formatJson(view.json(moment)) : view[form](moment));
    return view;
  };
  let isPrinted = false;
  cursor.onEntry = ({ printed }) => {
    if (printed === undefined || once || forMs !== undefined) return;
    print(printed);
    isPrinted = true;
  };
  const endMs = forMs === undefined ? Number.POSITIVE_INFINITY : recording.heading.t + forMs;
  while (!cursor.goTo(endMs, { clock, untilMs: clock.now() + TURN_MS })) {
    await new Promise<void>((resolve) => clock.soon(resolve));
    if (interrupt.aborted) return interruptedExitCode(interrupt);
  }
  const { store } = cursor;
  const view = isPrinted
    ? headlessView(shownOf(recording, store, market, interval), printOptions(context, config))
    : print("page");
  return sayMissing(context, view, store);
}

/** What the run showed, or the market that is asked for; of channels alone, the first that they are about. */
function shownOf(
  { heading: { shown } }: Recording,
  store: Store,
  market: MarketArgument | undefined,
  interval: string | undefined,
): Shown {
  const base: Shown = { ...(shown ?? ofChannels(store)), ...(interval && { interval }) };
  return market === undefined
    ? base
    : { ...base, view: "market", market: marketNamed(store, market) };
}

/** @throws {UsageError} for a symbol that it does not know */
function marketNamed(store: Store, market: MarketArgument): string {
  if (!("symbol" in market)) return `${market.type}/${market.id}`;
  const found = marketCalled(store, market.symbol);
  if (found !== undefined) return found;
  throw new UsageError(
    `the recording knows no market ${market.symbol}`,
    "name it by type and id: perp/1",
  );
}

function ofChannels(store: Store): Shown {
  const parts = [...store.channels.keys()].flatMap((channel) => parseChannel(channel) ?? []);
  const own = parts.find(({ kind }) => kind === "account");
  const ofMarket = parts.find(({ market, type }) => market !== undefined && type !== undefined);
  const addresses = new Set(parts.flatMap(({ address }) => address ?? []));
  const first = { kind: undefined, market: "1", type: "perp" as const };
  const { market, type } = ofMarket ?? first;
  return {
    view: ofMarket !== undefined ? "market" : addresses.size > 0 ? "account" : "markets",
    market: `${type}/${market}`,
    account: own && `${own.address}/${own.subaccount}`,
    addresses: [...addresses],
    interval: parts.find(({ kind }) => kind === "candles")?.interval ?? "1m",
  };
}
