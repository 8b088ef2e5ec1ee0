// A text that a canvas shows and a test changes.
import type { Surface } from "../../../src/terminal/cells/surface.ts";

export class ChangingText {
  readonly listeners = new Set<() => void>();
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For a canvas: says when to paint again. */
  readonly source = (onChange: () => void) => {
    this.listeners.add(onChange);
    return () => this.listeners.delete(onChange);
  };

  /** For a canvas: the text in its first row. */
  readonly paint = (surface: Surface) => {
    surface.text(0, 0, this.text);
  };

  set(text: string): void {
    this.text = text;
    for (const listener of this.listeners) listener();
  }
}
