// Which fields open records have, and of which types their values are: said of what came, never of what it means.

/** Fields that are listed; a record with more is described in part. */
const MAX_FIELDS = 60;

/** The fields of records that were added, with the types of their values, each in the order first seen. Never throws. */
export class FieldProfile {
  readonly #types = new Map<string, Set<string>>();
  /** Profiles of the objects in lists, by the field that holds the list. */
  readonly #lists = new Map<string, FieldProfile>();
  #records = 0;

  get records(): number {
    return this.#records;
  }

  add(record: object): void {
    this.#records++;
    for (const [name, value] of Object.entries(record)) {
      if (Array.isArray(value)) this.#addList(name, value);
      const types = this.#types.get(name) ?? new Set();
      if (this.#types.size < MAX_FIELDS || this.#types.has(name)) {
        this.#types.set(name, types.add(typeOf(value)));
      }
    }
  }

  /** `margin_tiers: max_leverage integer`: what lists of objects hold. Empty when there are none. */
  get lists(): string {
    return [...this.#lists].map(([name, profile]) => `${name}: ${profile}`).join("; ");
  }

  /** `symbol text, market_id integer, funding decimal text`. Empty before the first record. */
  toString(): string {
    return [...this.#types].map(([name, types]) => `${name} ${[...types].join("|")}`).join(", ");
  }

  #addList(name: string, items: readonly unknown[]): void {
    const objects = items.filter(isObject);
    if (objects.length === 0) return;
    const profile = this.#lists.get(name) ?? new FieldProfile();
    if (this.#lists.size < MAX_FIELDS || this.#lists.has(name)) this.#lists.set(name, profile);
    for (const object of objects) profile.add(object);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "list" : `list of ${typeOf(value[0])}`;
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value !== "string") return typeof value;
  if (/^-?[0-9]+$/.test(value)) return "integer text";
  return /^-?[0-9]+\.[0-9]+$/.test(value) ? "decimal text" : "text";
}
