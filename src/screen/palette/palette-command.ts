// What a command of the palette is.
import type { Dashboard } from "../dashboard.ts";

/** A name, and what it does with what stands behind it. */
export interface PaletteCommand {
  readonly name: string;
  /** Argument as it is shown; empty where it takes none. */
  readonly usage: string;
  readonly words: string;
  /** What the argument can be, as far as it is known. Never throws. */
  complete(dashboard: Dashboard): readonly string[];
  /** Does it. @returns why it cannot be done; undefined when it is done. Never throws. */
  run(dashboard: Dashboard, argument: string): string | undefined;
}
