// A thing that the user sets by a key and finds as it was the next time: one of a few values, by name.
import type { Ui } from "./ui.ts";

export type ChoiceValue = string | number | boolean;

export interface Choice<T extends ChoiceValue> {
  readonly name: string;
  /** The first is the default. */
  readonly values: readonly T[];
  get(ui: Ui): T;
  set(ui: Ui, value: T): void;
  /** The next value, after the last the first. */
  next(ui: Ui): void;
  /** One further, up to the last. */
  more(ui: Ui): void;
  less(ui: Ui): void;
}

export function createChoice<const T extends ChoiceValue>(
  name: string,
  values: readonly [T, ...T[]],
): Choice<T> {
  const at = (ui: Ui) => Math.max(0, values.indexOf(ui.choices[name] as T));
  const set = (ui: Ui, index: number) => {
    const value = values[index];
    if (value !== undefined) ui.choices[name] = value;
  };
  return {
    name,
    values,
    get: (ui) => values[at(ui)] ?? values[0],
    set: (ui, value) => set(ui, values.indexOf(value)),
    next: (ui) => set(ui, (at(ui) + 1) % values.length),
    more: (ui) => set(ui, at(ui) + 1),
    less: (ui) => set(ui, at(ui) - 1),
  };
}
