// The market view without a screen: a line or an object a second, or one page at the end.
import { stringifyExact } from "../../protocol/exact-numbers.ts";
import type { Feed } from "../../store/feed.ts";
import type { Scales } from "../../store/scales.ts";
import { visible } from "../../terminal/visible.ts";
import { every } from "../../units/clock.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { type AccountChoice, accountChannel, type Subaccount } from "../../view/account.ts";
import { formatMarket, type Market, marketChannels } from "../../view/market.ts";
import { openScales } from "../../view/scale.ts";
import { resolveMarket } from "../arguments/look-up-market.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { openRecentTrades } from "../live/recent-trades.ts";
import { ScaleProbe } from "../live/scale-probe.ts";
import { printLine } from "../print-line.ts";
import type { MarketRun } from "../runs/run-market.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession, LINE_PERIOD_MS } from "./headless-session.ts";
import { type MarketSnapshot, marketJson, PANES, type PaneName } from "./market-json.ts";
import { marketLine, marketPage } from "./market-text.ts";

/** Answers the exit code: 0 when every pane has had data, 1 when something never came. */
export async function runHeadless(context: Context, run: MarketRun): Promise<number> {
  const service = await run.findService();
  const session = new HeadlessSession(context, service);
  const trades = openRecentTrades(context, service);
  let probe: ScaleProbe | undefined;
  try {
    const market = await resolveMarket(context, session, run.market);
    if (market === undefined) return interruptedExitCode(context.interrupt);
    const scales = openScales(session.live.store, run.knownScales);
    const snapshot = subscribe(context, session, run, market, scales);
    probe = new ScaleProbe({
      store: session.live.store,
      scales,
      market,
      listing: trades?.of(market).source,
      recorder: service.recorder,
      clock: context.clock,
      onHeard: () => session.check(),
    });
    const { once, for: forMs } = context.options;
    if (once) return await printOnce(context, session, snapshot, probe);
    if (forMs !== undefined) return await printAfter(context, session, snapshot, forMs);
    return await printLines(context, session, snapshot);
  } finally {
    probe?.stop();
    trades?.close();
    session.close();
  }
}

type Snapshot = () => MarketSnapshot;

function subscribe(
  { clock, options }: Context,
  { live }: HeadlessSession,
  { interval, account: choice }: MarketRun,
  market: Market,
  scales: Scales,
): Snapshot {
  const channels = marketChannels(market, interval);
  // The list of markets may say what a tick is worth; the view is complete without it.
  live.stream.subscribe(channels.markets);
  for (const pane of PANES) live.stream.subscribe(channels[pane]);
  const account = choice && namedSubaccount(choice);
  if (account !== undefined) live.stream.subscribe(accountChannel(account));
  return () => ({
    store: live.store,
    market,
    channels,
    interval,
    scale: scales.of(formatMarket(market)),
    scales,
    nowMs: clock.now(),
    account,
    isMasked: options.mask ?? false,
  });
}

/** @throws {UsageError} when no subaccount is named: without a screen nobody can choose one */
function namedSubaccount({ address, subaccountId }: AccountChoice): Subaccount {
  if (subaccountId !== undefined) return { address, subaccountId };
  throw new UsageError(
    "--account names no subaccount, and without a screen none can be chosen",
    "expected: --account ADDRESS/ID; `monitor account ADDRESS` lists the ids",
  );
}

async function printOnce(
  context: Context,
  session: HeadlessSession,
  snapshot: Snapshot,
  probe: ScaleProbe,
): Promise<number> {
  // A refused pane will never have data: nothing is gained by waiting for it.
  const isSettled = () =>
    PANES.every((pane) => hasData(snapshot(), pane) || isRefused(snapshot(), pane)) &&
    isAccountSettled(snapshot()) &&
    (probe.hasTried || snapshot().scale.source !== "none");
  const end = await session.until(isSettled, context.options.timeout ?? DEFAULT_TIMEOUT_MS);
  if (end === "interrupted") return interruptedExitCode(context.interrupt);
  return printPage(context, session, snapshot());
}

async function printAfter(
  context: Context,
  session: HeadlessSession,
  snapshot: Snapshot,
  forMs: number,
): Promise<number> {
  const end = await session.until(() => false, forMs);
  const code = printPage(context, session, snapshot());
  return end === "interrupted" ? interruptedExitCode(context.interrupt) : code;
}

function printPage(context: Context, session: HeadlessSession, snapshot: MarketSnapshot): number {
  const { options, stderr } = context;
  session.live.shown(snapshot.nowMs);
  const text = options.json ? jsonText(session, snapshot) : marketPage(snapshot);
  printLine(context, text);
  const missing = [
    ...PANES.filter((pane) => !hasData(snapshot, pane)).map((pane) => wordMissing(snapshot, pane)),
    ...(accountFeed(snapshot)?.frames === 0 ? [wordMissing(snapshot, "account")] : []),
  ];
  if (missing.length === 0) return EXIT.done;
  stderr.write(`monitor: not complete: ${visible(missing.join(", "))}\n`);
  return EXIT.failed;
}

function jsonText({ meter }: HeadlessSession, snapshot: MarketSnapshot): string {
  return stringifyExact({ ...marketJson(snapshot), ...(meter && { perf: meter.json() }) });
}

/** One line a second until the user has had enough. */
async function printLines(
  context: Context,
  session: HeadlessSession,
  snapshot: Snapshot,
): Promise<number> {
  const { clock, options } = context;
  const print = () => {
    const now = snapshot();
    session.live.shown(now.nowMs);
    const line = options.json ? jsonText(session, now) : marketLine(now, clock.wall());
    printLine(context, line);
  };
  const stop = every(clock, LINE_PERIOD_MS, print);
  try {
    await session.until(() => false, Number.POSITIVE_INFINITY);
  } finally {
    stop();
  }
  return EXIT.done;
}

function feedOf({ store, channels }: MarketSnapshot, pane: PaneName) {
  return store.slice(pane, channels[pane]).feed;
}

function hasData(snapshot: MarketSnapshot, pane: PaneName): boolean {
  return feedOf(snapshot, pane).frames > 0;
}

function isRefused(snapshot: MarketSnapshot, pane: PaneName): boolean {
  return feedOf(snapshot, pane).phase === "refused";
}

function accountFeed({ store, account }: MarketSnapshot): Feed | undefined {
  return account && store.slice("account", accountChannel(account)).feed;
}

function isAccountSettled(snapshot: MarketSnapshot): boolean {
  const feed = accountFeed(snapshot);
  return feed === undefined || feed.frames > 0 || feed.phase === "refused";
}

function wordMissing(snapshot: MarketSnapshot, name: PaneName | "account"): string {
  const feed = name === "account" ? accountFeed(snapshot) : feedOf(snapshot, name);
  const { link } = snapshot.store;
  if (link?.state !== "open")
    return `${name} (no connection: ${link?.fault?.detail ?? "none yet"})`;
  return feed?.reason === undefined
    ? `${name} (no data came)`
    : `${name} (${feed.phase}: ${feed.reason})`;
}
