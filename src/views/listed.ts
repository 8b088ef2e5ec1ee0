// What the views of the three listings share: rows of a moment, and how far they are proven.

import type { HistoryList } from "../listing/history-list.ts";
import { formatSpan } from "../rows/format.ts";
import type { Moment } from "../rows/moment.ts";
import type { Ui } from "../screen/ui.ts";
import { visible } from "../terminal/visible.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";

/** Why a listing cannot be shown; true if it can. */
export function whenListed(ui: Ui): true | string {
  if (ui.services.listings !== undefined) return true;
  return ui.elsewhere === undefined
    ? "no address of the listings is known: give --base-url"
    : "a recording holds no listings";
}

/** A listing is what it was: at an earlier moment it has the rows up to then. Undefined while nothing is known. */
export function rowsAt<T extends ListedRecord>(
  { rows, activity, error }: HistoryList<T>,
  { wallMs, store }: Moment,
  { elsewhere }: Ui,
): readonly T[] | undefined {
  if (rows.length === 0 && (activity !== "nothing" || error !== undefined)) return undefined;
  if (elsewhere === undefined) return rows;
  const thenMs = wallMs - (store.link.skewMs ?? 0);
  const at = rows.findIndex(({ timestamp_ms }) => timestamp_ms <= thenMs);
  return at === 0 ? rows : at < 0 ? [] : rows.slice(at);
}

/** One line: what is done, what failed and when it is tried again, else whether the rows are proven. */
export function listedState<T extends ListedRecord>(list: HistoryList<T>, ui: Ui): string {
  const { activity, error, verdict, isFull } = list;
  if (activity === "older" || activity === "newer") return "reading the listing …";
  if (error !== undefined) return failedText(error, list.endedAtMs, ui);
  const then = ui.elsewhere === undefined ? "" : "as it was listed; ";
  if (isFull) return `${then}no gap; older rows: monitor export`;
  if (verdict === undefined) return `${then}no gap so far; older rows come at the end`;
  const why = visible(verdict.why);
  return then + (verdict.isComplete ? `all of it, no gap: ${why}` : `not proven: ${why}`);
}

export function failedText(error: string, endedAtMs: number | undefined, ui: Ui): string {
  const retryAtMs = ui.services.listings?.retryAtMs(endedAtMs ?? ui.nowMs) ?? ui.nowMs;
  const next = formatSpan(Math.max(0, retryAtMs - ui.nowMs));
  return `not up to date: ${visible(error)}; again in ${next}`;
}

const ids = new WeakMap<object, string>();
let nextId = 0;

/** What rows call themselves need not be unique: a transaction may have equal ones. */
export function idOfRecord(record: object): string {
  let id = ids.get(record);
  if (id === undefined) {
    id = String(nextId++);
    ids.set(record, id);
  }
  return id;
}
