// Faults of the REST listings.
import * as z from "zod";
import { createPattern } from "./channel-pattern.ts";
import { type FaultContext, faultKind, type RestFault, type RestTrouble } from "./fault.ts";
import { createLuck, pattern, probability, when } from "./fault-timing.ts";

/** Paths concerned, without the prefix, `*` for anything. */
const byLuck = { paths: pattern, probability, when };

function troubling(
  settings: z.output<z.ZodObject<typeof byLuck>>,
  context: FaultContext,
  trouble: RestTrouble,
): RestFault {
  const matches = createPattern(settings.paths);
  const strikes = createLuck(settings, context);
  return {
    trouble(path) {
      if (!matches(path) || !strikes()) return undefined;
      context.strike();
      return trouble;
    },
  };
}

/** Requests are refused with a status. */
export const restError = faultKind(
  z.strictObject({
    kind: z.literal("rest-error"),
    ...byLuck,
    status: z.int().min(400).max(599).default(503),
    /** Sent as Retry-After: seconds, or any other text as it is. */
    retry_after_s: z
      .union([z.int().min(0).max(3600), z.string().regex(/^[\x20-\x7e]{0,64}$/)])
      .optional(),
  }),
  {
    rest(settings, context) {
      const { status, retry_after_s } = settings;
      const headers: Record<string, string> =
        retry_after_s === undefined ? {} : { "retry-after": String(retry_after_s) };
      const message = "the simulator's REST fault";
      return troubling(settings, context, { type: "error", status, headers, message });
    },
  },
);

const plain = <K extends string>(kind: K) => z.strictObject({ kind: z.literal(kind), ...byLuck });

/** Requests are never answered. */
export const restHang = faultKind(plain("rest-hang"), {
  rest: (settings, context) => troubling(settings, context, { type: "hang" }),
});

/** The connection is cut in the middle of an answer. */
export const restCut = faultKind(plain("rest-cut"), {
  rest: (settings, context) => troubling(settings, context, { type: "cut" }),
});

/** A page for people comes instead of a listing, with status 200. */
export const restHtml = faultKind(plain("rest-html"), {
  rest: (settings, context) => troubling(settings, context, { type: "html" }),
});

/** Answers come so many bytes a second. */
export const restSlow = faultKind(
  z.strictObject({
    kind: z.literal("rest-slow"),
    ...byLuck,
    bytes_per_s: z.int().min(1).max(100_000_000).default(100),
  }),
  {
    rest: (settings, context) =>
      troubling(settings, context, { type: "slow", bytesPerSecond: settings.bytes_per_s }),
  },
);
