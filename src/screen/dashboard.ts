// The dashboard as a whole: which view is shown, of which market, frozen or live, with or without help. What the user
// has chosen inside of a view is in that view's own model. No React, no drawing.

import type { AlertDesk } from "../alerts/alert-desk.ts";
import type { AccountChoice } from "../select/account.ts";
import { formatMarket, isSameMarket, type Market } from "../select/market.ts";
import { PastCandlesByMarket } from "../select/past-candles.ts";
import { openScales } from "../select/scale.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Appearance } from "./appearance.ts";
import { Changes } from "./changes.ts";
import { ACTIONS } from "./dashboard-actions.ts";
import type { DashboardOptions } from "./dashboard-options.ts";
import { HelpState } from "./help-state.ts";
import { Histories } from "./histories.ts";
import type { KeyContext } from "./key-contexts.ts";
import { actionOf, bindingsIn } from "./key-lookup.ts";
import type { Keymap } from "./keymap.ts";
import { type Action, KEYS } from "./keys.ts";
import { Palette } from "./palette/palette.ts";
import { type Past, Standstill } from "./standstill.ts";
import { ShownView } from "./views/shown-view.ts";
import { isFed, isOffered, type Typing, type View, type ViewModel } from "./views/view.ts";
import { Watchlist } from "./watchlist.ts";

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
