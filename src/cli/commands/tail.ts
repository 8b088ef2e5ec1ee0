// monitor tail <channel>...: every accepted update as received, one a line.

import type { SessionEvent } from "../../live/session.ts";
import { serviceMs } from "../../state/moment.ts";
import { printLine, printWithoutWaiting } from "../../system/print-line.ts";
import { formatIsoMs } from "../../units/time.ts";
import { visible } from "../../units/visible.ts";
import { formatJson } from "../../wire/json.ts";
import { type Context, EXIT, stoppedExitCode } from "../context.ts";
import { checkReached, type Live, withLive } from "../live.ts";
import { prepare, type Task } from "../prepare.ts";
import { parseChannels } from "../targets.ts";

/** What --events prints. */
export const EVENTS = new Set<SessionEvent["event"]>([
  ...(["connected", "disconnected", "gap", "resync", "refresh", "rejected"] as const),
  ...(["refused", "late", "repeat"] as const),
]);

export async function run(context: Context): Promise<number> {
  const channels = parseChannels(context.args);
  const task = await prepare(context);
  return withLive(task, [], async (live) => {
    printUpdates(task, live);
    noteEvents(task, live);
    printWithoutWaiting(task.stdout);
    live.begin(undefined);
    live.session.setChannels(channels);
    const end = await live.until(() => false, task.options.for);
    if (end === "interrupted") return stoppedExitCode(task);
    checkReached(live);
    return EXIT.done;
  });
}

/** A reader that is slow, or has stopped, is waited for: what it does not take waits in the network, not in memory. */
function printUpdates({ stdout }: Task, { session, listen }: Live): void {
  const goOn = () => session.hold(false);
  listen({
    onUpdate({ text }) {
      printLine({ stdout }, text);
      if (!stdout.writableNeedDrain || stdout.listeners("drain").includes(goOn)) return;
      session.hold(true);
      stdout.once("drain", goOn);
    },
  });
}

function noteEvents(task: Task, { session: { store }, listen }: Live): void {
  const { clock, options, stderr } = task;
  const say = (words: string) => stderr.write(`monitor: ${visible(words)}\n`);
  let isOut = false;
  listen({
    onEvent({ event, channel = null, detail }) {
      if (event === "refused" && channel !== null) say(`${channel} is refused: ${detail}`);
      if (event === "disconnected" && !isOut) say(`no connection, trying again: ${detail}`);
      if (event === "disconnected" || event === "connected") isOut = event === "disconnected";
      if (!options.events || !EVENTS.has(event)) return;
      const at = formatIsoMs(serviceMs({ store, nowMs: clock.now(), wallMs: clock.wall() }));
      printLine(task, formatJson({ event, channel, at, detail }));
    },
  });
}
