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
  /**
   * `wrong`: no such record is there; `doubled`: shown more often than it is there; `missing`: there, and not shown.
   */
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

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const key = canonical(text);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  if (left > 0) counts.set(key, left - 1);
  return left > 0;
}

/**
 * `truth` are the records that must be shown. `optional` may be shown or not: rows of amount zero, or the older part
 * of a list that only grows, of which a client knows what came since it subscribed.
 */
export function checkRows(
  shown: ShownRows,
  truth: readonly string[],
  optional: readonly string[] = [],
): Finding[] {
  const { list, state, inQuestion = [] } = shown;
  if (state !== "live" && state !== "quiet") return [];
  const findings: Finding[] = [];
  const required = countsOf(truth);
  const allowed = countsOf(optional);
  const known = new Set([...required.keys(), ...allowed.keys()]);
  for (const [i, text] of shown.rows.entries()) {
    const key = canonical(text);
    if (take(required, key) || take(allowed, key)) continue;
    const kind = known.has(key) ? "doubled" : "wrong";
    findings.push({ list, kind, record: key, isInQuestion: inQuestion[i] === true });
  }
  const isInQuestion = inQuestion.includes(true);
  for (const [record, count] of required) {
    for (let i = 0; i < count; i++) findings.push({ list, kind: "missing", record, isInQuestion });
  }
  return findings;
}
