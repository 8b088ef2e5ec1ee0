// Yoga's answers as rectangles of cells. Yoga rounds to whole cells itself.
import type { DOMElement } from "ink";
import type { Rectangle } from "../cells/surface.ts";

/** Yoga's node of an element that takes part in the layout. */
export type LayoutNode = NonNullable<DOMElement["yogaNode"]>;

/** Yoga's numbers for `display: none` and for the edges of a box. */
const DISPLAY_NONE = 1;
const EDGE_LEFT = 0;
const EDGE_TOP = 1;
const EDGE_RIGHT = 2;
const EDGE_BOTTOM = 3;

/** True for `display: none`. Never throws. */
export function isHidden(layout: LayoutNode): boolean {
  return layout.getDisplay() === DISPLAY_NONE;
}

/** The whole box, given the corner of its parent. Never throws. */
export function boxOf(layout: LayoutNode, parentLeft: number, parentTop: number): Rectangle {
  const left = parentLeft + layout.getComputedLeft();
  const top = parentTop + layout.getComputedTop();
  return {
    left,
    top,
    right: left + layout.getComputedWidth(),
    bottom: top + layout.getComputedHeight(),
  };
}

/** What is left of a box inside its border and its padding. Never throws. */
export function contentOf(layout: LayoutNode, box: Rectangle): Rectangle {
  const inset = (edge: number) => layout.getComputedBorder(edge) + layout.getComputedPadding(edge);
  return {
    left: box.left + inset(EDGE_LEFT),
    top: box.top + inset(EDGE_TOP),
    right: box.right - inset(EDGE_RIGHT),
    bottom: box.bottom - inset(EDGE_BOTTOM),
  };
}

/** What a box lets be seen of its children: each axis is cut on its own, inside the border. Never throws. */
export function clipOf(look: DOMElement["style"], layout: LayoutNode, box: Rectangle): Rectangle {
  const cutsX = look.overflowX === "hidden" || look.overflow === "hidden";
  const cutsY = look.overflowY === "hidden" || look.overflow === "hidden";
  const border = (edge: number) => layout.getComputedBorder(edge);
  return {
    left: cutsX ? box.left + border(EDGE_LEFT) : Number.NEGATIVE_INFINITY,
    right: cutsX ? box.right - border(EDGE_RIGHT) : Number.POSITIVE_INFINITY,
    top: cutsY ? box.top + border(EDGE_TOP) : Number.NEGATIVE_INFINITY,
    bottom: cutsY ? box.bottom - border(EDGE_BOTTOM) : Number.POSITIVE_INFINITY,
  };
}
