// From Ink's tree to the bytes of a frame: what the two ways of doing it have in common.
import type { DOMElement } from "ink";
import type { Paint } from "../painter/canvas-pane.ts";
import type { TerminalSize } from "./terminal-size.ts";

/** "grid": our painter over Ink's tree. "ink": Ink's own output stage, which tests hold ours to; no terminal gets it. */
export type RendererName = "grid" | "ink";

/** A mounted Canvas, seen from its component. */
export interface CanvasHandle {
  /** What it shows is no longer what its source has. */
  markDirty(): void;
  remove(): void;
}

/** Takes the lines of a canvas that is shown as text. */
export type ShowLines = (lines: readonly string[]) => void;

/** One way from Ink's tree to bytes. */
export interface Renderer {
  /** Ink's root; called once, before anything else. */
  attach(root: DOMElement): void;
  /** Adds the Canvas whose box is `node`. `showLines` serves the way that has no cells. */
  addCanvas(node: DOMElement, paint: Paint, showLines: ShowLines): CanvasHandle;
  /** React has changed the tree. */
  markTreeDirty(): void;
  resize(size: TerminalSize): void;
  /** The terminal may show anything: the next frame draws all. */
  redraw(): void;
  /**
   * The bytes that bring the terminal up to date; empty when it is. They are good until the next call, and are taken
   * as sent. @throws what a paint function or a transform throws
   */
  encodeFrame(): Uint8Array;
}
