// monitor tail <channel>...: every accepted update as received, one a line.

import type { SessionEvent } from "../../live/session.ts";
import { serviceMs } from "../../state/moment.ts";
import { printLine, printWithoutWaiting } from "../../system/print-line.ts";
import { formatIsoMs } from "../../units/time.ts";
import { visible } from "../../units/visible.ts";
import { formatJson } from "../../wire/json.ts";
import { type Context, EXIT, stoppedExitCode } from "../context.ts";
import { checkReached, liveService, openLive } from "../live.ts";
import { prepare } from "../prepare.ts";
import { parseChannels } from "../targets.ts";

/** What --events prints. */
export const EVENTS = new Set<SessionEvent["event"]>([
  ...(["connected", "disconnected", "gap", "resync", "refresh", "rejected"] as const),
  ...(["refused", "late", "repeat"] as const),
]);

export async function run(context: Context): Promise<number> {
  const channels = parseChannels(context.args);
  const { settings } = await prepare(context);
  const { clock, options, stdout, stderr } = context;
  const live = openLive(context, liveService(context, settings), []);
  let isOut = false;
  let isHeld = false;
  /** A reader that is slow, or has stopped, is waited for: what it does not take waits in the network, not in memory. */
  const keepPace = () => {
    if (isHeld || !stdout.writableNeedDrain) return;
    isHeld = true;
    live.session.hold(true);
    stdout.once("drain", () => {
      isHeld = false;
      live.session.hold(false);
    });
  };
  live.listen({
    onUpdate({ text }) {
      printLine(context, text);
      keepPace();
    },
    onEvent({ event, channel, detail }) {
      const say = (words: string) => stderr.write(`monitor: ${visible(words)}\n`);
      if (event === "refused" && channel !== undefined) say(`${channel} is refused: ${detail}`);
      if (event === "disconnected" && !isOut) say(`no connection, trying again: ${detail}`);
      isOut = event === "disconnected" || (isOut && event !== "connected");
      if (!options.events || !EVENTS.has(event)) return;
      const { store } = live.session;
      const at = formatIsoMs(serviceMs({ store, nowMs: clock.now(), wallMs: clock.wall() }));
      printLine(context, formatJson({ event, channel: channel ?? null, at, detail }));
    },
  });
  printWithoutWaiting(stdout);
  live.begin(undefined);
  live.session.setChannels([...channels]);
  try {
    const end = await live.until(() => false, options.for ?? Number.POSITIVE_INFINITY);
    if (end === "interrupted") {
      return stoppedExitCode(context);
    }
    checkReached(live);
    return EXIT.done;
  } finally {
    await live.close();
  }
}
