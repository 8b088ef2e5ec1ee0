// What a view of the dashboard is: what fills the screen between the tabs and the status line, and the model behind it.
import type { ReactNode } from "react";
import type { PaneStatus } from "../../select/status.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import type { ViewPointer } from "../pointer.ts";
import type { Theme } from "../theme/theme.ts";

/** State of one of a view's feeds, for the status line. */
export interface FeedStatus {
  readonly label: string;
  readonly status: PaneStatus;
}

/** Channels that stay subscribed together. */
export interface HeldGroup {
  readonly kind: "market" | "account";
  /** `perp/1`, or address and subaccount. */
  readonly name: string;
}

/** Takes keys as text while the user types. */
export interface Typing {
  /** True when it has used the key; other keys do what they always do. */
  key(name: string): boolean;
  paste(text: string): void;
}

/** What the user has chosen in a view. It tells the dashboard of each change with `dashboard.tell()`. */
export interface ViewModel {
  /** Channels that are subscribed while the view is shown. */
  readonly channels: readonly string[];
  /** Of which market or account they are: they stay subscribed for a while when another one, or another view, is shown. */
  readonly held?: HeldGroup | undefined;
  /** The most important first. */
  readonly feeds: readonly FeedStatus[];
  /** What keys mean in it now, the most specific first. */
  readonly contexts: readonly KeyContext[];
  /** Defined while the user types. */
  readonly typing?: Typing | undefined;
  /** Does what the mouse asks for; a view without it is scrolled by the wheel as by keys. */
  point?(pointer: ViewPointer): void;
  /** Does what a key asks for. False when the view has no such action. */
  perform(action: Action): boolean;
  /** Keeps what is shown as it is now, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** The view comes to the screen, or leaves it. */
  onShow?(): void;
  onHide?(): void;
}

/** What a view is drawn with. */
export interface ViewProps<Model extends ViewModel = ViewModel> {
  readonly dashboard: Dashboard;
  readonly model: Model;
  readonly theme: Theme;
  /** The room that the view has, in cells. */
  readonly width: number;
  readonly height: number;
}

/** One row of the table of views (`views.ts`). */
export interface View<Model extends ViewModel = ViewModel> {
  readonly name: string;
  /** On its tab. */
  readonly title: string;
  /** The action of the key that shows it. */
  readonly action: Action;
  /** True for a view about the session itself: what the view before it held goes on being held. */
  readonly keepsChannels?: boolean;
  /** True for a view of the REST listings: it is there without a stream, too. */
  readonly isOfListings?: boolean;
  /** False while there is nothing that it could show: it has no tab then. */
  isThere(dashboard: Dashboard): boolean;
  /** Called once, when the view is first needed. */
  createModel(dashboard: Dashboard): Model;
  /** Rendered after each `tell`: data that changes all the time belongs into a Canvas. */
  Component(props: ViewProps<Model>): ReactNode;
}

/** True when what a view shows can come: without a stream only the listings can. */
export function isFed(view: View, { options }: Dashboard): boolean {
  return options.isListingOnly !== true || view.isOfListings === true;
}

/** True when a view can be gone to: it has something to show. */
export function isOffered(view: View | undefined, dashboard: Dashboard): view is View {
  return view !== undefined && isFed(view, dashboard) && view.isThere(dashboard);
}
