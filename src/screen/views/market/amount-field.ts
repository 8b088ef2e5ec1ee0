// The amount whose cost the book shows: typed by the user, kept until it is taken away.
import { TextField } from "../../text-field.ts";

/** Tells of every change. No method throws. */
export class AmountField {
  readonly #onChange: () => void;
  #field: TextField | undefined;
  #text = "";

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Empty while there is none. */
  get text(): string {
    return this.#text;
  }

  /** Defined while the user types. */
  get typing(): TextField | undefined {
    return this.#field;
  }

  /** True while the book has something to show of it. */
  get isShown(): boolean {
    return this.#field !== undefined || this.#text !== "";
  }

  /** Sets the text, and ends the typing. */
  set(text: string): void {
    this.#text = text.trim();
    this.#field = undefined;
    this.#onChange();
  }

  /** Lets the user type another amount: Enter keeps it, or the one before where nothing is typed; Escape takes it away. */
  open(): void {
    const before = this.#text;
    this.#text = "";
    this.#field = new TextField({
      text: "",
      onChange: (text) => {
        this.#text = text;
        this.#onChange();
      },
      onEnd: (isKept) => this.set(isKept ? this.#text.trim() || before : ""),
    });
    this.#onChange();
  }
}
