// Faults of the connection itself: it ends, or it stays and does not do what it should.
import * as z from "zod";
import { faultKind } from "./fault.ts";
import { atEachMoment, duringTimes, hasMoments, moments, noMoments, when } from "./fault-timing.ts";

/** Codes that a close frame may carry (RFC 6455, 7.4). */
const closeCode = z.union([
  z.int().min(1000).max(1003),
  z.int().min(1007).max(1014),
  z.int().min(3000).max(4999),
]);

/** The connection ends about every so many milliseconds (half to one and a half times), with a close code. */
export const close = faultKind(
  z
    .strictObject({
      kind: z.literal("close"),
      ...moments,
      code: closeCode.default(1001),
      when,
    })
    .refine(hasMoments, noMoments),
  {
    stream: atEachMoment((target, { code }) => target.close(code, "the simulator's closing fault")),
  },
);

const atMomentsOnly = <K extends string>(kind: K) =>
  z.strictObject({ kind: z.literal(kind), ...moments, when }).refine(hasMoments, noMoments);

/** The connection is cut, without a close frame. */
export const terminate = faultKind(atMomentsOnly("terminate"), {
  stream: atEachMoment((target) => target.terminate()),
});

/** The connection is cut in the middle of a frame. */
export const cutFrame = faultKind(atMomentsOnly("cut-frame"), {
  stream: atEachMoment((target) => target.cutNextWrite()),
});

/** Nothing comes any more and nothing is heard, but the connection stays: a cable that was pulled. */
export const halfOpen = faultKind(atMomentsOnly("half-open"), {
  stream: atEachMoment((target) => target.freeze()),
});

/** Pings are not answered. */
export const noPong = faultKind(z.strictObject({ kind: z.literal("no-pong"), when }), {
  stream: (settings, context, target) => ({
    stop: duringTimes(context, settings.when, (isOn) => {
      if (isOn) context.strike();
      target.setPongs(!isOn);
    }),
  }),
});

/** Bytes leave at so many a second, and what does not fit waits. */
export const slowDrip = faultKind(
  z.strictObject({
    kind: z.literal("slow-drip"),
    bytes_per_s: z.int().min(1).max(100_000_000),
    when,
  }),
  {
    stream: (settings, context, target) => ({
      stop: duringTimes(context, settings.when, (isOn) => {
        if (isOn) context.strike();
        target.limitBytesPerSecond(isOn ? settings.bytes_per_s : undefined);
      }),
    }),
  },
);
