// Tells keys, pasted text and the mouse apart in what Ink's `useInput` hands on (it takes the leading ESC away).
import { type MouseReport, parseMouse } from "./mouse.ts";

/** What the user did. Keys may be several typed at once; pasted text is whole and must not act as keys. */
export type SortedInput =
  | { readonly kind: "keys"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "mouse"; readonly report: MouseReport };

const PASTE_START = "[200~";
const PASTE_END = "[201~";
/** Text beyond this is dropped: nothing here takes more, and an end that never comes must not fill memory. */
const PASTE_LIMIT = 65_536;

/** Give it the `input` of every call of `useInput`, in order. */
export class InputSorter {
  #pasted: string | undefined;

  /** What this input is, or undefined while pasted text is still coming. Never throws. */
  sort(input: string): SortedInput | undefined {
    if (input === PASTE_START) {
      this.#pasted = "";
      return undefined;
    }
    if (this.#pasted !== undefined) return this.#sortPasted(this.#pasted, input);
    const report = parseMouse(input);
    return report === undefined ? { kind: "keys", text: input } : { kind: "mouse", report };
  }

  #sortPasted(before: string, input: string): SortedInput | undefined {
    if (input !== PASTE_END) {
      this.#pasted = (before + input).slice(0, PASTE_LIMIT);
      return undefined;
    }
    this.#pasted = undefined;
    return { kind: "paste", text: before };
  }
}
