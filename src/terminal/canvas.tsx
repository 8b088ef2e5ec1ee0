// A box that Ink lays out and that draws itself. Ink's own output goes nowhere: only what a canvas draws is seen.
import { Box, type BoxProps, type DOMElement } from "ink";
import { createContext, useContext, useLayoutEffect, useRef } from "react";
import type { PointEvent } from "./input.ts";
import type { Rectangle, Surface } from "./surface.ts";

export interface Drawing {
  /** At most so often, unless the user has done something. */
  readonly everyMs?: number;
  draw(surface: Surface): void;
  /** The mouse is over it; positions count from its corner. */
  point?(event: PointEvent): void;
}

export interface Placed {
  readonly drawing: Drawing;
  readonly node: DOMElement;
  /** Later layers are drawn over earlier ones, and get the mouse. */
  readonly layer: number;
  rectangle: Rectangle;
  drawnAtMs: number;
}

/** Registers a canvas; returns what removes it. */
export type Place = (placed: Placed) => () => void;

export const PlaceContext = createContext<Place>(() => () => {});

export type CanvasProps = Omit<BoxProps, "ref" | "children"> & {
  readonly drawing: Drawing;
  readonly layer?: number;
};

const NOWHERE: Rectangle = { x: 0, y: 0, width: 0, height: 0 };

export function Canvas({ drawing, layer = 0, ...box }: CanvasProps) {
  const place = useContext(PlaceContext);
  const ref = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (ref.current === null) return undefined;
    return place({ drawing, node: ref.current, layer, rectangle: NOWHERE, drawnAtMs: 0 });
  }, [place, drawing, layer]);
  return <Box ref={ref} {...box} />;
}

/**
 * Where Yoga has put it; all of this is in the type that Ink exports. Never call it for a node that React has removed: Ink 6 has
 * freed its memory in WebAssembly then.
 */
export function measure(node: DOMElement): Rectangle {
  let [x, y] = [0, 0];
  for (let at: DOMElement | undefined = node; at !== undefined; at = at.parentNode) {
    x += at.yogaNode?.getComputedLeft() ?? 0;
    y += at.yogaNode?.getComputedTop() ?? 0;
  }
  const width = node.yogaNode?.getComputedWidth() ?? 0;
  const height = node.yogaNode?.getComputedHeight() ?? 0;
  return { x, y, width, height };
}
