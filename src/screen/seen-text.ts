// Text of the session, such as channel names and messages of the service, as others may see it.
import { maskText } from "../select/mask.ts";
import type { Dashboard } from "./dashboard.ts";

/** The text, without any address while the screen is masked. */
export function seenText(
  { isMasked, account }: Pick<Dashboard, "isMasked" | "account">,
  text: string,
): string {
  return isMasked ? maskText(text, account?.address) : text;
}
