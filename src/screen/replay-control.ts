// What a dashboard that shows a recording can do with it.
import type { Action } from "./keys.ts";

/** The recording, as the screen sees it. */
export interface ReplayControl {
  /** Where it is and how it moves: `▶ ×10 2026-01-01 12:00:03 +1m05s`. */
  readonly words: string;
  /** Does what a key asks for. False when it is nothing of a recording's. */
  perform(action: Action): boolean;
}
