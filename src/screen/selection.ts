// Cells selected with the mouse: a rectangle within one pane.
import type { Surface } from "../terminal/cells/surface.ts";
import type { CopiedRows } from "./clipboard.ts";
import type { FramedPane, Inner } from "./panes/frame.tsx";

/** A rectangle in cells from the pane's upper left corner; right and bottom are inclusive. */
interface Block {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export class Selection {
  readonly #onChange: () => void;
  readonly #areas = new Map<FramedPane, Inner>();
  #start: { readonly pane: FramedPane; readonly x: number; readonly y: number } | undefined;
  #selected: { readonly pane: FramedPane; readonly block: Block } | undefined;
  /** Text last drawn in the selected cells, by row. */
  #lines: readonly string[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isAvailable(): boolean {
    return this.#selected !== undefined;
  }

  begin(x: number, y: number): void {
    this.drop();
    for (const [pane, area] of this.#areas) {
      const isInside =
        x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
      if (isInside) this.#start = { pane, x: x - area.x, y: y - area.y };
    }
  }

  /** The pointer has moved with the button down; outside the pane, the nearest cell counts. */
  extend(x: number, y: number): void {
    const area = this.#start && this.#areas.get(this.#start.pane);
    if (this.#start === undefined || area === undefined) return;
    const start = this.#start;
    const column = Math.max(0, Math.min(area.width - 1, x - area.x));
    const row = Math.max(0, Math.min(area.height - 1, y - area.y));
    const block = {
      left: Math.min(start.x, column),
      top: Math.min(start.y, row),
      right: Math.max(start.x, column),
      bottom: Math.max(start.y, row),
    };
    this.#selected = { pane: start.pane, block };
    this.#onChange();
  }

  end(): void {
    this.#start = undefined;
  }

  drop(): void {
    this.#start = undefined;
    if (this.#selected === undefined) return;
    this.#selected = undefined;
    this.#onChange();
  }

  /** Called after a pane was painted: records its position and highlights the selection. */
  paint(pane: FramedPane, surface: Surface, inner: Inner, style: number): void {
    const { x, y } = surface.corner;
    this.#areas.set(pane, { ...inner, x: x + inner.x, y: y + inner.y });
    if (this.#selected?.pane !== pane) return;
    const { left, top, right, bottom } = this.#selected.block;
    const lines: string[] = [];
    // The pane may have shrunk.
    for (let row = top; row <= Math.min(bottom, inner.height - 1); row++) {
      const width = Math.min(right, inner.width - 1) - left + 1;
      const text = surface.textAt(inner.x + left, inner.y + row, width);
      surface.text(inner.x + left, inner.y + row, text, style);
      lines.push(text.trimEnd());
    }
    this.#lines = lines;
  }

  remove(pane: FramedPane): void {
    this.#areas.delete(pane);
    if (this.#selected?.pane === pane || this.#start?.pane === pane) this.drop();
  }

  /** Exact rows of a table; for other panes the text shown. */
  get rows(): CopiedRows {
    const { pane, block } = this.#selected ?? {};
    const exact = block && pane?.exactRows?.(block.top, block.bottom);
    return { rows: exact ?? this.#lines.map((line) => [line]), hasTitles: false };
  }
}
