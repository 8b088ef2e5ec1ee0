// One subaccount:
//
//   header: address, state, equity, margin …
//   ╭ positions ───────────────────────────╮
//   ├ orders ──────────────────────────────┤
//   ├ fills ─────────────────┬ balances ───┤
//   ╰────────────────────────┴─────────────╯
import { useCallback, useMemo, useSyncExternalStore } from "react";
import {
  formatDistance,
  formatStatus,
  selectMarginShare,
  selectNearestLiquidation,
} from "../../../select/account-rows.ts";
import { getFields, shortAddress } from "../../../select/fields.ts";
import { MASK } from "../../../select/mask.ts";
import { formatField, humanised, type RecordFormat } from "../../../select/record-format.ts";
import type { Meaning } from "../../../state/aliases.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { Line, PaneGroup } from "../../panes/frame.tsx";
import {
  badges,
  cellStyle,
  columnKind,
  distanceStyle,
  marginStyle,
  ofState,
  type Piece,
  paintPieces,
  piece,
  signStyle,
} from "../../panes/pieces.ts";
import type { ViewProps } from "../view.ts";
import type { SubaccountModel } from "./model.ts";

type Source = ReturnType<ViewProps["parts"]["changes"]["source"]>;

/** A source notifies of the first of several changes; this one waits for a microtask, when all of them have been made. */
function afterAll(source: Source): Source {
  return (onChange) => {
    let isOver = false;
    const undo = source(() => {
      void Promise.resolve().then(() => {
        if (!isOver) onChange();
      });
    });
    return () => {
      isOver = true;
      undo();
    };
  };
}

export function SubaccountView({ parts, model, theme, width, height }: ViewProps<SubaccountModel>) {
  const { changes } = parts;
  const channels = useCallback(() => model.channels, [model]);
  // Panes are as high as their content, which changes with the feed.
  const source = useMemo(() => changes.source(channels), [changes, channels]);
  const whenAllCame = useMemo(() => afterAll(source), [source]);
  const layout = useSyncExternalStore(whenAllCame, () => model.layoutFor(width, height));
  const drawHeader = useCallback(
    (surface: Surface) => {
      const lines = [nameLine(model), ofState(model.status.state, figures(model))];
      for (const [y, pieces] of lines.slice(0, surface.height).entries())
        paintPieces(surface, y, pieces, theme);
      changes.noteState(model, model.catalogueStatus.state);
    },
    [changes, model, theme],
  );
  return (
    <>
      <Line
        parts={parts}
        width={width}
        channels={channels}
        rows={layout.headerRows}
        paint={drawHeader}
      />
      {layout.rows.map((row) => (
        <PaneGroup
          key={row.panes[0]?.pane}
          direction="row"
          placed={row.panes.map((placed) => ({ ...placed, height: row.height }))}
          panes={model.panes}
          parts={parts}
          theme={theme}
        />
      ))}
    </>
  );
}

// The header of a subaccount: whose it is, its state, and the figures of its record.

type Figure = readonly [label: string, meaning: Meaning];

/** Figures that every user looks for: shown as `not provided` if missing. */
const EQUITY = ["equity", "equity"] as const satisfies Figure;
const FIGURES: readonly Figure[] = [
  ["unrealised", "unrealizedPnl"],
  ["margin", "margin"],
  ["free margin", "freeMargin"],
];

const ABOVE: readonly Meaning[] = ["subaccountId", "status"];

/** Priorities of missing figures, and of fields that have no label here. */
const LAST = 1000;
const OTHERS = 20;
const BAR_CELLS = 8;

function nameLine(model: SubaccountModel): Piece[] {
  const { parts, scaleSources } = model;
  const { shown } = parts;
  const { subaccount, isMasked } = shown;
  if (subaccount === undefined) return [];
  const { address, subaccountId } = subaccount;
  const owner = isMasked ? MASK : shortAddress(address);
  const { state, note } = model.status;
  return [
    piece("account", `${owner}/${subaccountId}`, "title", 0),
    ...ofState(model.catalogueStatus.state, statusPieces(model.data?.status)),
    ...(state === "refused"
      ? [piece("", visible(shown.masked(`refused: ${note}`)), "bad", 2)]
      : []),
    ...(isMasked ? [piece("", " MASKED ", "badge", 2)] : []),
    ...ofState(state, [...equityPieces(model), ...sessionPieces(model)]),
    ...(scaleSources
      ? [piece("scale", visible(scaleSources), scaleSources.includes(":") ? "notice" : "dim", 10)]
      : []),
    ...badges(parts),
  ];
}

/** The subaccount's status according to the service; any but active stands out. */
function statusPieces(status: string | undefined): Piece[] {
  if (status === undefined) return [];
  const words = visible(formatStatus(status));
  return status === "active"
    ? [piece("", words, "good", 4)]
    : [piece("", ` ${words.toUpperCase()} `, "alarm", 1)];
}

function figures(model: SubaccountModel): Piece[] {
  const { parts, data } = model;
  const { summary } = data ?? {};
  if (summary === undefined) return [];
  const { aliases } = parts.shown.store;
  const format = model.formatSummary();
  const known = FIGURES.flatMap(([label, meaning], i) => {
    const column = aliases.columnOf(summary, meaning);
    if (column === undefined) return [piece(label, "not provided", "dim", LAST + i)];
    const shown = figure(format, summary, column, label, i * 2);
    return meaning === "margin" ? [shown, ...marginPieces(model, summary)] : [shown];
  });
  // Owner and status are on the line above.
  const meanings = [EQUITY, ...FIGURES].map(([, meaning]) => meaning);
  const named = new Set(
    [...meanings, ...ABOVE].map((meaning) => aliases.columnOf(summary, meaning)),
  );
  const others = getFields(summary).filter(({ path }) => !named.has(path));
  return [
    ...known,
    ...liquidationPieces(model),
    ...others.map(({ path: column }, i) => {
      const isTime = formatField(format, summary, column).kind === "time";
      const label = visible(humanised(column, isTime)).toLowerCase();
      return figure(format, summary, column, label, OTHERS + i);
    }),
  ];
}

function equityPieces({ parts: { shown }, data, formatSummary }: SubaccountModel): Piece[] {
  const { summary } = data ?? {};
  if (summary === undefined) return [];
  const { aliases } = shown.store;
  const [label, meaning] = EQUITY;
  const column = aliases.columnOf(summary, meaning);
  if (column === undefined) return [piece(label, "not provided", "dim", LAST)];
  return [figure(formatSummary(), summary, column, label, 0)];
}

/** Profit of the session, and what it is made of; known in the live session only. */
function sessionPieces({ parts: { shown }, session }: SubaccountModel): Piece[] {
  const { ownChannels, store, display, isFrozen, isMasked } = shown;
  const [channel] = ownChannels;
  if (channel === undefined || isFrozen || isMasked) return [];
  const { logs } = store.slice("account", channel).data;
  const since = display.timeOfDay(session.sinceMs).slice(0, 5);
  return session.select(logs, store.aliases).map(({ name, text, isWhole }, i) => {
    const label = name === "profit" ? "session" : i === 0 ? `session ${name}` : name;
    const when = i === 0 ? ` since ${since}` : "";
    const amount = `${display.money(text)}${isWhole ? "" : "?"}`;
    return piece(label, `${amount}${when}`, signStyle(text), i === 0 ? 3 : 6 + i);
  });
}

/** Share of the equity used as margin, with a bar that is red near its end. */
function marginPieces({ data, parts: { shown } }: SubaccountModel, summary: OpenRecord): Piece[] {
  const share = shown.isMasked ? undefined : selectMarginShare(summary, shown.store.aliases);
  if (share === undefined) return [];
  const filled = Math.round(Math.max(0, Math.min(1, Number(share) / 100)) * BAR_CELLS);
  const bar = "█".repeat(filled) + "░".repeat(BAR_CELLS - filled);
  const mark = data?.isMarginInQuestion === true ? "?" : "";
  return [piece("", `${bar} ${share}%${mark}`, marginStyle(share), 5)];
}

function liquidationPieces({ data, parts: { shown } }: SubaccountModel): Piece[] {
  const nearest = selectNearestLiquidation(data?.rows.positions ?? [], shown.store.aliases);
  if (nearest === undefined) return [];
  const { percent, market } = nearest;
  const text = `${visible(market)} ${formatDistance(percent)}`;
  return [piece("liquidation", text, distanceStyle(percent), 4)];
}

function figure(
  format: RecordFormat,
  summary: OpenRecord,
  column: string,
  label: string,
  priority: number,
): Piece {
  const cell = formatField(format, summary, column);
  const style = cellStyle(columnKind(format.aliases, column), cell);
  return piece(label, visible(cell.text), style, priority);
}
