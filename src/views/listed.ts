// What the views of the three listings share: rows of a moment, and how far they are proven.

import type { HistoryList } from "../listing/history-list.ts";
import { formatSpan } from "../rows/format.ts";
import { type ShownState, shownState } from "../screen/states.ts";
import type { Ui } from "../screen/ui.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { Memo } from "../units/memo.ts";
import { visible } from "../units/visible.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";

/** Why a listing cannot be shown; true if it can. */
export function whenListed(ui: Ui): true | string {
  if (ui.services.listings !== undefined) return true;
  return ui.services.replay === undefined
    ? "no address of the listings is known: give --base-url"
    : "a recording holds no listings";
}

/** Of the list that is shown, so that rows made from it are made once. */
const shownThen = new Memo<readonly ListedRecord[]>();

/** A listing is what it was: at an earlier moment it has the rows up to then. Undefined while nothing is known. */
export function rowsAt<T extends ListedRecord>(
  { rows, activity, error }: HistoryList<T>,
  moment: Moment,
  ui: Ui,
): readonly T[] | undefined {
  if (rows.length === 0 && (activity !== "nothing" || error !== undefined)) return undefined;
  const thenMs = shownUntilMs(moment, ui);
  const at = rows.findIndex(({ timestamp_ms }) => timestamp_ms <= thenMs);
  if (at === 0 || rows.length === 0) return rows;
  const then = at < 0 ? rows.length : at;
  return shownThen.get([rows, then], () => rows.slice(then)) as readonly T[];
}

/** What the table of a listing has beside its columns. */
export function listedTable<T extends ListedRecord>(
  listOf: (ui: Ui) => HistoryList<T> | undefined,
) {
  return {
    rows(moment: Moment, ui: Ui): readonly T[] | undefined {
      const list = listOf(ui);
      return list && rowsAt(list, moment, ui);
    },
    state: (moment: Moment, ui: Ui) => listState(listOf(ui), moment),
    foot(_rows: unknown, _moment: Moment, ui: Ui): string {
      const list = listOf(ui);
      return list === undefined ? "" : listedState(list, ui);
    },
    more: (ui: Ui) => listOf(ui)?.loadOlder(),
  };
}

/** Longer than a list that is shown is left without being asked for again. */
const OLD_MS = 90_000;

export function listState(
  list: { readonly listedAtMs: number | undefined } | undefined,
  { nowMs }: Moment,
): ShownState | undefined {
  if (list?.listedAtMs === undefined) return undefined;
  const ageMs = Math.max(0, nowMs - list.listedAtMs);
  return shownState(ageMs > OLD_MS ? "stale" : "listed", ageMs);
}

/** By the service's clock, what is shown ends there; Unix milliseconds. */
export function shownUntilMs(moment: Moment, { elsewhere }: Ui): number {
  return elsewhere === undefined ? Number.POSITIVE_INFINITY : serviceMs(moment);
}

/** One line: what is done, what failed and when it is tried again, else whether the rows are proven. */
export function listedState<T extends ListedRecord>(list: HistoryList<T>, ui: Ui): string {
  const { activity, error, verdict, isFull } = list;
  if (activity === "older") return "reading the listing …";
  if (error !== undefined) return failedText(error, list.endedAtMs, ui);
  const then = [
    ui.elsewhere === undefined ? "" : "as it was listed; ",
    list.hasChanged ? "rows that were listed have changed: all were read again; " : "",
  ].join("");
  if (isFull) return `${then}no gap; older rows: monitor export`;
  if (verdict === undefined) return `${then}no gap so far; older rows come at the end`;
  const why = visible(verdict.why);
  return then + (verdict.isComplete ? `all of it, no gap: ${why}` : `not proven: ${why}`);
}

export function failedText(error: string, endedAtMs: number | undefined, ui: Ui): string {
  const retryAtMs = ui.services.listings?.retryAtMs(endedAtMs ?? ui.nowMs) ?? ui.nowMs;
  const next = formatSpan(Math.max(0, retryAtMs - ui.nowMs));
  return `not up to date, again in ${next}: ${visible(error)}`;
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
