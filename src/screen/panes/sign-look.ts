// The look of a number that is a gain or a loss, a rise or a fall.
import { signOf } from "../../select/signed.ts";
import type { LookName } from "../theme.ts";

const LOOKS: Readonly<Record<ReturnType<typeof signOf>, LookName>> = {
  positive: "up",
  negative: "down",
  none: "text",
};

/** By the sign of decimal text; zero has no direction. Never throws. */
export function signLook(text: string): LookName {
  return LOOKS[signOf(text)];
}
