// A view without a screen: a page once its data was received, a page after a time, or a line a second.

import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import type { Feed } from "../state/feed.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { every } from "../units/clock.ts";
import type { Link } from "../wire/stream-event.ts";
import { jsonText } from "./json-text.ts";

/** Between two lines of a view that goes on. */
const LINE_PERIOD_MS = 1000;

export interface HeadlessSnapshot {
  /** The moment, monotonic. */
  readonly nowMs: number;
  line(): string;
  page(): string;
  json(): object;
  /** What was never received, each with the reason; empty when the view is complete. */
  missing(): readonly string[];
}

export interface HeadlessView {
  /** Something was received: what is subscribed may have to change. */
  follow?(): void;
  /** True when nothing is gained by waiting: all is received, or refused. */
  isSettled(): boolean;
  snapshot(): HeadlessSnapshot;
  close?(): void;
}

/** Answers undefined when it was interrupted. */
type OpenView = (
  session: HeadlessSession,
  service: Service,
) => HeadlessView | Promise<HeadlessView | undefined>;

/**
 * Opens a session, and prints its view in the form that --once, --for and --json ask for.
 * @returns the exit code: 0 when the data came, 1 when some never did
 * @throws {ServiceError} when the first connection cannot be made; as `open`
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
    // A recording notes what was looked at.
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
  // One line a second until the user has had enough.
  const stop = every(clock, LINE_PERIOD_MS, () => print("line"));
  try {
    await until(() => false, Number.POSITIVE_INFINITY);
  } finally {
    stop();
  }
  return EXIT.done;
}

/** With what the program does and costs, where it is measured; a list has no place for it. */
function withCost(view: object, { meter }: HeadlessSession): object {
  return meter === undefined || Array.isArray(view) ? view : { ...view, perf: meter.json() };
}

/** Why there is nothing of a channel: `bbo (no data came)`. Text of the service may be in it. */
export function wordMissing(
  name: string,
  feed: Pick<Feed, "phase" | "reason">,
  link: Link | undefined,
): string {
  const { phase, reason } = feed;
  if (link?.state !== "open")
    return `${name} (no connection: ${link?.fault?.detail ?? "none yet"})`;
  return reason === undefined ? `${name} (no data came)` : `${name} (${phase}: ${reason})`;
}
