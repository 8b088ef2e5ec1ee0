// Channels as they are named on the command line.

import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32 } from "../units/uint.ts";
import { CHANNEL_FORMS, formatChannel, parseTypedChannel } from "../wire/channels.ts";

/**
 * Reads channel names; each is meant once, however often and with however many zeros it is given.
 * @throws {UsageError} that lists the forms when one of them has none: nothing has been sent then
 */
export function parseChannels(args: readonly string[]): ReadonlySet<string> {
  return new Set(args.map((text) => formatChannel(parseOne(text))));
}

function parseOne(text: string) {
  const channel = parseTypedChannel(text);
  if (channel !== undefined) return channel;
  throw new UsageError(
    `not a channel: ${text}`,
    `expected: ${CHANNEL_FORMS.join(", ")}; ids are whole numbers from 0 to ${MAX_INT32}`,
  );
}
