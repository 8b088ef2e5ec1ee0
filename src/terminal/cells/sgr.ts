// The look of a cell as SGR parameters: what is sent so that one look follows another.
import { type Color, type ColorDepth, reduceColors } from "./color.ts";

/** Attributes of a look, as bits that add up. */
export const BOLD = 1;
/** As `BOLD`: fainter. */
export const DIM = 2;
/** As `BOLD`: slanted. */
export const ITALIC = 4;
/** As `BOLD`: underlined. */
export const UNDERLINE = 8;
/** As `BOLD`: ink and paper exchanged. */
export const INVERSE = 16;
/** As `BOLD`: struck through. */
export const STRIKETHROUGH = 32;

/** A look: two colours and the sum of attribute bits. */
export interface Look {
  readonly foreground: Color;
  readonly background: Color;
  readonly attributes: number;
}

/** Everything off. Written out, since chalk's family of libraries does not know the short form. */
const RESET = "\x1b[0m";

interface AttributeCode {
  readonly bit: number;
  readonly on: string;
  readonly off: string;
}

/** Bold and dim share their "off", so taking one away may mean setting the other again. */
const ATTRIBUTES: readonly AttributeCode[] = [
  { bit: BOLD, on: "1", off: "22" },
  { bit: DIM, on: "2", off: "22" },
  { bit: ITALIC, on: "3", off: "23" },
  { bit: UNDERLINE, on: "4", off: "24" },
  { bit: INVERSE, on: "7", off: "27" },
  { bit: STRIKETHROUGH, on: "9", off: "29" },
];

/**
 * The shortest SGR sequence that turns `from` into `to` on a terminal of this depth; empty when they look the same.
 * Never throws.
 */
export function encodeTransition(from: Look, to: Look, depth: ColorDepth): string {
  const source = reduceLook(from, depth);
  const target = reduceLook(to, depth);
  const change = changeParameters(source, target);
  if (change.length === 0) return "";
  const reset = resetParameters(target).join(";");
  const delta = change.join(";");
  return `\x1b[${delta.length <= reset.length ? delta : reset}m`;
}

/** Sequences that set this look whatever was in force before: a reset alone, then what is on. Never throws. */
export function encodeLook(look: Look, depth: ColorDepth): string {
  const [, ...parameters] = resetParameters(reduceLook(look, depth));
  return parameters.length === 0 ? RESET : `${RESET}\x1b[${parameters.join(";")}m`;
}

function reduceLook(look: Look, depth: ColorDepth): Look {
  const [foreground, background] = reduceColors(look.foreground, look.background, depth);
  return { foreground, background, attributes: look.attributes };
}

function changeParameters(from: Look, to: Look): string[] {
  const removed = from.attributes & ~to.attributes;
  const off = new Set(ATTRIBUTES.filter(({ bit }) => removed & bit).map((code) => code.off));
  const on = ATTRIBUTES.filter(
    ({ bit, off: shared }) => to.attributes & bit && (!(from.attributes & bit) || off.has(shared)),
  ).map((code) => code.on);
  const parameters = [...off, ...on];
  if (from.foreground !== to.foreground) parameters.push(colorParameters(to.foreground, 30));
  if (from.background !== to.background) parameters.push(colorParameters(to.background, 40));
  return parameters;
}

// An empty first parameter is a zero: everything off.
function resetParameters(to: Look): string[] {
  const parameters = [""];
  for (const { bit, on } of ATTRIBUTES) if (to.attributes & bit) parameters.push(on);
  if (to.foreground >= 0) parameters.push(colorParameters(to.foreground, 30));
  if (to.background >= 0) parameters.push(colorParameters(to.background, 40));
  return parameters;
}

/** @param base 30 for the foreground, 40 for the background */
function colorParameters(color: Color, base: number): string {
  if (color < 0) return String(base + 9);
  if (color < 8) return String(base + color);
  if (color < 16) return String(base + 60 + color - 8);
  if (color < 256) return `${base + 8};5;${color}`;
  return `${base + 8};2;${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
