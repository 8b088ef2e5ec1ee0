// A thing that the user sets by a key and finds as it was the next time: one of a few values, by name.
import type { Ui } from "./ui.ts";

export type ChoiceValue = string | number | boolean;

export interface Choice<T extends ChoiceValue> {
  readonly name: string;
  readonly values: readonly T[];
  get(ui: Ui): T;
  set(ui: Ui, value: T): void;
  /** The next value, after the last the first. */
  next(ui: Ui): void;
  /** One further, up to the last. */
  more(ui: Ui): void;
  less(ui: Ui): void;
}

/** @param usual what it is until the user chooses */
export function createChoice<const T extends ChoiceValue>(
  name: string,
  values: readonly [T, ...T[]],
  usual: T = values[0],
): Choice<T> {
  const at = (ui: Ui) => {
    const chosen = values.indexOf(ui.choices[name] as T);
    return chosen >= 0 ? chosen : values.indexOf(usual);
  };
  const set = (ui: Ui, index: number) => {
    const value = values[index];
    if (value !== undefined) ui.choices[name] = value;
  };
  return {
    name,
    values,
    get: (ui) => values[at(ui)] ?? usual,
    set: (ui, value) => set(ui, values.indexOf(value)),
    next: (ui) => set(ui, (at(ui) + 1) % values.length),
    more: (ui) => set(ui, at(ui) + 1),
    less: (ui) => set(ui, at(ui) - 1),
  };
}
