// How far each pane of a market is scrolled: as far as the user wants, as long as there is something to see.
import type { Pane } from "../../arrangement.ts";

const NOT_SCROLLED: Readonly<Record<Pane, number>> = { orderbook: 0, trades: 0, candles: 0 };

/**
 * Rows or candles that panes are scrolled by; 0 is the newest, or the spread in the middle. The book scrolls both ways from
 * there, up with negative numbers, the others only into the past. No method throws.
 */
export class PaneScroll {
  #wanted = NOT_SCROLLED;
  #ends: Readonly<Partial<Record<Pane, number>>> = {};

  /** What the user wants: a pane that is painted shows as much of it as there is. */
  wanted(pane: Pane): number {
    return this.#wanted[pane];
  }

  /** How far a pane is scrolled. */
  of(pane: Pane): number {
    const wanted = this.#wanted[pane];
    const end = this.#ends[pane] ?? wanted;
    return wanted < 0 ? Math.max(wanted, Math.min(0, end)) : Math.min(wanted, Math.max(0, end));
  }

  /** Scrolls a pane further, or back, from where it is. */
  by(pane: Pane, rows: number): void {
    const next = this.of(pane) + rows;
    this.#wanted = { ...this.#wanted, [pane]: pane === "orderbook" ? next : Math.max(0, next) };
    this.endAt(pane, undefined);
  }

  /** A pane that was painted with what is wanted could be scrolled no further than to here. */
  endAt(pane: Pane, rows: number | undefined): void {
    this.#ends = { ...this.#ends, [pane]: rows };
  }

  /** Back to where these panes begin. */
  reset(...panes: readonly Pane[]): void {
    for (const pane of panes) this.#wanted = { ...this.#wanted, [pane]: 0 };
  }
}
