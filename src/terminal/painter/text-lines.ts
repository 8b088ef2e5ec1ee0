// The text of an Ink text node as lines: its pieces joined, cut or wrapped to its width in the way that Ink does it.
import cliTruncate from "cli-truncate";
import type { DOMElement } from "ink";
import wrapAnsi from "wrap-ansi";
import { keepLooks } from "../cells/escapes.ts";
import { styledTextWidth } from "../cells/styled-text.ts";

type WrapMode = NonNullable<DOMElement["style"]["textWrap"]>;

interface LaidOutText {
  readonly text: string;
  readonly width: number;
  readonly mode: WrapMode;
  readonly lines: readonly string[];
}

const TRUNCATE_POSITIONS: Readonly<Partial<Record<WrapMode, "start" | "middle" | "end">>> = {
  truncate: "end",
  "truncate-end": "end",
  "truncate-middle": "middle",
  "truncate-start": "start",
};

/** What was laid out last for a node: most text stays the same from one paint to the next. */
const laidOut = new WeakMap<DOMElement, LaidOutText>();

/**
 * Lines of a text node in the given width, with the SGR sequences of the texts inside it but not of its own transform.
 * Escape sequences of any other kind are left out. Never throws.
 */
export function linesOf(node: DOMElement, width: number): readonly string[] {
  const text = squash(node);
  const mode = node.style.textWrap ?? "wrap";
  const last = laidOut.get(node);
  if (last?.text === text && last.width === width && last.mode === mode) return last.lines;
  const lines = text.length === 0 ? [] : layOut(text, width, mode);
  laidOut.set(node, { text, width, mode, lines });
  return lines;
}

function squash(node: DOMElement): string {
  let text = "";
  for (const [index, child] of node.childNodes.entries()) {
    text += child.nodeName === "#text" ? child.nodeValue : transformed(child, index);
  }
  return keepLooks(text);
}

function transformed(child: DOMElement, index: number): string {
  const text = squash(child);
  return text.length > 0 ? (child.internal_transform?.(text, index) ?? text) : text;
}

function layOut(text: string, width: number, mode: WrapMode): readonly string[] {
  const lines = text.split("\n");
  if (lines.every((line) => styledTextWidth(line) <= width)) return lines;
  if (mode === "wrap") return wrapAnsi(text, width, { trim: false, hard: true }).split("\n");
  const position = TRUNCATE_POSITIONS[mode];
  return position === undefined ? lines : cliTruncate(text, width, { position }).split("\n");
}
