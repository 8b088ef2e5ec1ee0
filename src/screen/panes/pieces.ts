// Lines of labelled values, as in headers of views. Pieces are never cut: those that do not fit are left out, the least
// important first.
import { fitPieces } from "../../select/columns.ts";
import { type CellKind, getSign, readSide, type Side } from "../../select/fields.ts";
import type { Aliases, Meaning } from "../../state/aliases.ts";
import type { PaneState } from "../../state/pane-state.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { textWidth } from "../../terminal/cells/text-cells.ts";
import { type StyleName, type Theme, themeFor } from "../theme/theme.ts";
import type { Parts } from "../views/view.ts";

export interface Piece {
  readonly label: string;
  readonly value: string;
  readonly style: StyleName;
  readonly width: number;
  /** State of the feed that it comes from; undefined counts as current. */
  readonly state?: PaneState;
  /** Lower is more important. */
  readonly priority: number;
}

const GAP = 2;

/** Modes that must not be overlooked. */
export function badges({ shown, options }: Pick<Parts, "shown" | "options">): Piece[] {
  const { frozenText } = shown;
  return [
    ...(options.isSimulated ? [piece("", " SIM ", "badge", 3)] : []),
    ...(options.replay === undefined ? [] : [piece("", " REPLAY ", "badge", 1)]),
    ...(frozenText === undefined ? [] : [piece("", ` ${frozenText} `, "alarm", 0)]),
  ];
}

/** Text of the service must have passed `visible` before. */
export function piece(label: string, value: string, style: StyleName, priority: number): Piece {
  const width = textWidth(value) + (label === "" ? 0 : textWidth(label) + 1);
  return { label, value, style, width, priority };
}

export function ofState(state: PaneState, pieces: readonly Piece[]): Piece[] {
  return pieces.map((each) => ({ ...each, state }));
}

/** Uses the whole surface by default. */
export function paintPieces(
  surface: Surface,
  y: number,
  pieces: readonly Piece[],
  theme: Theme,
  room = { x: 1, width: surface.width - 2, gap: GAP },
): void {
  for (const { label, value, style, x: left, state } of fitPieces(pieces, room.width, room.gap)) {
    const x = room.x + left;
    const labelCells = label === "" ? 0 : surface.text(x, y, label, theme.dim) + 1;
    const { [style]: styleId } = state === undefined ? theme : themeFor(theme, state);
    surface.text(x + labelCells, y, value, styleId);
  }
}

const SIGN_STYLES: Readonly<Record<ReturnType<typeof getSign>, StyleName>> = {
  positive: "up",
  negative: "down",
  none: "text",
};

/** Style for the sign of decimal text; zero has no direction. */
export function signStyle(text: string): StyleName {
  return SIGN_STYLES[getSign(text)];
}

/** Percentages: a margin is red from `DANGER_PERCENT` on, a distance to liquidation below `NEAR_PERCENT`. */
const DANGER_PERCENT = 80;
const NEAR_PERCENT = 10;

export function marginStyle(percent: string): StyleName {
  return Number(percent) >= DANGER_PERCENT ? "bad" : "text";
}

export function distanceStyle(percent: string): StyleName {
  return Number(percent) < NEAR_PERCENT ? "bad" : "text";
}

const SIDES = { buy: "bid", sell: "ask" } as const satisfies Record<Side, StyleName>;
const SIGNED: readonly Meaning[] = [
  "unrealizedPnl",
  "realizedPnl",
  "returnOnMargin",
  "amount",
  "fundingRate",
];

export type ColumnKind = "side" | "signed" | "plain";

export function columnKind(aliases: Aliases, column: string): ColumnKind {
  if (aliases.isNamed(column, "side")) return "side";
  // The value of a position is not a gain.
  if (aliases.isNamed(column, "positionValue")) return "plain";
  return SIGNED.some((meaning) => aliases.isNamed(column, meaning)) ? "signed" : "plain";
}

export function cellStyle(
  column: ColumnKind,
  { text, kind }: { readonly text: string; readonly kind: CellKind },
): StyleName {
  const side = column === "side" ? readSide(text) : undefined;
  if (side !== undefined) return SIDES[side];
  if (column === "signed" && kind === "number") return signStyle(text);
  return kind === "time" || kind === "missing" ? "dim" : "text";
}
