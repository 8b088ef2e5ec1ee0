// The state of the interface: everything the user has chosen. Keys and the mouse change it directly; what is drawn reads it.
import type { Alert } from "../alerts/alert.ts";
import type { Listings } from "../live/listings.ts";
import type { Display, DisplayAt } from "../rows/format.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { ChoiceValue } from "./choice.ts";
import { addNotice, type Notice, type NoticeWeight, noticeAt } from "./notices.ts";
import type { Pane, View } from "./pane.ts";
import { createTableState, type TableState } from "./table/table.ts";
import { TextField, type TextFieldOptions } from "./text-field.ts";
import type { Theme } from "./theme.ts";
import type { Tone } from "./themes.ts";

export type PanelLine = readonly [word: string, text: string];

/** Lines over the view, that scroll: help, details of a row. */
export interface Panel {
  readonly title: string;
  lines(): readonly PanelLine[];
  top: number;
}

/** A list over the view from which one is chosen while words are typed: the palette. */
export interface Menu {
  readonly title: string;
  readonly items: (sought: string) => readonly MenuItem[];
  at: number;
  /** The first item on the screen, as last drawn. */
  top: number;
}
export interface MenuItem {
  readonly text: string;
  /** Its key, or what it is. */
  readonly note: string;
  run(ui: Ui): void;
}

/** Where time is not that of the present. */
export interface Elsewhere {
  /** FROZEN, PAST, REPLAY. */
  readonly badge: string;
  readonly moment: Moment;
  /** Where it can be moved. */
  readonly timeline?: Timeline;
}

export interface LogLine {
  /** As `nowMs` of a moment. */
  readonly atMs: number;
  readonly weight: "info" | "warning" | "error";
  readonly text: string;
}

/** How the connection and what is shown stand. */
export interface Status {
  readonly text: string;
  readonly tone: Tone;
}

/** What the program does for the interface. */
export interface Services {
  readonly views: readonly View[];
  /** The present. */
  moment(): Moment;
  /** As the present, but it stays as it is. */
  freeze(): Moment;
  /** The last minutes, from a time on; undefined where they are not held. */
  lookBack?(fromMs: number): Elsewhere;
  /** A recording, in place of the present. */
  readonly replay?: Elsewhere;
  readonly alerts: {
    all(): readonly Alert[];
    /** @returns what is wrong with the rule, if something is */
    set(text: string, replaced: Alert | undefined): string | undefined;
    remove(alert: Alert): void;
  };
  /** Undefined where no listings can be asked for. */
  readonly listings?: Listings | undefined;
  /** Of the stream, as it was given. */
  readonly address: string;
  /** What happened lately, oldest first. */
  log(): readonly LogLine[];
  /** What the palette offers besides keys: markets and subaccounts. */
  menuItems(ui: Ui): readonly MenuItem[];
  /** `set theme light` …: how the screen looks, from now on. */
  settings(): readonly MenuItem[];
  /** How the connection and what is shown stand, in a word or two. */
  status(moment: Moment, ui: Ui): Status;
  /** The zone of the user; undefined for that of the machine. */
  readonly timeZone: string | undefined;
  /** Writes the last two minutes to a file. */
  save(): void;
  copy(text: string): void;
  redraw(): void;
  suspend(): void;
  quit(): void;
}

/** What a screen begins with. */
export type Start = Pick<Ui, "theme" | "display" | "view" | "market" | "account"> &
  Partial<Pick<Ui, "addresses" | "stars" | "choices" | "recentActions">> &
  Partial<Pick<Ui, "isMasked" | "badge" | "depth">>;

export class Ui {
  readonly services: Services;
  theme: Theme;
  display: Display;
  view: View;
  /** `perp/1`. */
  market: string;
  /** The subaccount that is watched, if one is: `ADDRESS/ID`. */
  account: string | undefined;
  /** All subaccounts in place of that one. */
  isOverview = false;
  /** Of the stream, whose subaccounts can be watched. */
  addresses: readonly string[] = [];
  /** Markets that stand first, `perp/1`. */
  stars: ReadonlySet<string> = new Set();
  /** What the data are, where that is not the market: SIM. */
  badge: string | undefined;
  /** Defined: everything on the screen is of that moment, in every view. */
  elsewhere: Elsewhere | undefined;
  panel: Panel | undefined;
  menu: Menu | undefined;
  field: TextField | undefined;
  isMasked = false;
  /** Of the terminal, as last laid out. */
  columns = Number.POSITIVE_INFINITY;
  /** Rows of each side of the book at most. */
  depth = Number.POSITIVE_INFINITY;
  isZoomed = false;
  /** By the names of `createChoice`; kept from run to run. */
  choices: Record<string, ChoiceValue> = {};
  /** What was last chosen from the palette, newest first. */
  recentActions: readonly string[] = [];
  /** Panes on the screen, in the order of the layout; set by it. */
  panes: readonly Pane[] = [];
  readonly #tables = new Map<string, TableState>();
  /** The chosen pane of each view, by name. */
  readonly #focus = new Map<string, string>();
  #notices: readonly Notice[] = [];

  constructor(services: Services, start: Start) {
    Object.assign(this, start);
    this.services = services;
    this.theme = start.theme;
    this.display = start.display;
    this.view = start.view;
    this.market = start.market;
    this.account = start.account;
  }

  /** What is shown. */
  get moment(): Moment {
    return this.elsewhere?.moment ?? this.services.moment();
  }

  get displayAt(): DisplayAt {
    return { ...this.display, nowMs: serviceMs(this.moment) };
  }

  /** The present, whatever is shown: for what happens on the screen itself. */
  get nowMs(): number {
    return this.services.moment().nowMs;
  }

  open(view: View): void {
    const reason = view.when?.(this) ?? true;
    if (reason === true) this.view = view;
    else this.notify(reason);
  }

  /** The pane whose keys are in force: the chosen one if it is on the screen. */
  get focus(): Pane | undefined {
    const panes = this.#choosable;
    return panes.find(({ name }) => name === this.#focus.get(this.view.name)) ?? panes[0];
  }

  focusOn(pane: Pane): void {
    if (pane.title !== undefined) this.#focus.set(this.view.name, pane.name);
  }

  focusBy(steps: number): void {
    const panes = this.#choosable;
    const at = this.focus === undefined ? 0 : panes.indexOf(this.focus);
    const next = panes[(at + steps + panes.length) % panes.length];
    if (next !== undefined) this.focusOn(next);
  }

  get #choosable(): readonly Pane[] {
    return this.panes.filter(({ title }) => title !== undefined);
  }

  table(name: string): TableState {
    let state = this.#tables.get(name);
    if (state === undefined) {
      state = createTableState();
      this.#tables.set(name, state);
    }
    return state;
  }

  /** One step back: out of the past, out of a single pane. @returns false if there was none to take */
  back(): boolean {
    if (this.elsewhere !== this.services.replay) this.present();
    else if (this.isZoomed) this.isZoomed = false;
    else return false;
    return true;
  }

  toggleFreeze(): void {
    const { replay } = this.services;
    if (replay !== undefined) replay.timeline?.playing?.togglePause();
    else if (this.elsewhere !== undefined) this.present();
    else this.elsewhere = { badge: "FROZEN", moment: this.services.freeze() };
  }

  /** Out of the past; a recording has no present but its own. */
  present(): void {
    this.elsewhere = this.services.replay;
  }

  /** Stars a market, or takes its star away. @returns whether it has one now */
  star(market: string): boolean {
    const stars = new Set(this.stars);
    const isStarred = !stars.delete(market);
    if (isStarred) stars.add(market);
    this.stars = stars;
    return isStarred;
  }

  ask(options: TextFieldOptions): void {
    this.field = new TextField(options);
  }

  openPanel(title: string, lines: () => readonly PanelLine[]): void {
    this.panel = { title, lines, top: 0 };
  }

  get notice(): Notice | undefined {
    return noticeAt(this.#notices, this.view.name, this.nowMs);
  }

  /** An answer to a key is about this view alone. */
  notify(text: string, weight: NoticeWeight = "done"): void {
    const view = weight === "done" ? this.view.name : undefined;
    this.#notices = addNotice(this.#notices, { text, weight, view }, this.nowMs);
  }

  /** @param name of what is copied */
  copy(text: string, name: string): void {
    if (text !== "") this.services.copy(text);
    this.notify(text === "" ? "nothing to copy" : `${name} sent to the terminal's clipboard`);
  }
}
