// The head of a subaccount: whose it is, its state, and the figures of its record.

import { formatStatus } from "../../../select/account-rows.ts";
import { fieldsOf, shortAddress } from "../../../select/fields.ts";
import { MASK } from "../../../select/mask.ts";
import { formatField, humanised, type RecordFormat } from "../../../select/record-format.ts";
import type { Aliases, Meaning } from "../../../state/aliases.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { badges, cellStyle, ofState, type Piece, paintPieces, piece } from "../../panes/pieces.ts";
import type { Theme } from "../../theme/theme.ts";
import type { AccountModel } from "./model.ts";

/** Figures that every user looks for; what is not there is said not to be provided. */
const FIGURES: readonly (readonly [label: string, meaning: Meaning])[] = [
  ["equity", "equity"],
  ["unrealized", "unrealizedPnl"],
  ["margin", "margin"],
  ["free margin", "freeMargin"],
];

/** What is not there gives way to everything that is. */
const LAST = 1000;

/** Paints one or two lines, as many as the surface has. */
export function paintAccountHeader(surface: Surface, model: AccountModel, theme: Theme): void {
  const lines = [nameLine(model), figureLine(model)];
  for (const [y, pieces] of lines.entries()) {
    if (y < surface.height) paintPieces(surface, y, pieces, theme);
  }
}

function nameLine(model: AccountModel): Piece[] {
  const { parts, isChosen } = model;
  const { shown } = parts;
  const { account, isMasked } = shown;
  if (account === undefined) return [piece("", "no account", "title", 0)];
  const { address, subaccountId } = account;
  const owner = isMasked ? MASK : shortAddress(address);
  const name = subaccountId === undefined ? owner : `${owner}/${subaccountId}`;
  const { state, note } = model.statusOf(isChosen ? "positions" : "subaccounts");
  return [
    piece("account", name, "title", 0),
    ...ofState(
      model.statusOf("subaccounts").state,
      statusPieces(model.shows.data?.status, isChosen),
    ),
    ...(state === "refused" ? [piece("", visible(shown.seen(`refused: ${note}`)), "bad", 2)] : []),
    ...(isMasked ? [piece("", " MASKED ", "badge", 2)] : []),
    ...scalePieces(model),
    ...badges(parts),
  ];
}

/** How it is known what ticks and lots are worth, where there are any. */
function scalePieces({ scaleSources }: AccountModel): Piece[] {
  if (scaleSources === "") return [];
  return [piece("scale", visible(scaleSources), scaleSources.includes(":") ? "notice" : "dim", 3)];
}

/** What the service says of the subaccount's state; one that is not active stands out. */
function statusPieces(status: string | undefined, isChosen: boolean): Piece[] {
  if (!isChosen) return [piece("", "choose a subaccount", "notice", 1)];
  if (status === undefined) return [];
  const words = visible(formatStatus(status));
  return status === "active"
    ? [piece("", words, "good", 4)]
    : [piece("", ` ${words.toUpperCase()} `, "alarm", 1)];
}

function figureLine(model: AccountModel): Piece[] {
  return ofState(model.statusOf("summary").state, figures(model));
}

function figures({ parts, shows, panes }: AccountModel): Piece[] {
  const { summary } = shows.data ?? {};
  if (summary === undefined) return [];
  const { aliases } = parts.shown.store;
  const format = panes.summary.options.format();
  const known = FIGURES.map(([label, meaning], i) => {
    const column = aliases.columnOf(summary, meaning);
    return column === undefined
      ? piece(label, "not provided", "dim", LAST + i)
      : figure({ format, summary, aliases, column, label, priority: i });
  });
  const named = new Set(FIGURES.map(([, meaning]) => aliases.columnOf(summary, meaning)));
  const others = fieldsOf(summary).filter(({ path }) => !named.has(path));
  return [
    ...known,
    ...others.map(({ path: column }, i) => {
      const label = visible(humanised(column)).toLowerCase();
      return figure({ format, summary, aliases, column, label, priority: FIGURES.length + i });
    }),
  ];
}

interface FigureOptions {
  readonly format: RecordFormat;
  readonly summary: OpenRecord;
  readonly aliases: Aliases;
  readonly column: string;
  readonly label: string;
  readonly priority: number;
}

function figure({ format, summary, aliases, column, label, priority }: FigureOptions): Piece {
  const cell = formatField(format, summary, column);
  return piece(label, visible(cell.text), cellStyle(aliases, column, cell), priority);
}
