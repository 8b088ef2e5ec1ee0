// monitor doctor [market]: checks of the service, the network path to it, the terminal and the settings.

import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { chosenAccount, parseMarket } from "../args/targets.ts";
import {
  configFinding,
  networkFindings,
  restFindings,
  streamFindings,
  terminalFindings,
} from "../doctor/findings.ts";
import { openPoints } from "../doctor/open-points.ts";
import { countVerdicts, reportJson, reportText } from "../doctor/report.ts";
import { examineRest } from "../doctor/rest.ts";
import { examineStream } from "../doctor/stream.ts";
import type { Service } from "../live/service.ts";
import { printLine } from "../system/print-line.ts";
import { UsageError } from "../units/monitor-error.ts";
import { liveService, prepare } from "./prepare.ts";

/** Exits with 1 if a check fails. @throws {UsageError} on an invalid argument or setting */
export async function run(context: Context): Promise<number> {
  const startedAt = context.clock.now();
  const { file, settings } = await prepare(context);
  const account = chosenAccount(context.options, settings.accounts);
  const market = parseMarket(context.args[0] ?? "perp/1", settings.aliases);
  if ("symbol" in market) {
    throw new UsageError(
      `doctor needs a market by type and id, not ${market.symbol}`,
      "expected: perp/1, spot/2",
    );
  }
  const service = liveService(settings);
  const { baseUrl } = service;
  const [network, stream, rest] = await Promise.all([
    waysTo(context, service),
    examineStream(context, service, market, account),
    baseUrl === undefined ? undefined : examineRest(context, { ...service, baseUrl }, market),
  ]);
  if (context.interrupt.aborted) return interruptedExitCode(context.interrupt);
  const findings = [
    configFinding(file),
    ...network,
    ...streamFindings(stream),
    ...restFindings(rest),
    ...terminalFindings(context),
  ];
  const report = {
    findings,
    points: openPoints({ stream, rest, findings }),
    requests: stream.notes.commands + 1 + stream.auditRequests + (rest?.requests ?? 0),
    tookMs: context.clock.now() - startedAt,
  };
  const columns = context.stdout.isTTY ? context.stdout.columns : undefined;
  printLine(context, context.options.json ? reportJson(report) : reportText(report, columns));
  return countVerdicts(findings).fail > 0 ? EXIT.failed : EXIT.done;
}

async function waysTo(context: Context, { url, baseUrl }: Service) {
  const ws = await networkFindings(context, "ws", url);
  const rest = baseUrl === undefined ? [] : await networkFindings(context, "rest", baseUrl);
  return [...ws, ...rest];
}
