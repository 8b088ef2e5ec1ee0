// Records whose fields the document does not list, as markets and market-stats send them: the first frame
// is the list, later ones change or add by key. Fields are kept as they came. Reading: docs/adr/0007.
import type { OpenRecord } from "../protocol/channels/update.ts";

/** Records that are kept; a service with more than this many markets is shown in part. */
const MAX_RECORDS = 10_000;

export interface RecordsState {
  /** In the order first seen. */
  readonly records: readonly OpenRecord[];
}

export const noRecords: RecordsState = { records: [] };

/** Names under which the parts of a market's key are looked for, the likeliest first. */
const idNames = ["market_id", "id"];
const typeNames = ["market_type", "type"];

/** The key of a market's record: type and id, since ids of spot and perp markets may overlap. */
function marketKey(record: OpenRecord): string | undefined {
  const id = firstOf(record, idNames);
  return id === undefined ? undefined : `${firstOf(record, typeNames) ?? ""}/${id}`;
}

export function reduceRecords(
  state: RecordsState,
  came: readonly OpenRecord[],
  isFirst: boolean,
): RecordsState {
  const merged = new Map<string, OpenRecord>();
  const all = isFirst ? came : [...state.records, ...came];
  all.forEach((record, i) => {
    merged.set(marketKey(record) ?? `#${i}`, record);
  });
  return { records: [...merged.values()].slice(0, MAX_RECORDS) };
}

function firstOf(record: OpenRecord, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = record[name];
    if (typeof value === "string" || typeof value === "number") return String(value);
  }
  return undefined;
}
