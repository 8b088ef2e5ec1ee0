// A copy of what folds hold, that later changes do not reach.

/** What knows better how it is copied. */
interface Copyable {
  copyHeld(): object;
}

/**
 * Lists, maps, sets and instances of classes are changed in place by their fold: they are copied. Plain objects are values:
 * they are never changed, nor what is in them, and both sides share them, as they share what is frozen. What is held twice is
 * copied once.
 */
export function copyState<T>(value: T, copies = new Map<object, object>()): T {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known as T;
  const copy = copyObject(value, copies);
  copies.set(value, copy);
  return copy as T;
}

function copyObject(value: object, copies: Map<object, object>): object {
  const copyOf = (each: unknown) => copyState(each, copies);
  if (Array.isArray(value)) return isOfValues(value[0]) ? value.slice() : value.map(copyOf);
  if (value instanceof Set) return new Set(value);
  if (value instanceof Map) {
    return new Map(Array.from(value, ([key, each]) => [key, copyOf(each)]));
  }
  if ("copyHeld" in value) return (value as Copyable).copyHeld();
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || Object.isFrozen(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, copyOf(each)]);
  return Object.assign(Object.create(prototype), Object.fromEntries(fields));
}

/** Lists are of one kind of item: where the first is a value, all are. */
function isOfValues(item: unknown): boolean {
  return (
    typeof item !== "object" || item === null || Object.getPrototypeOf(item) === Object.prototype
  );
}
