// monitor record <channel>...: everything received, sent and derived, to a file.

import type { Context } from "../args/context.ts";
import { parseChannels } from "../args/targets.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { liveService, prepare } from "./prepare.ts";
import { withRecording } from "./recording.ts";

/** @throws the recording's failure */
export async function run(context: Context): Promise<number> {
  const channels = parseChannels(context.args);
  const path = context.options.output;
  if (path === undefined) {
    throw new UsageError("record needs a file", "expected: monitor record <channel>... -o FILE");
  }
  const { settings } = await prepare(context);
  const { baseUrl, headers, knownScales } = settings;
  const service = { url: liveService(settings).url, baseUrl, headers, audit: false };
  const facts = { command: "record", channels: [...channels], knownScales };
  return withRecording(
    context,
    path,
    async () => service,
    facts,
    async (findService, hasFailed) => record(context, channels, await findService(), hasFailed),
  );
}

async function record(
  context: Context,
  channels: ReadonlySet<string>,
  service: Service,
  hasFailed: () => boolean,
): Promise<number> {
  let frames = 0;
  const session = new HeadlessSession(context, service, ({ type }) => {
    if (type === "update") frames++;
  });
  const summarise = () => {
    context.stderr.write(`${visible(formatSummary(session, frames, channels.size))}\n`);
  };
  try {
    return await session.observe(channels, hasFailed, summarise);
  } finally {
    session.close();
  }
}

function formatSummary(
  { live: { store } }: HeadlessSession,
  frames: number,
  subscribed: number,
): string {
  const received = store.slices.filter(({ feed }) => feed.frames > 0).length;
  const refused = store.slices.filter(({ feed }) => feed.phase === "refused");
  const words = refused.map(({ channel, feed }) => `${channel} refused (${feed.reason})`);
  return [`${frames} updates of ${received} of ${subscribed} channels`, ...words].join(", ");
}
