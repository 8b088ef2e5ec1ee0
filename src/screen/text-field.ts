// One line that the user types. It takes every key: none of them acts on what is behind it.

export interface TextFieldOptions {
  readonly label: string;
  readonly text?: string;
  /** What the text means or what is wrong with it, shown beside it. */
  hint?(text: string): string;
  /** After each change. */
  onChange?(text: string): void;
  /** Enter. @returns why the text cannot be taken: then the field stays */
  onDone(text: string): string | undefined;
  /** Escape. */
  onCancel?(): void;
}

/** As a person sees them: a letter with its marks, an emoji of several code points. */
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const charactersOf = (text: string) =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

type Characters = readonly string[];
/** What stands before the caret, and behind it. */
type Sides = readonly [before: Characters, after: Characters];

const LAST_WORD = /\S*\s*$/;
const MAX_LENGTH = 500;

const EDITS: Readonly<Record<string, (before: Characters, after: Characters) => Sides>> = {
  left: (before, after) => [before.slice(0, -1), [...before.slice(-1), ...after]],
  right: (before, after) => [[...before, ...after.slice(0, 1)], after.slice(1)],
  home: (before, after) => [[], [...before, ...after]],
  end: (before, after) => [[...before, ...after], []],
  backspace: (before, after) => [before.slice(0, -1), after],
  delete: (before, after) => [before, after.slice(1)],
  "ctrl+w": (before, after) => [charactersOf(before.join("").replace(LAST_WORD, "")), after],
  "ctrl+u": (_before, after) => [[], after],
  "ctrl+k": (before) => [before, []],
};
const ALIASES: Readonly<Record<string, string>> = {
  ...{ "ctrl+a": "home", "ctrl+e": "end", "ctrl+h": "backspace", "ctrl+d": "delete" },
};

export class TextField {
  readonly options: TextFieldOptions;
  /** Why the last Enter was refused. */
  refusal = "";
  #sides: Sides;

  constructor(options: TextFieldOptions) {
    this.options = options;
    this.#sides = [charactersOf(options.text ?? ""), []];
  }

  get text(): string {
    return this.#sides.flat().join("");
  }

  /** What stands before the caret. */
  get before(): string {
    return this.#sides[0].join("");
  }

  /** The ends of pasted lines become spaces. */
  insert(text: string): void {
    const [before, after] = this.#sides;
    const line = text.slice(0, MAX_LENGTH).replace(/[\s\p{Cc}]+/gu, " ");
    // Anew from the text: a mark that is typed belongs to the letter before it.
    this.#set([charactersOf(before.join("") + line).slice(0, MAX_LENGTH), after]);
  }

  /** @returns true when it is finished */
  key(name: string, text: string): boolean {
    const edit = EDITS[ALIASES[name] ?? name];
    if (edit !== undefined) this.#set(edit(...this.#sides));
    else if (text !== "") this.insert(text);
    else if (name === "enter") {
      this.refusal = this.options.onDone(this.text) ?? "";
      return this.refusal === "";
    } else if (name === "escape" || name === "ctrl+c") {
      this.options.onCancel?.();
      return true;
    }
    return false;
  }

  #set(sides: Sides): void {
    const before = this.text;
    this.#sides = sides;
    this.refusal = "";
    if (this.text !== before) this.options.onChange?.(this.text);
  }
}
