// Is the terminal dark or light? It is asked for its background, and answers as if somebody typed: before the first key, or never.
// An answer that is late, unasked for or of another form changes nothing.
import type { Clock } from "../../units/clock.ts";
import { type Color, isDark, rgb } from "../cells/color.ts";
import { BACKGROUND_QUESTION } from "./osc.ts";

export type Ground = "dark" | "light";

/** Every terminal answers what it is (DA1): one that has said nothing of its background before does not know the question. */
const QUESTION = `${BACKGROUND_QUESTION}\x1b[c`;
const ANSWER_WITHIN_MS = 1000;
const COLOR = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i;

/** Asked again, it waits anew. */
export class BackgroundQuery {
  /** Set by whoever draws. Writes to the terminal. */
  emit: ((sequence: string) => void) | undefined;
  onAnswer: ((ground: Ground, background: Color) => void) | undefined;
  readonly #clock: Pick<Clock, "after">;
  #cancel: (() => void) | undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#cancel !== undefined;
  }

  ask(): void {
    this.end();
    this.#cancel = this.#clock.after(ANSWER_WITHIN_MS, () => this.end());
    this.emit?.(QUESTION);
  }

  /** What the terminal has answered, of which the end mark is empty. */
  take(answer: string): void {
    if (!this.isOpen) return;
    const color = readColor(answer);
    if (answer === "" || color !== undefined) this.end();
    if (color === undefined) return;
    this.onAnswer?.(isDark(color) ? "dark" : "light", color);
  }

  /** The user has typed: what comes now is no answer. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function readColor(answer: string): Color | undefined {
  const parts = COLOR.exec(answer)?.slice(1, 4);
  if (parts === undefined || parts.some((part) => part.length !== parts[0]?.length))
    return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => (Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255,
  );
  return rgb(Math.round(red), Math.round(green), Math.round(blue));
}
