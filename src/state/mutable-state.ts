// State that a fold changes in place.

/** What its maps, sets and arrays hold is never changed in place: copies share it. States in its fields are copied. */
export abstract class MutableState {
  /** The same state; what is folded into one of the two does not reach the other. */
  copy(): this {
    const copy = Object.create(Object.getPrototypeOf(this));
    for (const [name, value] of Object.entries(this)) copy[name] = copyOf(value);
    return copy;
  }
}

function copyOf(value: unknown): unknown {
  if (value instanceof MutableState) return value.copy();
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  return Array.isArray(value) ? [...value] : value;
}
