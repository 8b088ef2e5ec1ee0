// A view without a screen: printed once its data is there, after a time, or as a line every second.

import type { HeadlessView } from "../print/headless-view.ts";
import type { Store } from "../state/store.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { printLine, printWithoutWaiting } from "../system/print-line.ts";
import { every } from "../units/clock.ts";
import { UsageError } from "../units/monitor-error.ts";
import { visible } from "../units/visible.ts";
import { formatJson } from "../wire/json.ts";
import { checkRules } from "./alerts.ts";
import { type Context, EXIT, stoppedExitCode } from "./context.ts";
import { measureCost } from "./cost.ts";
import { areAnswered, DEFAULT_TIMEOUT_MS, type Live, statusesOf, type WaitEnd } from "./live.ts";

/** Between two lines of a view that keeps running. */
const LINE_PERIOD_MS = 1000;
/** What is not necessary for a view is waited for so much longer. */
const PATIENCE_MS = 2000;

/** Values of INK_SCREEN_READER that mean off. */
const OFF = new Set([undefined, "", "0", "false"]);

/** True if output is lines, text or JSON although there may be a terminal. @throws {UsageError} for options that exclude each other */
export function isHeadless(context: Context): boolean {
  const { once, for: forMs, json, mask, alert } = context.options;
  const isLines = isChosen(context) || lackOf(context) !== undefined;
  if (once && forMs !== undefined)
    throw new UsageError("--once and --for exclude each other", "give one of them");
  if (json && mask)
    throw new UsageError("--json prints records as received, which --mask would hide");
  if (isLines && alert !== undefined)
    throw new UsageError("--alert needs the screen", "without one, see monitor watch");
  // The market that is meant where a rule names none is on the screen.
  checkRules(context.options, "perp/1");
  return isLines;
}

function isChosen({ options: { once, for: forMs, json, plain }, env }: Context): boolean {
  return Boolean(plain || once || json) || forMs !== undefined || !OFF.has(env.INK_SCREEN_READER);
}

/** What a screen would need: a screen without keys is none. */
function lackOf({ env, stdin, stdout }: Context): string | undefined {
  if (stdout.isTTY !== true) return "standard output is not a terminal";
  if (env.TERM === "dumb") return "this terminal cannot show a screen (TERM=dumb)";
  return stdin.isTTY === true ? undefined : "the keyboard is not a terminal";
}

/**
 * Prints a view in the form that --once, --for and --json ask for.
 * @returns the exit code: 0 if all data was received, 1 if some never was
 * @throws {ServiceError} if the first connection cannot be made
 */
export async function runHeadless(
  context: Context,
  live: Live,
  view: HeadlessView,
): Promise<number> {
  const { options, clock, stdout, stderr } = context;
  const { once, for: forMs, timeout = DEFAULT_TIMEOUT_MS, json } = options;
  const { store } = live.session;
  const meter = measureCost(clock);
  // A list has no place for what it costs.
  const withCost = (shown: object) =>
    !options.stats || Array.isArray(shown) ? shown : { ...shown, perf: meter.cost() };
  const print = (form: "page" | "line") => {
    const moment = { store, nowMs: clock.now(), wallMs: clock.wall() };
    printLine(context, json ? formatJson(withCost(view.json(moment))) : view[form](moment));
    live.recorder.print(form, moment.nowMs, moment.wallMs);
  };
  const follow = () => {
    meter.noteUpdate();
    live.session.setChannels([...view.needed(store), ...view.besides(store)]);
  };

  follow();
  live.listen({ onUpdate: follow });
  if (once || forMs !== undefined) {
    const end = await (once ? untilAnswered(live, view, timeout) : live.until(() => false, forMs));
    const isStopped = end === "interrupted";
    if (once && isStopped) return stoppedExitCode(context);
    print("page");
    const code = sayMissing(context, view, store);
    return isStopped ? stoppedExitCode(context) : code;
  }
  if (stdout.isTTY && !isChosen(context))
    stderr.write(`monitor: ${lackOf(context)}: a line every second in place of the screen\n`);
  printWithoutWaiting(stdout);
  // A reader that takes no lines gets a newer one later.
  const stop = every(clock, LINE_PERIOD_MS, () => stdout.writableNeedDrain || print("line"));
  await live.until(() => false).finally(stop);
  return stoppedExitCode(context);
}

/** Until all that the view needs is answered, and for a little what is good to have; the channels are subscribed. */
async function untilAnswered(
  live: Live,
  view: Pick<HeadlessView, "needed" | "besides">,
  timeoutMs: number,
): Promise<WaitEnd> {
  const { store } = live.session;
  const isComplete = () => areAnswered(live, view.needed(store));
  const end = await live.until(isComplete, timeoutMs);
  if (end !== "met") return end;
  const areAllHere = () => isComplete() && areAnswered(live, view.besides(store));
  return live.until(areAllHere, Math.min(PATIENCE_MS, timeoutMs));
}

/** @returns the exit code: 1 where something that the view needs never came */
export function sayMissing(
  { stderr }: Pick<Context, "stderr">,
  view: Pick<HeadlessView, "needed">,
  store: Store,
): number {
  const groups = new Map<string, string[]>();
  for (const status of statusesOf(store, view.needed(store))) {
    if (status.lastAtMs !== undefined) continue;
    const why = whyMissing(status, store);
    groups.set(why, [...(groups.get(why) ?? []), nameOf(status)]);
  }
  if (groups.size === 0) return EXIT.done;
  const words = [...groups].map(([why, names]) => `${names.join(", ")} (${why})`);
  stderr.write(`monitor: not complete: ${visible(words.join("; "))}\n`);
  return EXIT.failed;
}

/** Its kind, and what tells several of a kind apart; no addresses. */
function nameOf({ channel }: ChannelStatus): string {
  const [kind = "", first, id] = channel.split("/");
  if (kind === "market-stats") return `${kind}/${first}`;
  return kind === "account" ? `${kind} ${id}` : kind;
}

/** Why nothing was received. May hold text of the service. */
function whyMissing({ phase, error }: ChannelStatus, { link }: Store): string {
  if (link.state !== "open") return `no connection: ${link.fault?.detail ?? "none yet"}`;
  if (error === undefined) return "no data received";
  return `${phase === "refused" ? phase : "unavailable"}: ${error.code}: ${error.message}`;
}
