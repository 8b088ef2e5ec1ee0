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
import { type Context, EXIT, type Options, stoppedExitCode } from "./context.ts";
import { measureCost } from "./cost.ts";
import { DEFAULT_TIMEOUT_MS, type Live, type WaitEnd } from "./live.ts";

/** Between two lines of a view that keeps running. */
const LINE_PERIOD_MS = 1000;
/** What is not necessary for a view is waited for so much longer. */
const PATIENCE_MS = 2000;

/** Values of INK_SCREEN_READER that mean off. */
const OFF = new Set([undefined, "", "0", "false"]);

/** True if output is lines, text or JSON although there may be a terminal. @throws {UsageError} for options that exclude each other */
export function isHeadless(context: Context): boolean {
  const isLines = isChosen(context) || lackOf(context) !== undefined;
  checkForms(context.options, isLines);
  return isLines;
}

function isChosen({ options: { once, for: forMs, json, plain }, env }: Context): boolean {
  const isPlain = plain === true || !OFF.has(env.INK_SCREEN_READER);
  return isPlain || once === true || json === true || forMs !== undefined;
}

/** What a screen would need: a screen without keys is none. */
function lackOf({ env, stdin, stdout }: Context): string | undefined {
  if (stdout.isTTY !== true) return "standard output is not a terminal";
  if (env.TERM === "dumb") return "this terminal cannot show a screen (TERM=dumb)";
  return stdin.isTTY === true ? undefined : "the keyboard is not a terminal";
}

function checkForms(options: Options, isLines: boolean): void {
  const { once, for: forMs, json, mask, alert } = options;
  if (once && forMs !== undefined) {
    throw new UsageError("--once and --for exclude each other", "give one of them");
  }
  if (json && mask) {
    throw new UsageError(
      "--json prints records as received, and --mask would hide parts of them",
      "leave one of them out",
    );
  }
  if (isLines && alert !== undefined) {
    throw new UsageError(
      "--alert needs the screen",
      "leave out --once, --for, --json and --plain, on a terminal; or see monitor watch",
    );
  }
  // The market that is meant where a rule names none is on the screen.
  checkRules(options, "perp/1");
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
  const meter = json && options.stats ? measureCost(clock) : undefined;
  // A list has no place for it.
  const withCost = (shown: object) =>
    meter === undefined || Array.isArray(shown) ? shown : { ...shown, perf: meter.cost() };
  const follow = () => live.session.setChannels([...view.needed(store), ...view.besides(store)]);
  const print = (form: "page" | "line") => {
    const moment = { store, nowMs: clock.now(), wallMs: clock.wall() };
    printLine(context, json ? formatJson(withCost(view.json(moment))) : view[form](moment));
    live.recorder.print(form, moment.nowMs, moment.wallMs);
  };
  const printPage = (): number => {
    print("page");
    return sayMissing(context, view, store);
  };

  follow();
  live.listen({ onUpdate: follow });
  if (meter !== undefined) live.listen({ onUpdate: meter.noteUpdate });
  if (once) {
    const end = await untilAnswered(live, view, timeout);
    return end === "interrupted" ? stoppedExitCode(context) : printPage();
  }
  if (forMs !== undefined) {
    const end = await live.until(() => false, forMs);
    const code = printPage();
    return end === "interrupted" ? stoppedExitCode(context) : code;
  }
  if (stdout.isTTY && !isChosen(context))
    stderr.write(`monitor: ${lackOf(context)}: a line every second in place of the screen\n`);
  printWithoutWaiting(stdout);
  // A reader that takes no lines gets a newer one later.
  const stop = every(clock, LINE_PERIOD_MS, () => stdout.writableNeedDrain || print("line"));
  try {
    await live.until(() => false, Number.POSITIVE_INFINITY);
  } finally {
    stop();
  }
  return stoppedExitCode(context);
}

/** Until all that the view needs is answered, and for a little what is good to have; the channels are subscribed. */
async function untilAnswered(
  { session: { store }, until }: Live,
  view: Pick<HeadlessView, "needed" | "besides">,
  timeoutMs: number,
): Promise<WaitEnd> {
  const isAnswered = ({ lastAtMs, phase }: ChannelStatus) =>
    lastAtMs !== undefined || phase === "refused";
  const areAnswered = (channels: readonly string[]) =>
    channels.flatMap((channel) => store.channels.get(channel) ?? []).every(isAnswered);
  const isComplete = () => areAnswered(view.needed(store));
  const end = await until(isComplete, timeoutMs);
  if (end !== "met") return end;
  const areAllHere = () => isComplete() && areAnswered(view.besides(store));
  return until(areAllHere, Math.min(PATIENCE_MS, timeoutMs));
}

/** @returns the exit code: 1 where something that the view needs never came */
export function sayMissing(
  { stderr }: Pick<Context, "stderr">,
  view: Pick<HeadlessView, "needed">,
  store: Store,
): number {
  const missing = view
    .needed(store)
    .flatMap((channel) => store.channels.get(channel) ?? [])
    .filter(({ lastAtMs }) => lastAtMs === undefined);
  const whys = new Set(missing.map((status) => whyMissing(status, store)));
  const groups = [...whys].map((why) => {
    const names = missing.filter((status) => whyMissing(status, store) === why).map(nameOf);
    return `${names.join(", ")} (${why})`;
  });
  if (groups.length === 0) return EXIT.done;
  stderr.write(`monitor: not complete: ${visible(groups.join("; "))}\n`);
  return EXIT.failed;
}

/** Where there may be several of a kind. */
const LONG_NAMES: Readonly<Record<string, (rest: readonly string[]) => string>> = {
  account: ([, id]) => `account ${id}`,
  "market-stats": ([type]) => `market-stats/${type}`,
};

function nameOf({ channel }: ChannelStatus): string {
  const [kind = "", ...rest] = channel.split("/");
  return LONG_NAMES[kind]?.(rest) ?? kind;
}

/** Why nothing was received. May hold text of the service. */
function whyMissing({ phase, error }: ChannelStatus, { link }: Store): string {
  if (link.state !== "open") return `no connection: ${link.fault?.detail ?? "none yet"}`;
  if (error === undefined) return "no data received";
  return `${phase === "refused" ? phase : "unavailable"}: ${error.code}: ${error.message}`;
}
