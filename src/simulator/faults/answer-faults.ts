// Faults in what the service answers to commands.
import * as z from "zod";
import { ERROR_CODES } from "../../wire/limits.ts";
import { createPattern } from "./channel-pattern.ts";
import { faultKind } from "./fault.ts";
import {
  atEachBegin,
  createLuck,
  implausibleSpan,
  isPlausibleSpan,
  isWithin,
  pattern,
  probability,
  span,
  when,
} from "./fault-timing.ts";
import { withText } from "./frame-faults.ts";

/**
 * Streams are unavailable: a subscribe is answered by 503, and where the time begins on a subscribed
 * channel, the subscription ends with 503.
 */
export const unavailable = faultKind(
  z
    .strictObject({ kind: z.literal("unavailable"), channels: pattern, ...span })
    .refine(isPlausibleSpan, implausibleSpan),
  {
    stream(settings, context, target) {
      const matches = createPattern(settings.channels);
      const code = ERROR_CODES.streamUnavailable;
      const message = "stream unavailable";
      const stop = atEachBegin(context, settings, () => target.revoke(matches, code, message));
      return {
        refusal(channel) {
          if (!isWithin(settings, context.elapsedMs()) || !matches(channel)) return undefined;
          context.strike();
          return { code, message };
        },
        stop,
      };
    },
  },
);

/** A subscribe is obeyed and yet answered by 409. */
export const conflict = faultKind(
  z.strictObject({ kind: z.literal("conflict"), channels: pattern, probability, when }),
  {
    stream(settings, context, target) {
      const matches = createPattern(settings.channels);
      const strikes = createLuck(settings, context);
      return {
        subscribed(channel) {
          if (!matches(channel) || !strikes()) return;
          context.strike();
          target.refuse(ERROR_CODES.duplicateSubscription, "already subscribed", channel);
        },
      };
    },
  },
);

/** Error frames do not name their channel. */
export const anonymousErrors = faultKind(
  z.strictObject({ kind: z.literal("anonymous-errors"), probability, when }),
  {
    stream(settings, context) {
      const strikes = createLuck(settings, context);
      return {
        frames(frame) {
          if (frame.type !== "error" || !strikes()) return [frame];
          context.strike();
          const { channel: _, ...nameless } = JSON.parse(frame.text);
          return [withText(frame, JSON.stringify(nameless))];
        },
      };
    },
  },
);

/** An unsubscribe is obeyed, and not confirmed. */
export const noFarewell = faultKind(
  z.strictObject({ kind: z.literal("no-farewell"), probability, when }),
  {
    stream(settings, context) {
      const strikes = createLuck(settings, context);
      return {
        frames(frame) {
          if (frame.type !== "unsubscribed" || !strikes()) return [frame];
          context.strike();
          return [];
        },
      };
    },
  },
);
