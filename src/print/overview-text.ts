// All subaccounts of one or several addresses as plain text: one line for a running command, a page for --once and --for.
import { formatDistance, formatStatus } from "../select/account-rows.ts";
import { MISSING, shortAddress, withSign } from "../select/fields.ts";
import { MASK } from "../select/mask.ts";
import { type OverviewRow, selectTotals } from "../select/overview.ts";
import {
  formatCount,
  formatNearest,
  formatRowName,
  formatTotals,
} from "../select/overview-words.ts";
import { formatLink } from "../select/status.ts";
import { visible } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import type { OverviewSnapshot } from "./overview-json.ts";
import { textTable } from "./text-table.ts";

/** Rows on a page; --json has all of them. */
const MAX_ROWS = 200;

/** One line: how many are live, what they come to, the nearest liquidation of all. */
export function overviewLine(snapshot: OverviewSnapshot, wallMs: number): string {
  const { store, rows, nowMs, isMasked } = snapshot;
  return [
    formatIsoMs(wallMs),
    nameOf(snapshot),
    ...wordTotals(rows, isMasked),
    ...formatNearest(rows).map(visible),
    `link ${visible(formatLink(store.link, nowMs))}`,
  ].join("  ");
}

type Column = readonly [title: string, cell: (row: OverviewRow) => string | undefined];

/** Names and words stand on the left, numbers on the right. */
const LEFT = new Set(["subaccount", "status", "nearest liquidation", "state"]);

/** The whole view, for people who look once. @param missingWords of each address whose catalogue has not come, why */
export function overviewPage(snapshot: OverviewSnapshot, missingWords: readonly string[]): string {
  const { store, rows, nowMs, isMasked } = snapshot;
  const { gaps, resyncs, rejected, drifts } = store.faults;
  const hidden = (text: string | undefined) => (isMasked && text !== undefined ? MASK : text);
  const columns: readonly Column[] = [
    ["subaccount", (row) => formatRowName(row, snapshot)],
    ["status", ({ entry, ownStatus }) => formatWord(entry.status ?? ownStatus)],
    ["equity", ({ equity }) => hidden(equity)],
    ["unrealised", ({ unrealised }) => hidden(unrealised && withSign(unrealised))],
    ["margin used", ({ marginUsed }) => hidden(marginUsed)],
    ["margin %", ({ marginPercent }) => marginPercent],
    [
      "nearest liquidation",
      ({ nearest }) => nearest && `${nearest.market} ${formatDistance(nearest.percent)}`,
    ],
    ["orders", ({ orders, questions }) => formatCount(orders, questions.orders)],
    ["positions", ({ positions, questions }) => formatCount(positions, questions.positions)],
    [
      "state",
      ({ status: { state, age, note } }) => `${state} ${age} ${note}`.replace(/ +/g, " ").trim(),
    ],
  ];
  const shown = rows.slice(0, MAX_ROWS);
  const cells = shown.map((row) => columns.map(([, cell]) => cell(row) ?? MISSING));
  const table = [columns.map(([title]) => title), ...cells].map((row) =>
    row.map((text, i) => ({ text, isRight: !LEFT.has(columns[i]?.[0] ?? "") })),
  );
  const more = rows.length - shown.length;
  return [
    `account  ${nameOf(snapshot)}`,
    "",
    ...(rows.length > 0 ? textTable(table) : missingWords.length > 0 ? [] : ["no subaccounts"]),
    ...(more > 0 ? [`… ${more} more`] : []),
    ...missingWords.map(visible),
    "",
    `total   ${wordTotals(rows, isMasked).join("  ")}`,
    `link    ${visible(formatLink(store.link, nowMs))}`,
    `faults  gaps ${gaps}  resyncs ${resyncs}  rejected ${rejected}  drift ${drifts}`,
  ].join("\n");
}

function wordTotals(rows: readonly OverviewRow[], isMasked: boolean): readonly string[] {
  return formatTotals(selectTotals(rows), (text) => (isMasked ? MASK : text)).map(visible);
}

function formatWord(status: string | undefined): string | undefined {
  return status && formatStatus(status);
}

function nameOf({ accounts, isMasked }: OverviewSnapshot): string {
  if (isMasked) return MASK;
  return accounts.map(({ name, address }) => name ?? shortAddress(address)).join(", ");
}
