// The declarations that the interface is made of: keys, panes, layouts, views. Each is data that holds its effect.
import type { Moment } from "../state/moment.ts";
import type { PointEvent } from "../terminal/input.ts";
import type { Surface } from "../terminal/surface.ts";
import type { Ui } from "./ui.ts";

export interface Key {
  /** Names as the input gives them, separated by spaces; the first is shown. Empty: by the palette alone. */
  readonly key: string;
  /** What it does, in words that a person would type into the palette. */
  readonly says: string;
  /** A word for the status line, and a place among the keys that matter here. */
  readonly hint?: string;
  run(ui: Ui): void;
}

/** What is printed and copied: exact text under the names of its columns. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Pane {
  readonly name: string;
  /** Drawn with each frame; all others as often as a person reads. */
  readonly isFast?: true;
  /** Without it the pane has no frame and cannot be chosen. The first part is bright; the last ones go where there is no room. */
  title?(moment: Moment, ui: Ui): readonly string[];
  /** Channels that it reads: subscribed while it is on the screen. */
  channels?(ui: Ui): readonly string[];
  draw(surface: Surface, moment: Moment, ui: Ui): void;
  readonly keys?: readonly Key[];
  /** Positions count from the inside of the frame. */
  point?(event: PointEvent, ui: Ui): void;
  sheet?(moment: Moment, ui: Ui): Sheet;
}

export interface Slot {
  readonly pane: Pane;
  /** Share of what is left over; 0: exactly `min`. */
  readonly grow: number;
  /** Below this it is worth nothing. */
  readonly min: readonly [columns: number, rows: number];
  /** Where there is too little room the highest goes first; without it, never. */
  readonly goes?: number;
}

export type Layout =
  | Slot
  | { readonly row: readonly Layout[]; readonly grow?: number }
  | { readonly column: readonly Layout[]; readonly grow?: number };

export interface View {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  /** It shows one market, which the user can change while it is open. */
  readonly isOfMarket?: true;
  /** Why it cannot be opened at the moment; true if it can. */
  when?(ui: Ui): true | string;
  layout(ui: Ui): Layout;
  /** Alone where nothing else has room. */
  readonly least?: Pane;
  readonly keys?: readonly Key[];
}
