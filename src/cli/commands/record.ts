// monitor record <channel>... -o FILE: everything received, sent and concluded.

import { UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { type Context, EXIT, stoppedExitCode } from "../context.ts";
import { checkReached, type Live, liveService, withLive } from "../live.ts";
import { prepare } from "../prepare.ts";
import { parseChannels } from "../targets.ts";

export async function run(given: Context): Promise<number> {
  const channels = parseChannels(given.args);
  const { output, for: forMs } = given.options;
  if (output === undefined)
    throw new UsageError("record needs a file", "expected: monitor record <channel>... -o FILE");
  const { settings } = await prepare(given);
  const context = { ...given, options: { ...given.options, record: output } };
  const { stderr } = context;
  return withLive(context, liveService(context, settings), [...channels], async (live) => {
    let updates = 0;
    live.listen({
      onUpdate() {
        updates++;
      },
    });
    live.begin(undefined);
    const end = await live.until(() => live.hasFailed(), forMs ?? Number.POSITIVE_INFINITY);
    stderr.write(`${visible(summary(live, updates))}\n`);
    if (end === "interrupted") return stoppedExitCode(context);
    checkReached(live);
    return EXIT.done;
  });
}

/** `120 updates of 1 of 2 channels, bbo/perp/9 refused (404: no such market)`. */
function summary({ session }: Live, updates: number): string {
  const statuses = [...session.store.channels.values()];
  const received = statuses.filter(({ lastAtMs }) => lastAtMs !== undefined);
  const refused = statuses.flatMap(({ channel, phase, error }) =>
    phase === "refused" && error ? [`${channel} refused (${error.code}: ${error.message})`] : [],
  );
  return [
    `${updates} updates of ${received.length} of ${statuses.length} channels`,
    ...refused,
  ].join(", ");
}
