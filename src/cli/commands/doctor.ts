// monitor doctor [market]: checks of the network, the service, its listings and the terminal, and how the service is read.

import { learn } from "../../dialect/dialect.ts";
import { type Check, check } from "../../doctor/check.ts";
import { checkListings, PREFIX } from "../../doctor/listings.ts";
import { checkNetwork, checkTerminal } from "../../doctor/machine.ts";
import type { Part } from "../../doctor/progress.tsx";
import { countVerdicts, reportJson, reportText } from "../../doctor/report.ts";
import { checkStream } from "../../doctor/stream.ts";
import { channelsOf, parseMarketName } from "../../rows/market.ts";
import { printLine } from "../../system/print-line.ts";
import { formatIsoMs } from "../../units/time.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { askMarket } from "../find-market.ts";
import { openLive, requireWsUrl } from "../live.ts";
import { openInk } from "../plain-ink.ts";
import { type FoundConfig, learnedCursors, openClient, prepare, type Task } from "../prepare.ts";
import { type AccountChoice, chosenAccount } from "../targets.ts";

const WATCHED_MS = 12_000;

/** Exits with 1 if a check fails. @throws {UsageError} on an invalid argument or setting */
export async function run(context: Context): Promise<number> {
  const { clock, options, interrupt, stdout, env } = context;
  const startedAtMs = clock.now();
  const task = await prepare(context);
  const { wsUrl = requireWsUrl(task), baseUrl, config } = task.settings;
  const market = await askMarket(task, context.args[0] ?? "perp/1");
  const account = chosenAccount(options, config.accounts);
  const addresses = { ws: wsUrl, ...(baseUrl !== undefined && { rest: baseUrl }) };
  const progress = await openProgress(task);
  let cursor: string | undefined;
  let store: Awaited<ReturnType<typeof checkStream>>["store"] | undefined;
  const streaming = checkStream({
    ...{ clock, signal: interrupt, channels: channelsToCheck(market, account) },
    timeoutMs: options.timeout ?? WATCHED_MS,
    open({ channels, ...listeners }) {
      const live = openLive(task, channels);
      live.listen(listeners);
      return live.session;
    },
  });
  const found = await Promise.all([
    progress.part(
      "stream",
      streaming.then((result) => {
        store = result.store;
        return result.checks;
      }),
    ),
    ...Object.entries(addresses).map(([name, url]) =>
      progress.part(`network ${name}`, checkNetwork(name, new URL(url), context)),
    ),
    progress.part(
      "listings",
      checkRest(task, market, (by) => {
        cursor = by;
      }),
    ),
  ]).finally(progress.end);
  if (interrupt.aborted || store === undefined) return interruptedExitCode(interrupt);
  if (cursor !== undefined) {
    learnedCursors(task).learn("trades", cursor);
    learn(store.dialect, "cursor.trades", cursor, formatIsoMs(clock.wall()).slice(0, 10));
  }
  const checks = [
    checkConfig(task.file),
    ...found.flat(),
    ...checkTerminal({ env, isColorOff: options.noColor ?? false, stdout }),
  ];
  const report = { checks, store, tookMs: clock.now() - startedAtMs };
  const columns = stdout.isTTY ? stdout.columns : undefined;
  printLine(context, options.json ? reportJson(report) : reportText(report, columns));
  return countVerdicts(checks).fail > 0 ? EXIT.failed : EXIT.done;
}

function channelsToCheck(market: string, account: AccountChoice | undefined): string[] {
  const ofMarket = Object.values(channelsOf(market, "1m")).filter((each) => each !== undefined);
  const { address, subaccountId = "0" } = account ?? {};
  const own = [`accounts/${address}`, `account/${address}/${subaccountId}`];
  return [...ofMarket, "markets", ...(address === undefined ? [] : own)];
}

async function checkRest(
  task: Task,
  market: string,
  onCursor: (cursor: string) => void,
): Promise<readonly Check[]> {
  const { clock, interrupt: signal, settings } = task;
  const parsed = parseMarketName(market);
  if (settings.baseUrl === undefined || parsed === undefined)
    return [check("rest.trades", "unknown", "not looked at: no --base-url")];
  const client = openClient(task);
  const below = openClient(task, { baseUrl: settings.baseUrl + PREFIX });
  try {
    return await checkListings({ client, below, market: parsed, clock, signal, onCursor });
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  } finally {
    await Promise.all([client.close(), below.close()]);
  }
}

function checkConfig({ path, isThere, fault }: FoundConfig): Check {
  const fact = isThere ? path : `none at ${path}, and none is needed`;
  return check("config.file", fault === undefined ? "ok" : "warn", fault ?? fact);
}

type Checks = Promise<readonly Check[]>;

/** On a terminal, what has been looked at so far; nothing of it stays. */
async function openProgress(
  context: Context,
): Promise<{ part(name: string, work: Checks): Checks; end(): void }> {
  const isSeen = context.stdout.isTTY && !context.options.json;
  const ink = isSeen ? await openInk(context) : undefined;
  if (ink === undefined) return { part: (_, work) => work, end: () => {} };
  const [{ createElement }, { DoctorProgress }] = await Promise.all([
    import("react"),
    import("../../doctor/progress.tsx"),
  ]);
  const parts: Part[] = [];
  const show = () => ink.show(createElement(DoctorProgress, { parts: [...parts] }));
  return {
    async part(name, work) {
      const at = parts.push({ name, checks: undefined }) - 1;
      show();
      const checks = await work;
      parts[at] = { name, checks };
      show();
      return checks;
    },
    end: ink.end,
  };
}
