// A line of labelled values: header lines of views. What does not fit whole is left out, the least important first.
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
  readonly look: StyleName;
  readonly width: number;
  /** Of what state the data is that it is from; current where it is from none. */
  readonly state?: PaneState;
  /** The lowest counts most. */
  readonly priority: number;
}

const GAP = 2;

/** Modes of the dashboard that nobody must overlook. */
export function badges({ shown, options }: Pick<Parts, "shown" | "options">): Piece[] {
  const { frozenText } = shown;
  return [
    ...(options.isSimulated ? [piece("", " SIM ", "badge", 3)] : []),
    ...(options.replay === undefined ? [] : [piece("", " REPLAY ", "badge", 1)]),
    ...(frozenText === undefined ? [] : [piece("", ` ${frozenText} `, "alarm", 0)]),
  ];
}

/** Text of the service must have become `visible` before. */
export function piece(label: string, value: string, look: StyleName, priority: number): Piece {
  const width = textWidth(value) + (label === "" ? 0 : textWidth(label) + 1);
  return { label, value, look, width, priority };
}

/** Values from a feed of this state: they look like it. */
export function ofState(state: PaneState, pieces: readonly Piece[]): Piece[] {
  return pieces.map((each) => ({ ...each, state }));
}

/** Paints those that fit into a line, by default one across the whole surface. */
export function paintPieces(
  surface: Surface,
  y: number,
  pieces: readonly Piece[],
  theme: Theme,
  room = { x: 1, width: surface.width - 2, gap: GAP },
): void {
  let { x } = room;
  for (const { label, value, look, width, state } of fitPieces(pieces, room.width, room.gap)) {
    const labelEnd = label === "" ? x : x + surface.text(x, y, label, theme.dim) + 1;
    const { [look]: style } = state === undefined ? theme : themeFor(theme, state);
    surface.text(labelEnd, y, value, style);
    x += width + room.gap;
  }
}

const LOOKS: Readonly<Record<ReturnType<typeof getSign>, StyleName>> = {
  positive: "up",
  negative: "down",
  none: "text",
};

/** By the sign of decimal text; zero has no direction. */
export function signStyle(text: string): StyleName {
  return LOOKS[getSign(text)];
}

const SIDES = { buy: "bid", sell: "ask" } as const satisfies Record<Side, StyleName>;
const SIGNED: readonly Meaning[] = [
  "unrealizedPnl",
  "realizedPnl",
  "returnOnMargin",
  "amount",
  "fundingRate",
];

const KINDS: Readonly<Record<CellKind, StyleName>> = {
  number: "text",
  time: "dim",
  address: "text",
  text: "text",
  missing: "dim",
};

/** What the cells of a column may look like, asked for once for all of them. */
export type ColumnLook = "side" | "signed" | "plain";

export function columnLook(aliases: Aliases, column: string): ColumnLook {
  if (aliases.isNamed(column, "side")) return "side";
  // What a position is worth is no gain.
  if (aliases.isNamed(column, "positionValue")) return "plain";
  return SIGNED.some((meaning) => aliases.isNamed(column, meaning)) ? "signed" : "plain";
}

export function cellStyle(
  look: ColumnLook,
  { text, kind }: { readonly text: string; readonly kind: CellKind },
): StyleName {
  const side = look === "side" ? readSide(text) : undefined;
  if (side !== undefined) return SIDES[side];
  return look === "signed" && kind === "number" ? signStyle(text) : KINDS[kind];
}
