// monitor record <channel>... -o FILE: everything received, sent and concluded.

import { UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { type Context, EXIT, stoppedExitCode } from "../context.ts";
import { checkReached, type Live, withLive } from "../live.ts";
import { prepare } from "../prepare.ts";
import { parseChannels } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const channels = parseChannels(context.args);
  const { output: record, for: forMs } = context.options;
  if (record === undefined)
    throw new UsageError("record needs a file", "expected: monitor record <channel>... -o FILE");
  const task = await prepare({ ...context, options: { ...context.options, record } });
  return withLive(task, channels, async (live) => {
    let updates = 0;
    live.listen({ onUpdate: () => void updates++ });
    live.begin(undefined);
    const end = await live.until(() => live.hasFailed(), forMs);
    context.stderr.write(`${visible(summary(live, updates))}\n`);
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
  const count = `${updates} updates of ${received.length} of ${statuses.length} channels`;
  return [count, ...refused].join(", ");
}
