// monitor tail <channel>...: every accepted update as received, one a line.

import type { Context } from "../args/context.ts";
import { parseChannels } from "../args/targets.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import { createTailEvents } from "../live/tail-event.ts";
import { jsonText } from "../print/json-text.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import { liveService, prepare } from "./prepare.ts";
import { withRecording } from "./recording.ts";

/** @throws {UsageError} on an invalid argument or setting; {ServiceError} when the service cannot be reached */
export async function run(context: Context): Promise<number> {
  const channels = parseChannels(context.args);
  const { settings } = await prepare(context);
  const { headers, knownScales } = settings;
  const service = { url: liveService(settings).url, headers, audit: false };
  const facts = { command: "tail", channels: [...channels], knownScales };
  const { record } = context.options;
  return withRecording(
    context,
    record,
    async () => service,
    facts,
    async (findService) => {
      const session = new HeadlessSession(context, await findService(), createPrinter(context));
      try {
        return await session.observe(channels, () => false);
      } finally {
        session.close();
      }
    },
  );
}

/** Frames and events go to stdout; refusals and outages to stderr. */
function createPrinter(context: Context): StreamListener {
  const { clock, options } = context;
  const tailEvent = createTailEvents();
  const complain = createComplaints(context);
  return (event) => {
    if (event.type === "update") {
      printLine(context, event.update.message);
      return;
    }
    complain(event);
    const emitted = tailEvent(event);
    if (emitted === undefined || !options.events) return;
    const { detail, ...names } = emitted;
    printLine(context, jsonText({ ...names, at: formatIsoMs(clock.wall()), detail }));
  };
}

/** Reports on stderr each refused channel, and each outage once. */
function createComplaints({ stderr }: Context): StreamListener {
  const say = (text: string) => stderr.write(`monitor: ${visible(text)}\n`);
  let isOut = false;
  return (event) => {
    if (event.type === "refused") {
      say(`${event.channel} is refused: ${event.code} ${event.message}`);
    }
    if (event.type !== "link") return;
    const { state, fault } = event.link;
    if (state === "waiting" && !isOut) say(`no connection, trying again: ${fault?.detail ?? ""}`);
    isOut = state !== "open" && (isOut || state === "waiting");
  };
}
