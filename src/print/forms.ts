// A view without a screen: a page once its data has been received, a page after a time, or a line every second.

import { type Context, EXIT, interruptedExitCode, stoppedExitCode } from "../args/context.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import type { Feed } from "../state/feed.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { every } from "../units/clock.ts";
import type { Link } from "../wire/stream-event.ts";
import { jsonText } from "./json-text.ts";

/** Between two lines of a view that keeps running. */
const LINE_PERIOD_MS = 1000;

export interface HeadlessSnapshot {
  /** The moment, monotonic milliseconds. */
  readonly nowMs: number;
  line(): string;
  page(): string;
  json(): object;
  /** What was never received, each with the reason; empty if the view is complete. */
  missing(): readonly string[];
}

export interface HeadlessView {
  /** Something was received: subscriptions may have to change. */
  follow?(): void;
  /** True if waiting brings nothing more: everything was received or refused. */
  isSettled(): boolean;
  snapshot(): HeadlessSnapshot;
  close?(): void;
}

/** Returns undefined if it was interrupted. */
type OpenView = (
  session: HeadlessSession,
  service: Service,
) => HeadlessView | Promise<HeadlessView | undefined>;

/**
 * Opens a session, and prints its view in the form requested by --once, --for and --json.
 * @returns the exit code: 0 if all data was received, 1 if some never was
 * @throws {ServiceError} if the first connection cannot be made; also what `open` throws
 */
export async function printLive(
  context: Context,
  { findService }: { readonly findService: () => Promise<Service> },
  open: OpenView,
): Promise<number> {
  const service = await findService();
  const session = new HeadlessSession(context, service);
  let view: HeadlessView | undefined;
  try {
    view = await open(session, service);
    if (view === undefined) return interruptedExitCode(context.interrupt);
    return await printView(context, session, view);
  } finally {
    view?.close?.();
    session.close();
  }
}

async function printView(
  context: Context,
  session: HeadlessSession,
  view: HeadlessView,
): Promise<number> {
  const { options, interrupt, clock, stderr } = context;
  const { once, for: forMs, timeout = DEFAULT_TIMEOUT_MS, json } = options;
  const until = (isMet: () => boolean, timeoutMs: number) =>
    session.until(() => {
      view.follow?.();
      return isMet();
    }, timeoutMs);
  const print = (form: "page" | "line") => {
    const now = view.snapshot();
    // A recording notes what was shown.
    session.live.shown(now.nowMs);
    printLine(context, json ? jsonText(withCost(now.json(), session)) : now[form]());
    return now;
  };
  const printPage = () => {
    const missing = print("page").missing();
    if (missing.length === 0) return EXIT.done;
    stderr.write(`monitor: not complete: ${visible(missing.join(", "))}\n`);
    return EXIT.failed;
  };

  if (once) {
    const end = await until(() => view.isSettled(), timeout);
    return end === "interrupted" ? interruptedExitCode(interrupt) : printPage();
  }
  if (forMs !== undefined) {
    const end = await until(() => false, forMs);
    const code = printPage();
    return end === "interrupted" ? interruptedExitCode(interrupt) : code;
  }
  // One line a second until it is interrupted.
  const stop = every(clock, LINE_PERIOD_MS, () => print("line"));
  try {
    await until(() => false, Number.POSITIVE_INFINITY);
  } finally {
    stop();
  }
  return stoppedExitCode(interrupt);
}

/** Adds performance figures if they are measured; a list has no place for them. */
function withCost(view: object, { meter }: HeadlessSession): object {
  return meter === undefined || Array.isArray(view) ? view : { ...view, perf: meter.json() };
}

/** Why nothing was received on a channel: `bbo (no data received)`. May contain text of the service. */
export function formatMissing(
  name: string,
  feed: Pick<Feed, "phase" | "reason">,
  link: Link | undefined,
): string {
  const { phase, reason } = feed;
  if (link?.state !== "open")
    return `${name} (no connection: ${link?.fault?.detail ?? "none yet"})`;
  return reason === undefined ? `${name} (no data received)` : `${name} (${phase}: ${reason})`;
}
