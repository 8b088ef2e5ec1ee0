// A view of the dashboard: what fills the screen between tabs and status line, and the model behind it.
import type { ReactNode } from "react";
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
    | "typeCommand"
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
  readonly kind: "market" | "account" | "accounts";
  /** `perp/1`, or address and subaccount. */
  readonly name: string;
}

export interface Typing {
  key(name: string): boolean;
  paste(text: string): void;
}

/** The user's choices in a view. It publishes changes with `changes.notify()`. */
export interface ViewModel {
  /** Subscribed while the view is shown. */
  readonly channels: readonly string[];
  /** Group of these channels, which stay subscribed for a while after another market, account or view is shown. */
  readonly held?: HeldGroup | undefined;
  /** Most important first. */
  readonly feeds: readonly FeedStatus[];
  /** The focused pane, and the panes on the screen, if there are several. */
  readonly focus?: string;
  readonly shownPanes?: readonly string[] | undefined;
  /** Hints that depend on choices, such as the current interval for `i`. */
  readonly hints?: Readonly<Partial<Record<Action, string>>>;
  /** Descriptions that differ from the table of keys; empty for keys that do nothing here. */
  readonly keyDescriptions?: Readonly<Partial<Record<Action, string>>>;
  /** Key contexts in force, most specific first. */
  readonly contexts: readonly KeyContext[];
  readonly typing?: Typing | undefined;
  /** The pane of a view without a component. */
  readonly pane?: FramedPane;
  /** A view without it stays live while the screen is frozen. */
  readonly shows?: Freezes;
  /** A view without it scrolls with the wheel as with keys. */
  point?(pointer: ViewPointer): void;
  /** @returns false if the view does not have the action */
  perform(action: Action): boolean;
  /** Called once a second, whichever view is shown. */
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
  /** True for a view of the session itself: the channels of the previous view stay subscribed. */
  readonly keepsChannels?: boolean;
  /** True for a view of REST listings, which needs no stream. */
  readonly isOfListings?: boolean;
  /** False while it has nothing to show: it has no tab then, and its key shows `missing`. */
  isAvailable(parts: Parts): boolean;
  readonly missing?: string;
  /** Called once, when the view is first needed. */
  createModel(parts: Parts): Model;
  /**
   * Rendered again when a value selected with `useSelected` changes: live data belongs in a Canvas. Without a component,
   * the model's `pane` is the view.
   */
  Component?(props: ViewProps<Model>): ReactNode;
}
