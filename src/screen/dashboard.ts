// The dashboard as a whole: which view is shown, of which market, frozen or live, with or without help. What the user
// has chosen inside of a view is in that view's own model. No React, no drawing.
import type { AlertDesk } from "../alerts/alert-desk.ts";
import type { AccountChoice } from "../select/account.ts";
import { formatMarket, isSameMarket, type Market } from "../select/market.ts";
import { openScales } from "../select/scale.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Interval } from "../wire/channels.ts";
import type { Clipboard } from "./clipboard.ts";
import { type OpenPast, type Past, type ReplayControl, Standstill } from "./freeze.ts";
import { actionOf, bindingsIn, type Keymap } from "./keymap.ts";
import { type Action, KEYS, type KeyContext } from "./keys.ts";
import { Palette } from "./palette/palette.ts";
import type { Appearance } from "./theme/theme.ts";
import { Histories } from "./views/history/listings.ts";
import { PastCandlesByMarket } from "./views/market/data.ts";
import type { Arrangement } from "./views/market/panes.ts";
import { isFed, isOffered, type Typing, type View, type ViewModel } from "./views/view.ts";
import { Watchlist } from "./watchlist.ts";

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

/** Who listens, and to what. */
export class Changes {
  readonly #store: Store;
  readonly #isFrozen: () => boolean;
  readonly #listeners = new Set<() => void>();
  readonly #clockHands = new Set<() => void>();
  #version = 0;

  constructor(store: Store, isFrozen: () => boolean) {
    this.#store = store;
    this.#isFrozen = isFrozen;
  }

  /** Grows with every `tell`. */
  get version(): number {
    return this.#version;
  }

  /** Calls back after every `tell`. Returns its undo. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  /** A second has passed: ages have grown. */
  tick(): void {
    for (const onSecond of this.#clockHands) onSecond();
  }

  /** Calls back after news of these channels while nothing is frozen, after every `tell`, and every second. */
  source(channels: () => readonly string[]): (onChange: () => void) => () => void {
    return (onChange) => {
      const onFeed = () => {
        if (!this.#isFrozen()) onChange();
      };
      const listen = () => channels().map((channel) => this.#store.subscribe(channel, onFeed));
      let undo = listen();
      const stop = () => {
        for (const each of undo) each();
      };
      const unsubscribe = this.subscribe(() => {
        stop();
        undo = listen();
        onChange();
      });
      this.#clockHands.add(onChange);
      return () => {
        stop();
        unsubscribe();
        this.#clockHands.delete(onChange);
      };
    };
  }
}

const PAGE = 10;

/** Rows that the help is scrolled by. */
const STEPS: Readonly<Partial<Record<Action, number>>> = {
  scrollUp: -1,
  scrollDown: 1,
  scrollPageUp: -PAGE,
  scrollPageDown: PAGE,
  scrollHome: -KEYS.length,
};

class HelpState {
  #scroll: number | undefined;

  /** Rows that are scrolled out; undefined while it is closed. */
  get scroll(): number | undefined {
    return this.#scroll;
  }

  toggle(): void {
    this.#scroll = this.#scroll === undefined ? 0 : undefined;
  }

  close(): void {
    this.#scroll = undefined;
  }

  /**
   * Does what a key asks for while it is open. False when it is closed, or has no such action: then it closes, so that
   * nothing happens unseen behind it.
   * @param lastRow answers the row that can be scrolled to at most
   */
  perform(action: Action, lastRow: () => number): boolean {
    if (this.#scroll === undefined) return false;
    if (action === "back") {
      this.close();
      return true;
    }
    const rows = STEPS[action];
    if (rows === undefined) {
      if (action !== "help") this.close();
      return false;
    }
    this.#scroll = Math.max(0, Math.min(lastRow(), this.#scroll + rows));
    return true;
  }
}

/** The view on the screen. It draws nothing, and tells nobody. */
export class ShownView {
  readonly #dashboard: Dashboard;
  readonly #models = new Map<string, ViewModel>();
  #view: View;
  #before: View | undefined;
  #channelsBefore: readonly string[] = [];

  /** @throws {RangeError} when there is no view to show */
  constructor(dashboard: Dashboard) {
    const { views, start } = dashboard.options;
    const view = views.find(({ name }) => name === start) ?? views[0];
    if (view === undefined) throw new RangeError("a dashboard needs a view");
    this.#dashboard = dashboard;
    this.#view = view;
  }

  get view(): View {
    return this.#view;
  }

  /** The view from which this one was shown; undefined when there is none to go back to. */
  get before(): View | undefined {
    return this.#before;
  }

  /** The model of the view that is shown. */
  get model(): ViewModel {
    return this.modelOf(this.#view);
  }

  /** Channels of what is on the screen; of the view before it, where this one is about the session itself. */
  get channels(): readonly string[] {
    return this.#view.keepsChannels === true ? this.#channelsBefore : this.model.channels;
  }

  /** A view's model, made when it is first asked for. */
  modelOf<Model extends ViewModel>(view: View<Model>): Model {
    const known = this.#models.get(view.name);
    if (known !== undefined) return known as Model;
    const model = view.createModel(this.#dashboard);
    this.#models.set(view.name, model);
    return model;
  }

  /** Shows another view. @param channels those that are held until then */
  replace(view: View, channels: readonly string[]): void {
    this.#channelsBefore = channels;
    this.model.onHide?.();
    this.#before = this.#view;
    this.#view = view;
    this.model.onShow?.();
  }

  /** There is nothing to go back to any more. */
  forgetBefore(): void {
    this.#before = undefined;
  }
}

/** How far a key goes back, or forward again. */
const JUMP_MS = 10_000;
const LONG_JUMP_MS = 120_000;

function goBy(ms: number): (dashboard: Dashboard) => void {
  return (dashboard) => dashboard.goBack((past) => past.goTo(past.atMs + ms));
}

/** Goes through the views that have a tab. */
function showBy(dashboard: Dashboard, steps: number): void {
  const { views } = dashboard;
  const at = views.indexOf(dashboard.view);
  const view = views[(at + steps + views.length) % views.length];
  if (view !== undefined) dashboard.show(view);
}

/** By the action of the key. */
const ACTIONS: Readonly<Partial<Record<Action, (dashboard: Dashboard) => void>>> = {
  quit: ({ options }) => options.onQuit(),
  redraw: ({ options }) => options.onRedraw(),
  suspend: ({ options }) => options.onSuspend(),
  help: (dashboard) => dashboard.toggleHelp(),
  back: (dashboard) => dashboard.back(),
  freeze: (dashboard) => dashboard.toggleFrozen(),
  pastStepBack: (dashboard) => dashboard.goBack((past) => past.step(-1, dashboard.channels)),
  pastStep: (dashboard) => dashboard.goBack((past) => past.step(1, dashboard.channels)),
  pastBack: goBy(-JUMP_MS),
  pastForward: goBy(JUMP_MS),
  pastBackMore: goBy(-LONG_JUMP_MS),
  pastForwardMore: goBy(LONG_JUMP_MS),
  mask: (dashboard) => dashboard.toggleMask(),
  palette: ({ palette }) => palette.open(),
  viewNext: (dashboard) => showBy(dashboard, 1),
  viewPrevious: (dashboard) => showBy(dashboard, -1),
};

/** What the user sees and does, whatever the view. */
export class Dashboard {
  readonly options: DashboardOptions;
  readonly scales: Scales;
  /** Candles from before the subscription, by market. */
  readonly pastCandles = new PastCandlesByMarket();
  readonly watchlist: Watchlist;
  /** The REST listings. */
  readonly histories = new Histories();
  readonly palette: Palette;
  readonly alerts: AlertDesk | undefined;
  readonly appearance: Appearance | undefined;
  /** Names of the user's own for markets; others from the next command on. */
  aliases: Readonly<Record<string, string>>;
  readonly #changes: Changes;
  readonly #help = new HelpState();
  readonly #still: Standstill;
  readonly #shown: ShownView;
  #market: Market | undefined;
  #account: AccountChoice | undefined;
  #isMasked: boolean;
  /** What stands in the way of showing anything, such as a symbol that is not known yet. */
  #notice = "";
  #warning = "";
  #keymap: Keymap;

  /** @throws {RangeError} when there is no view to show */
  constructor(options: DashboardOptions) {
    this.options = options;
    this.watchlist = new Watchlist(options.watchlist ?? [], options.onWatch);
    this.scales = options.scales ?? openScales(options.store, {});
    this.alerts = options.alerts;
    this.appearance = options.appearance;
    this.palette = new Palette(this, options.history);
    this.#keymap = options.keymap ?? KEYS;
    this.aliases = options.aliases ?? {};
    this.#still = new Standstill(options.openPast, options.now);
    this.#changes = new Changes(options.store, () => this.#still.sinceMs !== undefined);
    this.#account = options.account;
    this.#isMasked = options.isMasked ?? false;
    this.#shown = new ShownView(this);
  }

  /** What is shown: the session's own, or as it was at a moment before. */
  get store(): Store {
    return this.#still.past?.store ?? this.options.store;
  }

  /** The moment that is shown, by the clock of the store's events. */
  readonly now = (): number => this.#still.past?.atMs ?? this.options.now();

  /** The same in Unix milliseconds. */
  readonly wall = (): number => this.#still.past?.wallMs ?? this.options.wall();

  /** Grows with every `tell`: what React renders again for. */
  get version(): number {
    return this.#changes.version;
  }

  /** The view that is shown. */
  get view(): View {
    return this.#shown.view;
  }

  /** The model of the view that is shown. */
  get model(): ViewModel {
    return this.#shown.model;
  }

  /** The views that have something to show, in the order of their tabs. */
  get views(): readonly View[] {
    return this.options.views.filter((view) => view === this.view || isOffered(view, this));
  }

  /** The market that is shown; undefined while its symbol is being looked up. */
  get market(): Market | undefined {
    return this.#market;
  }

  /** Keys as the user has them. */
  get keymap(): Keymap {
    return this.#keymap;
  }

  /** Other keys from now on. */
  setKeymap(keymap: Keymap): void {
    this.#keymap = keymap;
    this.tell();
  }

  /** The subaccount that is watched; undefined when none is. */
  get account(): AccountChoice | undefined {
    return this.#account;
  }

  /** True while addresses, sizes, balances and profit of accounts are hidden. */
  get isMasked(): boolean {
    return this.#isMasked;
  }

  /** What the user should know although nothing stands in the way; empty while there is nothing. */
  get warning(): string {
    return this.#warning;
  }

  warn(warning: string): void {
    this.#warning = warning;
    this.tell();
  }

  get notice(): string {
    return this.#notice;
  }

  /** Channels of what is on the screen, and of what is watched without it. */
  get channels(): readonly string[] {
    const shown = this.#shown.channels;
    const watched = this.alerts?.channels ?? [];
    return watched.length === 0 ? shown : [...new Set([...shown, ...watched])];
  }

  /** The screen while it does not follow the session. */
  get still(): Pick<Standstill, "sinceMs" | "past" | "words" | "placeWords"> {
    return this.#still;
  }

  /** Rows of the help that are scrolled out; undefined while it is closed. */
  get helpScroll(): number | undefined {
    return this.#help.scroll;
  }

  /** What keys mean now, the most specific first. */
  get contexts(): readonly KeyContext[] {
    return this.helpScroll === undefined ? this.viewContexts : ["scroll"];
  }

  /** What they mean in the view that is shown, also while the help is in its place. */
  get viewContexts(): readonly KeyContext[] {
    const { contexts } = this.model;
    if (this.options.replay !== undefined) return ["replay", ...contexts];
    return this.#still.hasPast ? ["past", ...contexts] : contexts;
  }

  /** Where keys go as text; undefined while the user types nothing. */
  get typing(): Typing | undefined {
    if (this.palette.isOpen) return this.palette;
    return this.helpScroll === undefined ? this.model.typing : undefined;
  }

  /** A view's model, made when it is first asked for. */
  modelOf<Model extends ViewModel>(view: View<Model>): Model {
    return this.#shown.modelOf(view);
  }

  /** Calls back after every `tell`. Returns its undo. */
  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Something that the user has chosen is different now. */
  tell(): void {
    this.#changes.tell();
  }

  /**
   * When something that reads these channels must be drawn again: after a change of one of them (but not while the
   * screen is frozen), after a change of settings, and every second, because ages grow.
   */
  source(channels: () => readonly string[]): (onChange: () => void) => () => void {
    return this.#changes.source(channels);
  }

  /** A second has passed: ages have grown. */
  tick(): void {
    this.alerts?.tick();
    this.#changes.tick();
  }

  /** Sets the market that the views of a market show. */
  open(market: Market): void {
    this.#market = market;
    this.#notice = "";
    this.#still.end(this.model);
    this.tell();
  }

  /**
   * The market's id means another one now: whatever is shown or waited for under it ends.
   * @param words what has become of it
   */
  close(market: Market, words: string): void {
    if (this.#market !== undefined && isSameMarket(this.#market, market)) {
      this.#market = undefined;
      this.#notice = `${words}: closed`;
      this.#still.end(this.model);
    }
    if (this.watchlist.has(market)) this.watchlist.toggle(market);
    this.alerts?.expire(market);
    this.scales.forget(formatMarket(market));
    this.pastCandles.forget(formatMarket(market));
    this.warn(`${words}: closed`);
  }

  /** Sets the account that is watched. */
  watch(account: AccountChoice): void {
    this.#account = account;
    this.#still.end(this.model);
    this.tell();
  }

  /** Hides addresses, sizes, balances and profit of accounts, or shows them again. */
  toggleMask(): void {
    this.#isMasked = !this.#isMasked;
    this.tell();
  }

  /** Says why there is nothing to show. */
  notify(notice: string): void {
    this.#notice = notice;
    this.tell();
  }

  /** Shows a view, where it can be fed; what was frozen goes on, but what is past stays. */
  show(view: View): void {
    if (!isFed(view, this)) return;
    this.#help.close();
    if (view !== this.view) {
      if (this.#still.past === undefined) this.#still.end(this.model);
      this.#shown.replace(view, this.channels);
    }
    this.tell();
  }

  /** Does what a key means where the user is, or takes it as text. */
  press(key: string): void {
    if (this.typing?.key(key) === true) return;
    const action = actionOf(key, this.contexts, this.#keymap);
    if (action !== undefined) this.perform(action);
  }

  /** Pasted text acts as no keys at all. */
  paste(text: string): void {
    this.typing?.paste(text);
  }

  /** Does what a key asks for: the help first, then the view, then what belongs to all views. */
  perform(action: Action): void {
    const lastRow = () => bindingsIn(this.viewContexts, this.#keymap).length - 1;
    const wasHelpOpen = this.helpScroll !== undefined;
    if (!this.#help.perform(action, lastRow)) this.#performOutside(action);
    if (wasHelpOpen) this.tell();
  }

  #performOutside(action: Action): void {
    if (this.options.replay?.perform(action) || this.model.perform(action)) return;
    const view = this.options.views.find((each) => each.action === action);
    if (isOffered(view, this)) this.show(view);
    else ACTIONS[action]?.(this);
  }

  toggleHelp(): void {
    this.#help.toggle();
    this.tell();
  }

  toggleFrozen(): void {
    this.#still.toggle(this.model);
    this.tell();
  }

  /** Moves what is frozen through what is kept; nothing happens while it is not, or where nothing is. */
  goBack(move: (past: Past) => void): void {
    if (this.#still.goBack(this.model, move)) this.tell();
  }

  /** Back to the view from which this one was shown. */
  back(): void {
    const { before } = this.#shown;
    if (isOffered(before, this)) this.show(before);
    this.#shown.forgetBefore();
  }
}
