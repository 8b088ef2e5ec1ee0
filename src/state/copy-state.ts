// Copies the state of a fold, so that later changes to the original do not affect the copy.

/** An object that copies itself. */
interface Copyable {
  copyHeld(): object;
}

/**
 * Folds change lists, maps, sets and class instances in place, so these are copied. Plain objects are immutable values, with
 * all that they contain, and are shared, as are frozen objects. An object referenced twice is copied once.
 */
export function copyState<T>(value: T, copies = new Map<object, object>()): T {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known as T;
  const copy = copyObject(value, copies);
  copies.set(value, copy);
  return copy as T;
}

// Loops, because closures created here would be compiled again after each collection of the old ones.
function copyObject(value: object, copies: Map<object, object>): object {
  if (Array.isArray(value)) return copyList(value, copies);
  if (value instanceof Set) return new Set(value);
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>();
    for (const [key, each] of value) map.set(key, copyState(each, copies));
    return map;
  }
  if ("copyHeld" in value) return (value as Copyable).copyHeld();
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || Object.isFrozen(value)) return value;
  const copy = Object.create(prototype) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) copy[name] = copyState(each, copies);
  return copy;
}

function copyList(value: readonly unknown[], copies: Map<object, object>): object {
  const list = value.slice();
  if (isOfValues(list[0])) return list;
  for (let i = 0; i < list.length; i++) list[i] = copyState(list[i], copies);
  return list;
}

/** Lists are homogeneous: if the first item is a value, all are. */
function isOfValues(item: unknown): boolean {
  return (
    typeof item !== "object" || item === null || Object.getPrototypeOf(item) === Object.prototype
  );
}
