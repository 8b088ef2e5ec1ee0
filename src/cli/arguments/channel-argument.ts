// Channels as they are named on the command line.
import { CHANNEL_GRAMMAR, parseChannel } from "../../protocol/channel.ts";
import { UsageError } from "../../units/monitor-error.ts";

/**
 * Checks channel names; each is meant once, however often it is given.
 * @throws {UsageError} that lists the forms when one of them has none
 */
export function parseChannels(args: readonly string[]): ReadonlySet<string> {
  for (const channel of args) {
    if (parseChannel(channel) !== undefined) continue;
    const forms = Object.values(CHANNEL_GRAMMAR).map(({ form }) => form);
    throw new UsageError(`not a channel: ${channel}`, `expected: ${forms.join(", ")}`);
  }
  return new Set(args);
}
