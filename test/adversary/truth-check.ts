/**
 * What a client shows against what is really there, as multisets of whole records: no guess about keys.
 * A pane that does not claim to be live or quiet claims nothing, and is not checked.
 */

export interface ShownRows {
  list: string;
  /** JSON text of each open record that is shown; fields as the service sent them. */
  rows: readonly string[];
  /** State of the pane. */
  state: string;
  /** Rows, by position, that are marked as in question; absent when none is. */
  inQuestion?: readonly boolean[];
}

export interface Finding {
  list: string;
  /** `wrong`: no such record is there; `doubled`: shown more often than it is there; `missing`: there, and not shown. */
  kind: "wrong" | "doubled" | "missing";
  record: string;
  /** The row is marked, or for a missing one, some row of the list is. */
  isInQuestion: boolean;
}

/** As JSON.parse, but a number of more digits than a double holds comes as the text `exact:` and its digits. */
export function parseExact(text: string): unknown {
  const isPlain = !/\d{16}/.test(text);
  if (isPlain) return JSON.parse(text);
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const isLong = (found: string): boolean => !found.startsWith('"') && found.length > 15;
  return JSON.parse(text.replace(token, (found) => (isLong(found) ? `"exact:${found}"` : found)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(record)
      .sort()
      .map((name) => [name, sorted(record[name])]),
  );
}

/** The same text for the same record, whatever the order of its fields. */
function canonical(text: string): string {
  return JSON.stringify(sorted(parseExact(text)));
}

/** Texts that are remembered at once. */
const MAX_TEXTS = 100_000;

/** Canonical texts, each worked out once and held once, so that two of them are the same string when they are equal. */
export class CanonicalTexts {
  readonly #ofText = new Map<string, string>();
  #ofRecord = new WeakMap<object, string>();
  readonly #known = new Map<string, string>();

  of(text: string): string {
    const known = this.#ofText.get(text);
    if (known !== undefined) return known;
    const made = canonical(text);
    const kept = this.#known.get(made) ?? made;
    this.#known.set(kept, kept);
    this.#ofText.set(text, kept);
    return kept;
  }

  /** For records that may have been changed in place. */
  forgetRecords(): void {
    this.#ofRecord = new WeakMap();
    if (this.#ofText.size < MAX_TEXTS) return;
    this.#ofText.clear();
    this.#known.clear();
  }

  /** @param textOf JSON text of a record, with the digits of its numbers */
  ofRecord(record: object, textOf: (record: object) => string): string {
    const known = this.#ofRecord.get(record);
    if (known !== undefined) return known;
    const made = this.of(textOf(record));
    this.#ofRecord.set(record, made);
    return made;
  }
}

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  if (left > 0) counts.set(key, left - 1);
  return left > 0;
}

/** False for a pane that claims nothing. */
export function isClaim(state: string): boolean {
  return state === "live" || state === "quiet";
}

export interface ShownKeys {
  list: string;
  /** Canonical text of each row. */
  keys: readonly string[];
  state: string;
  /** Rows, by position, that are marked as in question; only asked for where something is found. */
  isMarked?: (row: number) => boolean;
}

/** As `checkRows`, of canonical texts. */
export function checkKeys(
  { list, keys, state, isMarked = () => false }: ShownKeys,
  truth: readonly string[],
  optional: readonly string[] = [],
): Finding[] {
  if (!isClaim(state)) return [];
  if (keys.length === truth.length && keys.every((key, i) => key === truth[i])) return [];
  const findings: Finding[] = [];
  const required = countsOf(truth);
  const allowed = countsOf(optional);
  const rows = [...keys.entries()];
  // Equal rows stand for each other: what is shown once too often is the one that is marked, where one of them is.
  const claimed = rows.filter(([i]) => !isMarked(i));
  const marked = claimed.length < rows.length ? rows.filter(([i]) => isMarked(i)) : [];
  for (const [i, key] of [...claimed, ...marked]) {
    if (take(required, key) || take(allowed, key)) continue;
    const kind = required.has(key) || allowed.has(key) ? "doubled" : "wrong";
    findings.push({ list, kind, record: key, isInQuestion: isMarked(i) });
  }
  const left = [...required].flatMap(([record, count]) =>
    Array.from({ length: count }, () => record),
  );
  if (left.length === 0) return findings;
  const isInQuestion = keys.some((_, row) => isMarked(row));
  return [
    ...findings,
    ...left.map((record) => ({ list, kind: "missing" as const, record, isInQuestion })),
  ];
}

/**
 * `truth` are the records that must be shown. `optional` may be shown or not: rows of amount zero, or the older part
 * of a list that only grows, of which a client knows what came since it subscribed.
 */
export function checkRows(
  { list, rows, state, inQuestion = [] }: ShownRows,
  truth: readonly string[],
  optional: readonly string[] = [],
): Finding[] {
  if (!isClaim(state)) return [];
  const isMarked = (row: number) => inQuestion[row] === true;
  return checkKeys(
    { list, keys: rows.map(canonical), state, isMarked },
    truth.map(canonical),
    optional.map(canonical),
  );
}
