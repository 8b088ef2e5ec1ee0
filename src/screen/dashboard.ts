// The dashboard: which view is shown, of which market, frozen or live, with or without help. Choices within a view are in
// its model. No React, no drawing.
import type { AlertManager } from "../alerts/alert-manager.ts";
import type { AccountChoice } from "../select/account.ts";
import { Display, type DisplayChoice } from "../select/display.ts";
import { formatMarket, isSameMarket, type Market } from "../select/market.ts";
import type { NamedAccount } from "../select/overview.ts";
import { openScales } from "../select/scale.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { formatSpan } from "../units/time.ts";
import type { Interval } from "../wire/channels.ts";
import { Changes } from "./changes.ts";
import type { Clipboard } from "./clipboard.ts";
import { Help, type HelpLine, type KeyUse, mostLines, selectHelp } from "./Help.tsx";
import { getAction } from "./keymap.ts";
import type { Action, KEYS, KeyContext, KeyPane } from "./keys.ts";
import { Palette } from "./palette/palette.ts";
import { Shown, type ShownOptions, type Timeline } from "./shown.ts";
import type { Appearance } from "./theme/theme.ts";
import type { HistoryFeed } from "./views/history/listings.ts";
import type { BookChoices, ChartChoices } from "./views/market/choices.ts";
import { PastCandlesByMarket } from "./views/market/data.ts";
import type { Typing, View, ViewModel } from "./views/view.ts";
import { Watchlist } from "./watchlist.ts";

/** Which of the last minutes to save, and where: by default two minutes, to a file in the current folder. */
export interface SaveRequest {
  readonly byKey?: true;
  readonly beforeMs?: number | undefined;
  readonly path?: string | undefined;
}

export interface DashboardOptions extends ShownOptions {
  /** Tick and lot sizes; by default only those in market records. */
  readonly scales?: Scales;
  /** In tab order; the first is shown at start, unless `start` names another. */
  readonly views: readonly View[];
  readonly start?: string;
  readonly interval: Interval;
  readonly isSimulated: boolean;
  readonly watchlist?: readonly Market[];
  readonly onWatch?: (markets: readonly Market[]) => void;
  /** True if there are only REST listings and no stream. */
  readonly isListingOnly?: boolean;
  /** The user's aliases: name to market, such as `perp/1`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Palette lines of earlier runs, newest first. */
  readonly history?: readonly string[];
  /** Book and chart as an earlier run left them; the callbacks report changes by the user. */
  readonly book?: BookChoices;
  readonly onBook?: (book: BookChoices) => void;
  readonly chart?: ChartChoices;
  readonly onChart?: (chart: ChartChoices) => void;
  /** Accounts named by the user, whose subaccounts are shown. */
  readonly accounts?: readonly NamedAccount[] | undefined;
  /** Maximum rows on each side of the book; by default as many as fit. */
  readonly bookRows?: number | undefined;
  readonly appearance?: Appearance;
  readonly alerts?: AlertManager;
  readonly clipboard?: Clipboard | undefined;
  /** True while the terminal is so slow that data waits for keys. */
  readonly isSlowLine?: (() => boolean) | undefined;
  /** A line of performance statistics; called once a second. */
  readonly stats?: (() => string) | undefined;
  /** What quitting now would interrupt, as text; empty if nothing is running. */
  readonly running?: () => string;
  /** Called when the connection is lost or restored. */
  readonly bell?: (() => void) | undefined;
  /** Saves the last minutes and what follows as a recording, and reports in the status line. */
  readonly save?: ((request: SaveRequest) => void) | undefined;
  readonly onQuit: () => void;
  readonly onRedraw: () => void;
  readonly onSuspend: () => void;
}

const NOTICE_MS = 10_000;

const travelBy = (ms: number) => (dashboard: Dashboard) =>
  dashboard.travel((timeline) => timeline.goTo(timeline.atMs + ms));

const step = (by: 1 | -1) => (dashboard: Dashboard) =>
  dashboard.travel((timeline) => timeline.step(by, dashboard.channels));

/** Actions that belong to no view. */
const ACTIONS: Readonly<Partial<Record<Action, (dashboard: Dashboard) => void>>> = {
  quit: (dashboard) => dashboard.quit(),
  quitNow: ({ options }) => options.onQuit(),
  acknowledge: ({ alerts }) => alerts?.acknowledge(),
  redraw: ({ options }) => options.onRedraw(),
  suspend: ({ options }) => options.onSuspend(),
  help: ({ help }) => help.toggle(),
  freeze: (dashboard) => dashboard.toggleFrozen(),
  stepBack: step(-1),
  stepOn: step(1),
  timeBack: travelBy(-10_000),
  timeOn: travelBy(10_000),
  timeBackMore: travelBy(-120_000),
  timeOnMore: travelBy(120_000),
  slower: ({ options }) => options.replay?.changeSpeed(-1),
  faster: ({ options }) => options.replay?.changeSpeed(1),
  mask: (dashboard) => dashboard.toggleMask(),
  timeZone: (dashboard) => dashboard.toggleTimeZone(),
  palette: ({ palette }) => palette.open(),
  save: (dashboard) => dashboard.save(),
};

/** State and actions common to all views. */
export class Dashboard {
  readonly options: DashboardOptions;
  readonly shown: Shown;
  readonly changes: Changes;
  readonly scales: Scales;
  readonly pastCandles = new PastCandlesByMarket();
  readonly watchlist: Watchlist;
  /** Set by the command once the service is known; undefined if it has no listings. */
  readonly listings: { feed: HistoryFeed | undefined } = { feed: undefined };
  readonly palette: Palette;
  readonly help = new Help(() => this.notify());
  readonly alerts: AlertManager | undefined;
  readonly clipboard: Clipboard | undefined;
  readonly appearance: Appearance | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  /** Where the mouse is dragging the timeline cursor to; applied when the button is released. */
  scrubbedMs: number | undefined;
  readonly #models = new Map<string, ViewModel>();
  view: View;
  #channelsBefore: readonly string[] = [];
  warning = "";
  #notice: { readonly text: string; readonly untilMs: number } | undefined;
  #isAskedToQuit = false;
  readonly #link: LinkWatch;
  readonly #display: DisplayChoice;

  /** @throws {RangeError} when there is no view to show */
  constructor(options: DashboardOptions) {
    const { store, views, start } = options;
    const view = views.find(({ name }) => name === start) ?? views[0];
    if (view === undefined) throw new RangeError("a dashboard needs a view");
    this.options = options;
    this.shown = new Shown(options);
    this.#display = this.shown.display.choice;
    this.changes = new Changes(store, () => this.shown.isFrozen);
    this.watchlist = new Watchlist(options.watchlist ?? [], options.onWatch);
    this.scales = options.scales ?? openScales(store, {});
    this.alerts = options.alerts;
    this.clipboard = options.clipboard;
    this.appearance = options.appearance;
    this.palette = new Palette(this, options.history);
    this.aliases = options.aliases ?? {};
    this.#link = new LinkWatch(store);
    this.view = view;
  }

  get model(): ViewModel {
    return this.modelOf(this.view);
  }

  modelOf<Model extends ViewModel>(view: View<Model>): Model {
    const known = this.#models.get(view.name);
    if (known !== undefined) return known as Model;
    const model = view.createModel(this);
    this.#models.set(view.name, model);
    if (view.name === this.view.name) model.onShow?.();
    return model;
  }

  isShown(model: ViewModel): boolean {
    return model === this.model;
  }

  /** The views that have something to show, in the order of their tabs. */
  get views(): readonly View[] {
    return this.options.views.filter((view) => view === this.view || this.#isOffered(view));
  }

  get market(): Market | undefined {
    return this.shown.market;
  }

  get account(): AccountChoice | undefined {
    return this.shown.account;
  }

  get isMasked(): boolean {
    return this.shown.isMasked;
  }

  warn(warning: string): void {
    this.warning = warning;
    this.notify();
  }

  get notice(): string {
    const { text, untilMs } = this.#notice ?? { text: "", untilMs: 0 };
    return this.options.now() < untilMs ? text : "";
  }

  showNotice(text: string): void {
    this.#notice = { text, untilMs: this.options.now() + NOTICE_MS };
    this.notify();
  }

  /** Shows a notice about a setting, adding that a demo does not persist it. */
  showSet(text: string): void {
    this.showNotice(this.options.isSimulated ? `${text} (until this demo ends)` : text);
  }

  /** Asks if quitting would interrupt something; the same key again, with no other in between, quits. */
  quit(): void {
    const running = [this.listings.feed?.running ?? "", this.options.running?.() ?? ""];
    const unfinished = running.filter(Boolean).join(", ");
    if (unfinished === "" || this.#isAskedToQuit) {
      this.options.onQuit();
      return;
    }
    this.#isAskedToQuit = true;
    this.showNotice(`the same key again leaves: ${unfinished}`);
  }

  /** Starts or ends saving the last minutes. */
  save(): void {
    const { save } = this.options;
    if (save === undefined) this.showNotice("nothing can be saved here");
    else save({ byKey: true });
  }

  setNotice(notice: string): void {
    this.shown.notice = notice;
    this.notify();
  }

  /** Channels to subscribe to: those of the view and of alerts. */
  get channels(): readonly string[] {
    const shown = this.view.keepsChannels ? this.#channelsBefore : this.model.channels;
    const watched = this.alerts?.channels ?? [];
    return watched.length === 0 ? shown : [...new Set([...shown, ...watched])];
  }

  /** Key contexts in force, most specific first. */
  get contexts(): readonly KeyContext[] {
    return this.help.isOpen ? ["help", "scroll"] : this.viewContexts;
  }

  /** The same, ignoring the help that may cover the view. */
  get viewContexts(): readonly KeyContext[] {
    const { contexts } = this.model;
    return this.shown.hasTimeline ? ["timeline", ...contexts] : contexts;
  }

  get helpLines(): readonly HelpLine[] {
    return selectHelp(this.viewContexts, this.help.search, (each) => this.useOf(each));
  }

  /** What a key does in the current view, or why it is unavailable. */
  useOf({ action, description, of }: (typeof KEYS)[number]): KeyUse {
    const { model, options } = this;
    const view = options.views.find((each) => each.action === action);
    if (view !== undefined && !this.views.includes(view))
      return { description, missing: view.missing ?? "there is nothing to show" };
    if (of !== undefined && model.shownPanes?.includes(of) === false)
      return { description, missing: PANE_MISSING[of] };
    if (options.replay === undefined && REPLAY_ONLY.has(action)) return { description: "" };
    return { description: model.keyDescriptions?.[action] ?? description };
  }

  /** Defined while the user types: receives keys as text. */
  get typing(): Typing | undefined {
    if (this.palette.isOpen) return this.palette;
    return this.help.isOpen ? this.help.typing : this.model.typing;
  }

  notify(): void {
    this.changes.notify();
  }

  tick(): void {
    this.alerts?.tick();
    for (const model of this.#models.values()) model.tick?.();
    const change = this.#link.check(this.options.now());
    if (change !== undefined) {
      this.showNotice(change);
      this.options.bell?.();
    }
    this.changes.tick();
  }

  open(market: Market): void {
    this.shown.market = market;
    this.shown.notice = "";
    this.shown.thaw();
    this.notify();
  }

  /** The market's id now names a different market: closes whatever shows it or waits for it. @param reason for the user */
  close(market: Market, reason: string): void {
    const { shown } = this;
    if (shown.market !== undefined && isSameMarket(shown.market, market)) {
      shown.market = undefined;
      shown.notice = `${reason}: closed`;
      shown.thaw();
    }
    if (this.watchlist.has(market)) this.watchlist.toggle(market);
    this.alerts?.expire(market, reason);
    this.scales.forget(formatMarket(market));
    this.pastCandles.forget(formatMarket(market));
    this.warn(`${reason}: closed`);
  }

  watch(account: AccountChoice): void {
    this.shown.account = account;
    this.shown.thaw();
    this.notify();
  }

  /** Hides addresses, sizes, balances and profit of accounts, or shows them again. */
  toggleMask(): void {
    this.shown.isMasked = !this.shown.isMasked;
    this.notify();
  }

  /** Zones have names from now on: whatever shows a time is rebuilt. */
  nameZones(): void {
    this.shown.display = new Display(this.shown.display.choice);
    this.notify();
  }

  /** Times in UTC, or back in the chosen time zone. */
  toggleTimeZone(): void {
    const isUtc = this.shown.display.choice.timeZone === "UTC";
    const timeZone = isUtc ? this.#display.timeZone : "UTC";
    this.shown.display = new Display({ ...this.#display, timeZone });
    this.notify();
  }

  /** Shows a view if there is data for it. Changing the view unfreezes the screen, unless it shows the past. */
  show(view: View): void {
    if (!this.#isFed(view)) return;
    if (this.help.isOpen) this.help.close();
    if (view !== this.view) {
      if (!this.shown.isPast) this.shown.thaw();
      this.#channelsBefore = this.channels;
      this.view = view;
      // Created here rather than while drawing: what it requests at once may change what else is drawn.
      const known = this.#models.get(view.name);
      if (known === undefined) this.modelOf(view);
      else known.onShow?.();
    }
    this.notify();
  }

  /** Opens the palette with the beginning of a command, for the user to finish. */
  typeCommand(text: string): void {
    this.palette.open(text);
  }

  press(key: string): void {
    if (this.typing?.key(key)) return;
    const action = getAction(key, this.contexts);
    if (action !== undefined) this.perform(action);
  }

  /** Pasted text never acts as keys. */
  paste(text: string): void {
    this.typing?.paste(text);
  }

  /** Handled by the help, else the view, else globally. */
  perform(action: Action): void {
    if (action !== "quit") this.#isAskedToQuit = false;
    if (this.help.isOpen && this.help.perform(action, mostLines(this.helpLines))) return;
    if (this.model.perform(action)) return;
    const view = this.options.views.find((each) => each.action === action);
    if (view === undefined) ACTIONS[action]?.(this);
    else if (this.#isOffered(view)) this.show(view);
    else this.showNotice(`${view.title}: ${view.missing ?? "nothing to show here"}`);
  }

  toggleFrozen(): void {
    this.shown.toggleFreeze(this.model.shows);
    this.notify();
  }

  /** Moves through the recording, or the past of a frozen screen. */
  travel(move: (timeline: Timeline) => void): void {
    const { replay } = this.options;
    const before = replay?.atMs ?? 0;
    this.shown.travel(move);
    // After going back in a recording, its notices appear again.
    if ((replay?.atMs ?? 0) < before) {
      this.#notice = undefined;
      this.#link.reset();
    }
    this.notify();
  }

  /** Drags the timeline cursor to this moment, or, if undefined, drops it there. */
  scrub(ms: number | undefined): void {
    const target = this.scrubbedMs;
    this.scrubbedMs = ms;
    if (ms === undefined && target !== undefined) this.travel((timeline) => timeline.goTo(target));
    else this.notify();
  }

  /** Without a stream, only views of listings have data. */
  #isFed(view: View): boolean {
    return !this.options.isListingOnly || view.isOfListings === true;
  }

  #isOffered(view: View): boolean {
    return this.#isFed(view) && view.isAvailable(this);
  }
}

const PANE_MISSING: Readonly<Record<KeyPane, string>> = {
  orderbook: "the order book is not shown",
  trades: "the trades are not shown",
  candles: "the chart is not shown",
  heatmap: "the heatmap is not shown",
};
const REPLAY_ONLY: ReadonlySet<Action> = new Set(["slower", "faster"]);

/** Detects loss and recovery of the connection, even if both happened since the last check. */
class LinkWatch {
  readonly #store: Store;
  #lostAtMs: number | undefined;
  #reconnects = 0;
  #wasOpen = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The session has gone back to an earlier moment. */
  reset(): void {
    this.#lostAtMs = undefined;
    this.#wasOpen = false;
  }

  /** @returns a notice for the user, once for each change */
  check(nowMs: number): string | undefined {
    const { link } = this.#store;
    const isOpen = link?.state === "open";
    const reconnects = link?.reconnects ?? 0;
    const [wasOpen, before, lostAtMs] = [this.#wasOpen, this.#reconnects, this.#lostAtMs];
    this.#wasOpen = isOpen;
    this.#reconnects = reconnects;
    if (wasOpen && !isOpen) {
      this.#lostAtMs = nowMs;
      return "connection lost";
    }
    if (!isOpen || reconnects === before) return undefined;
    this.#lostAtMs = undefined;
    if (lostAtMs === undefined) return wasOpen ? "connection lost and back" : undefined;
    return `connection back after ${formatSpan(nowMs - lostAtMs)}`;
  }
}
