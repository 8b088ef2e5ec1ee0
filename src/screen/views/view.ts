// A view of the dashboard: what fills the screen between the tabs and the status line, and the model behind it.
import type { ReactNode } from "react";
import type { Market } from "../../select/market.ts";
import type { PaneStatus } from "../../select/status.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import type { FramedPane } from "../panes/frame.tsx";
import type { ViewPointer } from "../pointer.ts";
import type { Freezes, Shown } from "../shown.ts";
import type { Theme } from "../theme/theme.ts";

export interface Parts
  extends Pick<
    Dashboard,
    | "changes"
    | "selection"
    | "scales"
    | "pastCandles"
    | "watchlist"
    | "listings"
    | "alerts"
    | "clipboard"
    | "options"
    | "open"
    | "watch"
    | "show"
    | "isShown"
    | "showNotice"
  > {
  readonly shown: Readonly<Shown>;
}

/** For the status line. */
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

export interface Typing {
  key(name: string): boolean;
  paste(text: string): void;
}

/** What the user has chosen in a view. It publishes changes with `changes.notify()`. */
export interface ViewModel {
  /** Subscribed while the view is shown. */
  readonly channels: readonly string[];
  /** Whose they are: they stay subscribed for a while when another market, account or view is shown. */
  readonly held?: HeldGroup | undefined;
  /** Markets whose charts it shows, besides the one that is shown: their past is read, too. */
  readonly charts?: readonly Market[];
  /** The most important first. */
  readonly feeds: readonly FeedStatus[];
  /** The pane that keys are for, and those on the screen, where there are several. */
  readonly focus?: string;
  readonly shownPanes?: readonly string[] | undefined;
  /** Hints of keys that depend on what was chosen: the interval in force for `i`. */
  readonly hints?: Readonly<Partial<Record<Action, string>>>;
  /** What keys do here, where it differs from the table; empty for those that do nothing. */
  readonly keyDescriptions?: Readonly<Partial<Record<Action, string>>>;
  /** What keys mean in it now, the most specific first. */
  readonly contexts: readonly KeyContext[];
  readonly typing?: Typing | undefined;
  /** What a view without a component of its own shows. */
  readonly pane?: FramedPane;
  /** A view without it goes on while the screen is frozen. */
  readonly shows?: Freezes;
  /** A view without it is scrolled by the wheel as by keys. */
  point?(pointer: ViewPointer): void;
  /** @returns false when the view has no such action */
  perform(action: Action): boolean;
  /** Once a second, whatever is shown. */
  tick?(): void;
  onShow?(): void;
}

export interface ViewProps<Model extends ViewModel = ViewModel> {
  readonly parts: Parts;
  readonly model: Model;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
}

export const ACCOUNT_MISSING = "no account is shown: :account ADDRESS";

/** A row of the table of views (`views.ts`). */
export interface View<Model extends ViewModel = ViewModel> {
  readonly name: string;
  readonly title: string;
  readonly action: Action;
  /** True for a view about the session itself: the channels of the view before it stay subscribed. */
  readonly keepsChannels?: boolean;
  /** True for a view of the REST listings: it is there without a stream, too. */
  readonly isOfListings?: boolean;
  /** False while it has nothing to show: it has no tab then, and its key says `missing`. */
  isThere(parts: Parts): boolean;
  readonly missing?: string;
  /** Called once, when the view is first needed. */
  createModel(parts: Parts): Model;
  /**
   * Rendered when a value it takes with `useSelected` changes: live data belongs in a Canvas. Without it, the model's
   * `pane` is the view.
   */
  Component?(props: ViewProps<Model>): ReactNode;
}
