// Faults of delivery: updates that get lost, come twice, late, in the wrong order, or not at all.
import * as z from "zod";
import { createPattern } from "./channel-pattern.ts";
import { type FaultContext, faultKind, type OutgoingFrame } from "./fault.ts";
import { createLuck, createSpell, durationMs, pattern, probability, when } from "./fault-timing.ts";

/** Makes a test for updates of matching channels. */
function updatesOf(channels: string): (frame: OutgoingFrame) => boolean {
  const matches = createPattern(channels);
  return ({ channel }) => channel !== undefined && matches(channel);
}

/** Updates that a client can miss: their channel is chained, and they are not the first. */
function isMissable({ isSequenced, isFirst }: OutgoingFrame): boolean {
  return isSequenced && !isFirst;
}

/** Updates of matching channels, each with a chance. */
export const byLuck = { channels: pattern, probability, when };

/** Frames of chained channels are lost, never the first after a subscribe: the client sees a gap. */
export const dropFrame = faultKind(z.strictObject({ kind: z.literal("drop-frame"), ...byLuck }), {
  stream(settings, context) {
    const isConcerned = updatesOf(settings.channels);
    const strikes = createLuck(settings, context);
    return {
      frames(frame) {
        if (!isMissable(frame) || !isConcerned(frame) || !strikes()) return [frame];
        context.strike();
        return [];
      },
    };
  },
});

/** Updates come twice. */
export const duplicateFrame = faultKind(
  z.strictObject({ kind: z.literal("duplicate-frame"), ...byLuck }),
  {
    stream(settings, context) {
      const isConcerned = updatesOf(settings.channels);
      const strikes = createLuck(settings, context);
      return {
        frames(frame) {
          if (!isConcerned(frame) || !strikes()) return [frame];
          context.strike();
          return [frame, frame];
        },
      };
    },
  },
);

/** An update of a chained channel comes after the one that follows it. */
export const reorderFrames = faultKind(
  z.strictObject({ kind: z.literal("reorder-frames"), ...byLuck }),
  {
    stream(settings, context) {
      const isConcerned = updatesOf(settings.channels);
      const strikes = createLuck(settings, context);
      const held = new Map<string, OutgoingFrame>();
      return {
        frames(frame) {
          const { channel = "", isFirst } = frame;
          const before = held.get(channel);
          held.delete(channel);
          if (before !== undefined) return isFirst ? [frame] : [frame, before];
          if (!isMissable(frame) || !isConcerned(frame) || !strikes()) return [frame];
          context.strike();
          held.set(channel, frame);
          return [];
        },
      };
    },
  },
);

/** After a new subscribe, the last frame of the subscription before comes once more, behind the first frame. */
export const lateFrame = faultKind(z.strictObject({ kind: z.literal("late-frame"), ...byLuck }), {
  stream(settings, context) {
    const isConcerned = updatesOf(settings.channels);
    const strikes = createLuck(settings, context);
    const last = new Map<string, OutgoingFrame>();
    return {
      frames(frame) {
        const { channel = "", isFirst, isSequenced } = frame;
        if (!isSequenced || !isConcerned(frame)) return [frame];
        const before = isFirst ? last.get(channel) : undefined;
        last.set(channel, frame);
        if (before === undefined || !strikes()) return [frame];
        context.strike();
        return [frame, { ...before, isFirst: false }];
      },
    };
  },
});

/** Updates come late, all by the same time, so that their order stays. */
export const delayFrames = faultKind(
  z.strictObject({
    kind: z.literal("delay-frames"),
    channels: pattern,
    delay_ms: durationMs,
    when,
  }),
  {
    stream({ channels, delay_ms, when: times }, context, target) {
      const { clock } = context;
      const isConcerned = updatesOf(channels);
      const timers = new Set<() => void>();
      // Frames that come when the time is over must not overtake those that are still held.
      let heldUntilMs = Number.NEGATIVE_INFINITY;
      const isOn = createSpell(times, context);
      const hold = (frame: OutgoingFrame) => {
        const undo = clock.after(Math.max(0, heldUntilMs - clock.now()), () => {
          timers.delete(undo);
          target.send(frame);
        });
        timers.add(undo);
      };
      return {
        frames(frame) {
          // Answers wait behind the updates that were said before them.
          if (timers.size > 0 && frame.channel === undefined) {
            hold(frame);
            return [];
          }
          if (!isConcerned(frame)) return [frame];
          if (isOn()) heldUntilMs = clock.now() + delay_ms;
          if (clock.now() >= heldUntilMs) return [frame];
          hold(frame);
          return [];
        },
        stop() {
          for (const undo of timers) undo();
        },
      };
    },
  },
);

/** Updates of matching channels do not come, while everything else goes on. */
export const silence = faultKind(
  z.strictObject({ kind: z.literal("silence"), channels: pattern, when }),
  {
    stream({ channels, when: times }, context) {
      const isConcerned = updatesOf(channels);
      const isOn = createSpell(times, context);
      return {
        // Asked for each frame: silence begins whether or not there is anything to say.
        frames: (frame) => (isOn() && isConcerned(frame) ? [] : [frame]),
      };
    },
  },
);

/** A frame whose text a fault has changed. Never throws. */
export function withText(frame: OutgoingFrame, text: string): OutgoingFrame {
  return { ...frame, text };
}

/** Changes the text of updates now and then; the change may answer undefined to leave a frame alone. Never throws. */
export function changingText(
  settings: z.output<z.ZodObject<typeof byLuck>>,
  context: FaultContext,
  change: (frame: OutgoingFrame) => string | undefined,
) {
  const isConcerned = updatesOf(settings.channels);
  const strikes = createLuck(settings, context);
  return {
    frames(frame: OutgoingFrame): readonly OutgoingFrame[] {
      if (!isConcerned(frame) || !strikes()) return [frame];
      const text = change(frame);
      if (text === undefined) return [frame];
      context.strike();
      return [withText(frame, text)];
    },
  };
}
