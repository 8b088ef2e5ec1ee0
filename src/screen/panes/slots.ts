// A line of slots: values that stand where they stand, however long they are at the moment. Each slot has several forms; where
// there is less room, slots get shorter ones, and the least important go.
import type { PaneState } from "../../state/pane-state.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { textWidth } from "../../terminal/cells/text-cells.ts";
import { type StyleName, type Theme, themeFor } from "../theme/theme.ts";

/** Text in one look; text of the service must have become `visible` before. */
export interface Span {
  readonly text: string;
  readonly look: StyleName;
  /** Of what state the data is that it is from; current where it is from none. */
  readonly state?: PaneState | undefined;
  /** True where it ends at the right of its room. */
  readonly isRight?: boolean;
}

/** Forms of one value, the shortest first; the same spans in the same order as long as the line is of the same thing. */
export type Forms = readonly (readonly Span[])[];

export interface SlotLine<Name extends string> {
  /** In the order from the left, and of those that end at the right. */
  readonly left: readonly Name[];
  readonly right: readonly Name[];
  /** Each gets so long a form, if there is room for it: the most important first. */
  readonly growth: readonly (readonly [name: Name, form: number])[];
}

/** The widest that each span has been, by its form's place in `growth` and its own in the form. */
export type SpanWidths = readonly (readonly number[])[];

const GAP = 2;
const MARGIN = 1;

/** Paints one line. @returns the widths that its spans have from now on */
export function paintSlots<Name extends string>(
  { surface, y, theme }: { readonly surface: Surface; readonly y: number; readonly theme: Theme },
  line: SlotLine<Name>,
  slots: Readonly<Record<Name, Forms>>,
  before: SpanWidths = [],
): SpanWidths {
  const forms = line.growth.map(([name, form]) => slots[name][form - 1] ?? []);
  const widths = forms.map((spans, place) =>
    spans.map(({ text }, i) => Math.max(before[place]?.[i] ?? 0, textWidth(text))),
  );
  const chosen = chooseForms(line, forms, widths, surface.width - 2 * MARGIN);
  const paint = (x: number, { spans, widths }: Chosen) => {
    let at = x;
    for (const [i, { text, look, state, isRight = false }] of spans.entries()) {
      const width = widths[i] ?? 0;
      const { [look]: style } = state === undefined ? theme : themeFor(theme, state);
      if (isRight) surface.textRight(at + width, y, text, style);
      else surface.text(at, y, text, style);
      at += width;
    }
  };
  let x = MARGIN;
  for (const slot of line.left.flatMap((name) => chosen.get(name) ?? [])) {
    paint(x, slot);
    x += slot.width + GAP;
  }
  let end = surface.width - MARGIN;
  for (const slot of line.right.flatMap((name) => chosen.get(name) ?? []).reverse()) {
    paint(end - slot.width, slot);
    end -= slot.width + GAP;
  }
  return widths;
}

interface Chosen {
  readonly spans: readonly Span[];
  readonly widths: readonly number[];
  readonly width: number;
}

function chooseForms<Name extends string>(
  { growth }: SlotLine<Name>,
  forms: Forms,
  widths: SpanWidths,
  available: number,
): ReadonlyMap<Name, Chosen> {
  const chosen = new Map<Name, Chosen>();
  let rest = available;
  for (const [place, [name]] of growth.entries()) {
    const own = widths[place] ?? [];
    const width = own.reduce((sum, each) => sum + each, 0);
    const known = chosen.get(name)?.width ?? (chosen.size === 0 ? 0 : -GAP);
    if (width === 0 || width - known > rest) continue;
    rest -= width - known;
    chosen.set(name, { spans: forms[place] ?? [], widths: own, width });
  }
  return chosen;
}
