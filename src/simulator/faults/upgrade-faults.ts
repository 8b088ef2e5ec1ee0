// Faults before there is a connection.
import * as z from "zod";
import { type FaultContext, faultKind, type UpgradeFault, type UpgradeTrouble } from "./fault.ts";
import { createLuck, probability, when } from "./fault-timing.ts";

const byLuck = { probability: probability.default(1), when };

function troubling(
  settings: z.output<z.ZodObject<typeof byLuck>>,
  context: FaultContext,
  trouble: UpgradeTrouble,
): UpgradeFault {
  const strikes = createLuck(settings, context);
  return {
    trouble() {
      if (!strikes()) return undefined;
      context.strike();
      return trouble;
    },
  };
}

/** Upgrades to a WebSocket are answered by an HTTP status. */
export const refuseUpgrade = faultKind(
  z.strictObject({
    kind: z.literal("refuse-upgrade"),
    ...byLuck,
    status: z.int().min(300).max(599).default(503),
    /** Sent as Retry-After, in seconds. */
    retry_after_s: z.int().min(0).max(3600).optional(),
  }),
  {
    upgrade(settings, context) {
      const { status, retry_after_s } = settings;
      return troubling(settings, context, { type: "refuse", status, retryAfterS: retry_after_s });
    },
  },
);

/** Upgrades are never answered. */
export const hangUpgrade = faultKind(
  z.strictObject({ kind: z.literal("hang-upgrade"), ...byLuck }),
  { upgrade: (settings, context) => troubling(settings, context, { type: "hang" }) },
);
