// The theme in force: it can change while the dashboard is on the screen.
import type { StyleTable } from "../terminal/cells/style-table.ts";
import { createTheme, type Theme, type ThemeChoice } from "./theme.ts";

/** Holds what the user has chosen, and the theme that follows from it. */
export class Appearance {
  /** Everything that is on the screen must be drawn again. */
  onChange: (() => void) | undefined;
  readonly #styles: StyleTable;
  readonly #listeners = new Set<() => void>();
  #choice: ThemeChoice;
  #theme: Theme;

  constructor(styles: StyleTable, choice: ThemeChoice) {
    this.#styles = styles;
    this.#choice = choice;
    this.#theme = createTheme(styles, choice);
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  get theme(): Theme {
    return this.#theme;
  }

  /** Calls back after every change. Returns its undo. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(part: Partial<ThemeChoice>): void {
    this.#choice = { ...this.#choice, ...part };
    this.#theme = createTheme(this.#styles, this.#choice);
    for (const listener of this.#listeners) listener();
    this.onChange?.();
  }
}
