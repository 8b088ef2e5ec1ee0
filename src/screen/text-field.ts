// A single line of text input.
import type { StyleId } from "../terminal/cells/style-table.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { textWidth } from "../terminal/cells/text-cells.ts";
import type { Typing } from "./views/view.ts";

const MAX_LENGTH = 200;

export interface TextFieldOptions {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onEnd: (isAccepted: boolean) => void;
}

export class TextField implements Typing {
  readonly #options: TextFieldOptions;
  text: string;

  constructor(options: TextFieldOptions) {
    this.#options = options;
    this.text = options.text;
  }

  key(name: string): boolean {
    const edit = EDITS[name];
    if (edit !== undefined) this.#set(edit(this.text));
    else if (name === "return" || name === "escape") this.#options.onEnd(name === "return");
    else if (name === "space") this.#set(`${this.text} `);
    else if ([...name].length === 1) this.#set(this.text + name);
    else return false;
    return true;
  }

  /** Line breaks of pasted text become spaces. */
  paste(text: string): void {
    this.#set(this.text + text.replace(/\s+/g, " "));
  }

  #set(text: string): void {
    this.text = [...text].slice(0, MAX_LENGTH).join("");
    this.#options.onChange(this.text);
  }
}

const EDITS: Readonly<Record<string, (text: string) => string>> = {
  backspace: (text) => [...text].slice(0, -1).join(""),
  "ctrl+u": () => "",
  "ctrl+w": (text) => text.replace(/\S+\s*$/, ""),
};

export const CARET = "▏";

export function paintTyped(
  surface: Surface,
  x: number,
  y: number,
  text: string,
  style: StyleId,
): void {
  surface.text(x, y, text, style);
  const caret = text.indexOf(CARET);
  if (caret >= 0) surface.placeCursor(x + textWidth(text.slice(0, caret)), y);
}

/** The tail of text that is too long: where the caret is. */
export function endOfText(text: string, widthCells: number): string {
  let shown = text;
  while (textWidth(shown) > Math.max(0, widthCells)) shown = [...shown].slice(1).join("");
  return shown;
}
