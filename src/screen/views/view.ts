// What a view of the dashboard is: what fills the screen between the tabs and the status line, and the model behind it.
import type { ReactNode } from "react";
import type { AlertManager } from "../../alerts/alert-manager.ts";
import type { AccountChoice } from "../../select/account.ts";
import type { Market } from "../../select/market.ts";
import type { PaneStatus } from "../../select/status.ts";
import type { Scales } from "../../state/scales.ts";
import type { Changes } from "../changes.ts";
import type { Clipboard } from "../clipboard.ts";
import type { DashboardOptions } from "../dashboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import type { ViewPointer } from "../pointer.ts";
import type { Selection } from "../selection.ts";
import type { Freezes, Shown } from "../shown.ts";
import type { Theme } from "../theme/theme.ts";
import type { Watchlist } from "../watchlist.ts";
import type { HistoryFeed } from "./history/listings.ts";
import type { PastCandlesByMarket } from "./market/data.ts";

/** What views are given of the dashboard: each takes what it needs. */
export interface Parts {
  readonly shown: Readonly<Shown>;
  readonly changes: Changes;
  /** What the user has dragged over. */
  readonly selection: Selection;
  readonly go: Navigation;
  readonly scales: Scales;
  readonly pastCandles: PastCandlesByMarket;
  readonly watchlist: Watchlist;
  /** The REST listings, once the command has handed them over. */
  readonly listings: { readonly feed: HistoryFeed | undefined };
  readonly alerts: AlertManager | undefined;
  readonly clipboard: Clipboard | undefined;
  readonly options: Pick<
    DashboardOptions,
    | "interval"
    | "arrangement"
    | "onArrange"
    | "book"
    | "onBook"
    | "chart"
    | "onChart"
    | "centre"
    | "bookRows"
    | "accounts"
    | "maxSubaccounts"
    | "isSimulated"
    | "store"
    | "now"
    | "wall"
    | "past"
    | "replay"
  >;
}

export interface Navigation {
  open(market: Market): void;
  watch(account: AccountChoice): void;
  show(view: View): void;
  isShown(model: ViewModel): boolean;
  /** Says something on the status line for a while. */
  say(words: string): void;
}

/** State of one of a view's feeds, for the status line. */
export interface FeedStatus {
  readonly label: string;
  readonly status: PaneStatus;
}

/** Channels that stay subscribed together. */
export interface HeldGroup {
  readonly kind: "market" | "account" | "overview";
  /** `perp/1`, or address and subaccount. */
  readonly name: string;
}

/** Takes keys as text while the user types. */
export interface Typing {
  /** True when it has used the key; other keys do what they always do. */
  key(name: string): boolean;
  paste(text: string): void;
}

/** What the user has chosen in a view. It says so with `changes.notify()`. */
export interface ViewModel {
  /** Channels that are subscribed while the view is shown. */
  readonly channels: readonly string[];
  /** Of which market or account they are: they stay subscribed for a while when another one, or another view, is shown. */
  readonly held?: HeldGroup | undefined;
  /** Markets whose charts it shows, besides the one that is shown: their past is read, too. */
  readonly charts?: readonly Market[];
  /** The most important first. */
  readonly feeds: readonly FeedStatus[];
  /** The pane that keys are for, where there are several. */
  readonly focus?: string;
  /** Hints of keys that depend on what was chosen: the interval in force for `i`. */
  readonly hints?: Readonly<Partial<Record<Action, string>>>;
  /** What keys do in it, where that is something else than the table says; empty for those that do nothing. */
  readonly keyWords?: Readonly<Partial<Record<Action, string>>>;
  /** The panes that are on the screen, where keys are for one of several. */
  readonly shownPanes?: readonly string[] | undefined;
  /** What keys mean in it now, the most specific first. */
  readonly contexts: readonly KeyContext[];
  readonly typing?: Typing | undefined;
  /** What it shows; a view without it goes on while the screen is frozen. */
  readonly shows?: Freezes;
  /** Does what the mouse asks for; a view without it is scrolled by the wheel as by keys. */
  point?(pointer: ViewPointer): void;
  /** Does what a key asks for. False when the view has no such action. */
  perform(action: Action): boolean;
  /** A second has passed, whatever is shown. */
  tick?(): void;
  onShow?(): void;
}

export interface ViewProps<Model extends ViewModel = ViewModel> {
  readonly parts: Parts;
  readonly model: Model;
  readonly theme: Theme;
  /** The room that the view has, in cells. */
  readonly width: number;
  readonly height: number;
}

export const ACCOUNT_MISSING = "no account is shown: :account ADDRESS";

/** One row of the table of views (`views.ts`). */
export interface View<Model extends ViewModel = ViewModel> {
  readonly name: string;
  readonly title: string;
  readonly action: Action;
  /** True for a view about the session itself: what the view before it held goes on being held. */
  readonly keepsChannels?: boolean;
  /** True for a view of the REST listings: it is there without a stream, too. */
  readonly isOfListings?: boolean;
  /** False while there is nothing that it could show: it has no tab then. */
  isThere(parts: Parts): boolean;
  /** What its key says then. */
  readonly missing?: string;
  /** Called once, when the view is first needed. */
  createModel(parts: Parts): Model;
  /** Rendered when what it takes with `useSelected` is another value: live data belongs into a Canvas. */
  Component(props: ViewProps<Model>): ReactNode;
}
