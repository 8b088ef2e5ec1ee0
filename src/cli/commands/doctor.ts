// monitor doctor [market]: checks of the network, the service, its listings and the terminal, and how the service is read.

import { learn } from "../../dialect/dialect.ts";
import { type Check, check } from "../../doctor/check.ts";
import { checkListings, PREFIX } from "../../doctor/listings.ts";
import { checkNetwork, checkTerminal } from "../../doctor/machine.ts";
import type { Part } from "../../doctor/progress.tsx";
import { countVerdicts, reportJson, reportText } from "../../doctor/report.ts";
import { checkStream } from "../../doctor/stream.ts";
import { RestClient } from "../../listing/rest-client.ts";
import { parseMarketName } from "../../rows/market.ts";
import { printLine } from "../../system/print-line.ts";
import { formatIsoMs } from "../../units/time.ts";
import { holdsHeaders } from "../config/config-location.ts";
import type { Settings } from "../config/settings.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { askMarket } from "../find-market.ts";
import { liveService, openLive, type Service } from "../live.ts";
import { openInk } from "../plain-ink.ts";
import { type FoundConfig, learnedCursors, prepare } from "../prepare.ts";
import { chosenAccount } from "../targets.ts";

const WATCHED_MS = 12_000;

/** Exits with 1 if a check fails. @throws {UsageError} on an invalid argument or setting */
export async function run(context: Context): Promise<number> {
  const startedAtMs = context.clock.now();
  const { clock, options, interrupt, stdout } = context;
  const { file, settings } = await prepare(context);
  const service = liveService(context, settings);
  const market = await askMarket(context, settings, context.args[0] ?? "perp/1");
  const account = chosenAccount(options, settings.accounts);
  const progress = await openProgress(context);
  let cursor: string | undefined;
  const onCursor = (found: string) => {
    cursor = found;
  };
  const stream = progress.part(
    "stream",
    checkStream({
      clock,
      channels: channelsToCheck(market, account),
      timeoutMs: options.timeout ?? WATCHED_MS,
      signal: interrupt,
      open({ channels, onUpdate, onEvent }) {
        const live = openLive(context, service, channels);
        live.listen({ onUpdate, onEvent });
        return live.session;
      },
    }),
    ({ checks }) => checks,
  );
  const [network, listings, { checks: streamed, store }] = await Promise.all([
    progress.part("network", checkNetworks(context, service), (checks) => checks),
    progress.part("listings", checkRest(context, settings, market, onCursor), (checks) => checks),
    stream,
  ]).finally(progress.end);
  if (interrupt.aborted) return interruptedExitCode(interrupt);
  if (cursor !== undefined) {
    learnedCursors(context, settings).learn("trades", cursor);
    learn(store.dialect, "cursor.trades", cursor, formatIsoMs(clock.wall()).slice(0, 10));
  }
  const checks = [
    checkConfig(file),
    ...network,
    ...streamed,
    ...listings,
    ...checkTerminal({ env: context.env, isColorOff: options.noColor ?? false, stdout }),
  ];
  const report = { checks, store, tookMs: clock.now() - startedAtMs };
  const columns = stdout.isTTY ? stdout.columns : undefined;
  printLine(context, options.json ? reportJson(report) : reportText(report, columns));
  return countVerdicts(checks).fail > 0 ? EXIT.failed : EXIT.done;
}

function channelsToCheck(market: string, account: ReturnType<typeof chosenAccount>): string[] {
  const [type, id] = market.split("/");
  const { address, subaccountId = "0" } = account ?? {};
  return [
    ...["bbo", "orderbook", "trades", "market-stats"].map((kind) => `${kind}/${market}`),
    `candles/${market}/1m`,
    "markets",
    ...(type === "perp" ? [`mark-candles/${id}/1m`, `funding-rates/${id}`] : []),
    ...(address === undefined ? [] : [`accounts/${address}`, `account/${address}/${subaccountId}`]),
  ];
}

async function checkNetworks(context: Context, { wsUrl, baseUrl }: Service) {
  const checks = [checkNetwork("ws", new URL(wsUrl), context)];
  if (baseUrl !== undefined) checks.push(checkNetwork("rest", new URL(baseUrl), context));
  return (await Promise.all(checks)).flat();
}

async function checkRest(
  context: Context,
  settings: Settings,
  market: string,
  onCursor: (cursor: string) => void,
): Promise<readonly Check[]> {
  const { clock, random, interrupt: signal } = context;
  const { baseUrl, headers } = settings;
  const parsed = parseMarketName(market);
  if (baseUrl === undefined || parsed === undefined)
    return [check("rest.trades", "unknown", "not looked at: no --base-url")];
  const client = new RestClient({ baseUrl, headers, clock, random });
  const below = new RestClient({ baseUrl: baseUrl + PREFIX, headers, clock, random });
  try {
    return await checkListings({ client, below, market: parsed, clock, signal, onCursor });
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  } finally {
    await Promise.all([client.close(), below.close()]);
  }
}

function checkConfig({ path, mode, config }: FoundConfig): Check {
  const id = "config.file";
  if (mode === undefined) return check(id, "ok", `none at ${path}, and none is needed`);
  return mode.isOpen && holdsHeaders(config)
    ? check(id, "warn", `${path} holds headers and has mode ${mode.digits}: chmod 600 it`)
    : check(id, "ok", `${path}, mode ${mode.digits}`);
}

interface Progress {
  /** Shows a part as under way, then what was found. */
  part<T>(name: string, work: Promise<T>, checksOf: (found: T) => readonly Check[]): Promise<T>;
  end(): void;
}

/** On a terminal, what has been looked at so far; nothing of it stays. */
async function openProgress(context: Context): Promise<Progress> {
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
    async part(name, work, checksOf) {
      const at = parts.push({ name, checks: undefined }) - 1;
      show();
      const found = await work;
      parts[at] = { name, checks: checksOf(found) };
      show();
      return found;
    },
    end: ink.end,
  };
}
