// Fills, funding payments and funding rates: records that are only added.
import { columnOf, fieldsOf, read } from "../dialect/fields.ts";
import type { Meaning, Names } from "../dialect/names.ts";
import type { Place } from "../stream/chain.ts";
import type { OpenRecord } from "../wire/frames.ts";

const MAX_RECORDS = 5000;

interface Log {
  readonly place: Place;
  readonly names: Names;
  /** The meaning of the field that tells records apart. */
  readonly id: Meaning;
  /** Two records that say the same are one. */
  readonly isDistinct?: boolean;
}

/**
 * Inside a subscription every record is new, unless it says what one of the same id has said; the first frame of a later one adds
 * what it has more of than is held: by id where records have one, else by all that they say.
 * @param held oldest first; changed in place, or replaced
 */
export function appendLog(
  held: OpenRecord[],
  records: readonly OpenRecord[],
  log: Log,
): OpenRecord[] {
  if (records.length === 0) return held;
  const rows = oldestFirst(records, log.names);
  const column = columnOf(rows, log.id, log.names);
  const idOf = (row: OpenRecord) => (column === undefined ? undefined : fieldsOf(row).get(column));
  const isTelling = column !== undefined || log.isDistinct === true;
  const added =
    log.place === "first"
      ? withoutHeld(held, rows, (row) => idOf(row) ?? contentOf(row))
      : isTelling
        ? withoutRepeats(held, rows)
        : rows;
  for (const row of added) held.push(row);
  // In larger steps, so that a long log is not moved for each record.
  return held.length > MAX_RECORDS * 1.25 ? held.slice(-MAX_RECORDS) : held;
}

/** Equal ones are counted: a trade of an account with itself is two fills. */
function withoutHeld(
  held: readonly OpenRecord[],
  rows: readonly OpenRecord[],
  identity: (row: OpenRecord) => string,
): readonly OpenRecord[] {
  const left = new Map<string, number>();
  for (const row of held) left.set(identity(row), (left.get(identity(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(identity(row)) ?? 0;
    left.set(identity(row), count - 1);
    return count <= 0;
  });
}

/** Of the newest held ones: a repeat comes soon. */
const REPEATED_WITHIN = 1000;

function withoutRepeats(
  held: readonly OpenRecord[],
  rows: readonly OpenRecord[],
): readonly OpenRecord[] {
  const left = new Set(rows.map(contentOf));
  for (const row of held.slice(-REPEATED_WITHIN)) left.delete(contentOf(row));
  return rows.filter((row) => left.has(contentOf(row)));
}

const contents = new WeakMap<OpenRecord, string>();

/** The whole record, whatever the order of its fields. */
function contentOf(row: OpenRecord): string {
  const known = contents.get(row);
  if (known !== undefined) return known;
  const content = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  contents.set(row, content);
  return content;
}

function oldestFirst(rows: readonly OpenRecord[], names: Names): readonly OpenRecord[] {
  const column = columnOf(rows, "time", names);
  const [first, last] = [rows[0], rows.at(-1)];
  if (column === undefined || first === undefined || last === undefined) return rows;
  const [a, b] = [fieldsOf(first).get(column) ?? "", fieldsOf(last).get(column) ?? ""];
  const isFalling = a.length === b.length ? a > b : a.length > b.length;
  return isFalling ? rows.toReversed() : rows;
}

/** One record a time, oldest first: the history of a market's funding rates. */
export function putByTime(
  held: readonly OpenRecord[],
  records: readonly OpenRecord[],
  { place, names }: { readonly place: Place; readonly names: Names },
): OpenRecord[] {
  const rows = oldestFirst(records, names);
  const all = place === "first" ? rows : [...held, ...rows];
  const byTime = new Map(all.map((row) => [read(row, "time", names) ?? contentOf(row), row]));
  return [...byTime.values()].slice(-MAX_RECORDS);
}
