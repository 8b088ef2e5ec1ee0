// The palette at the foot of the screen: suggestions above, what is typed below.
//
//   ▸ market BTC-PERP    show this market
//     market ETH-PERP    show this market
//   : market b▏
import type { Surface } from "../../terminal/cells/surface.ts";
import { cutText, textWidth } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { Palette } from "../palette/palette.ts";
import { MAX_SUGGESTIONS } from "../palette/palette.ts";
import type { Theme } from "../theme.ts";
import { CARET, endOfText } from "../typed-text.ts";

const GAP = 3;
/** Rows that stay for the view at the least. */
const MIN_VIEW_ROWS = 4;

/** Rows that the palette takes of so many: none while it is closed. Never throws. */
export function paletteRows({ isOpen }: Palette, rows: number): number {
  if (!isOpen) return 0;
  return Math.max(1, Math.min(MAX_SUGGESTIONS + 1, rows - MIN_VIEW_ROWS));
}

/** Paints as many lines as the surface has. Never throws. */
export function paintPalette(surface: Surface, palette: Palette, theme: Theme): void {
  const { suggestions, selected, text, message } = palette;
  const room = surface.height - 1;
  const first = Math.max(0, Math.min(selected - room + 1, suggestions.length - room));
  const shown = suggestions.slice(first, first + room);
  const seen = (each: string) => visible(palette.seen(each));
  const width = Math.max(0, ...shown.map((each) => textWidth(seen(each.text))));
  const top = room - shown.length;
  for (const [i, suggestion] of shown.entries()) {
    const isSelected = first + i === selected;
    const style = isSelected ? theme.selection : theme.text;
    if (isSelected) surface.fill(0, top + i, surface.width, 1, style);
    surface.text(0, top + i, isSelected ? "▸ " : "  ", style);
    surface.text(2, top + i, cutText(seen(suggestion.text), surface.width - 2), style);
    const x = 2 + width + GAP;
    const words = cutText(seen(suggestion.words), Math.max(0, surface.width - x));
    surface.text(x, top + i, words, isSelected ? style : theme.dim);
  }
  surface.text(0, room, ":", theme.key);
  const typed = surface.text(2, room, endOfText(seen(text), surface.width - 4), theme.strong);
  surface.text(2 + typed, room, CARET, theme.key);
  const rest = cutText(seen(message), Math.max(0, surface.width - typed - 4));
  surface.text(4 + typed, room, rest, theme.bad);
}
