// What a dashboard is made of.

import type { AlertDesk } from "../alerts/alert-desk.ts";
import type { AccountChoice } from "../select/account.ts";
import type { Market } from "../select/market.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Interval } from "../wire/channels.ts";
import type { Appearance } from "./appearance.ts";
import type { Arrangement } from "./arrangement.ts";
import type { Clipboard } from "./clipboard.ts";
import type { Keymap } from "./keymap.ts";
import type { ReplayControl } from "./replay-control.ts";
import type { OpenPast } from "./standstill.ts";
import type { View } from "./views/view.ts";

/** Whoever opens a dashboard gives it these. */
export interface DashboardOptions {
  readonly store: Store;
  /** What ticks and lots are worth; without it, only what markets themselves say. */
  readonly scales?: Scales;
  /** In the order of their tabs; the first is shown first, unless `start` names another. */
  readonly views: readonly View[];
  /** Name of the view to begin with. */
  readonly start?: string;
  /** Monotonic milliseconds, the clock of the store's events. */
  readonly now: () => number;
  /** Unix milliseconds, for what the service dates. */
  readonly wall: () => number;
  /** The subaccount that is watched, or the address whose catalogue is shown. */
  readonly account?: AccountChoice | undefined;
  /** True when addresses, sizes, balances and profit of accounts are hidden from the start. */
  readonly isMasked?: boolean;
  /** Candle interval to begin with. */
  readonly interval: Interval;
  readonly isSimulated: boolean;
  /** Markets that are watched from the start. */
  readonly watchlist?: readonly Market[];
  /** The user watches these markets from now on. */
  readonly onWatch?: (markets: readonly Market[]) => void;
  /** What was before is kept, and can be gone back to while the screen is frozen. */
  readonly openPast?: OpenPast;
  /** Defined when a recording is shown. */
  readonly replay?: ReplayControl | undefined;
  /** True where there are only listings: there is no stream that could be open or lost. */
  readonly isListingOnly?: boolean;
  /** Keys as the user has them; the usual ones without it. */
  readonly keymap?: Keymap;
  /** Names of the user's own for markets, each with the market that it stands for: `perp/1`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Lines that were typed in the palette before, the newest first. */
  readonly history?: readonly string[];
  /** Panes of a market as an earlier run left them. */
  readonly arrangement?: Arrangement | undefined;
  /** The user has arranged the panes anew. */
  readonly onArrange?: (arrangement: Arrangement) => void;
  /** The theme in force; without it the palette cannot change it. */
  readonly appearance?: Appearance;
  /** Alerts are heard wherever the user is; without it there are none. */
  readonly alerts?: AlertDesk;
  /** The terminal's clipboard; without it nothing can be copied. */
  readonly clipboard?: Clipboard | undefined;
  /** A line of what the program does and costs; asked for once a second. Without it there is none. */
  readonly stats?: (() => string) | undefined;
  readonly onQuit: () => void;
  readonly onRedraw: () => void;
  readonly onSuspend: () => void;
}
