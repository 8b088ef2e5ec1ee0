// Is the terminal dark or light? It is queried for its background; the reply arrives as input, before the first key or never. A
// reply that is late, unsolicited or malformed changes nothing.
import type { Clock } from "../../units/clock.ts";
import { type Color, isDark, rgb } from "../cells/color.ts";
import { BACKGROUND_QUESTION } from "./osc.ts";

export type Ground = "dark" | "light";

/** Every terminal reports its identity (DA1): one that has not reported a background before that does not support the query. */
const QUESTION = `${BACKGROUND_QUESTION}\x1b[c`;
const ANSWER_WITHIN_MS = 1000;
const COLOR = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i;

/** Asking again restarts the timeout. */
export class BackgroundQuery {
  /** Set by the owner of the screen. Writes to the terminal. */
  emit: ((sequence: string) => void) | undefined;
  onAnswer: ((ground: Ground, background: Color) => void) | undefined;
  /** The terminal has not reported its background, and will not. */
  onSilence: (() => void) | undefined;
  readonly #clock: Pick<Clock, "after">;
  #cancel: (() => void) | undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#cancel !== undefined;
  }

  ask(): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(ANSWER_WITHIN_MS, () => this.end());
    this.emit?.(QUESTION);
  }

  /** @param answer the terminal's reply; empty for the DA1 reply, which marks the end */
  take(answer: string): void {
    if (!this.isOpen) return;
    const color = readColor(answer);
    if (answer === "") this.end();
    if (color === undefined) return;
    this.close();
    this.onAnswer?.(isDark(color) ? "dark" : "light", color);
  }

  /** The user has typed, or has waited long enough: whatever arrives now is not a reply. */
  end(): void {
    if (!this.isOpen) return;
    this.close();
    this.onSilence?.();
  }

  close(): void {
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
