// The frame around a pane: title on the left, state and age of its data on the right. Small panes have only the title line.
import { Box } from "ink";
import { useMemo } from "react";
import type { PaneStatus } from "../../select/status.ts";
import type { PaneState } from "../../state/pane-state.ts";
import { LINK } from "../../state/store.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { cutText, textWidth } from "../../terminal/cells/text-cells.ts";
import { Canvas } from "../../terminal/screen/Canvas.tsx";
import type { Paint } from "../../terminal/screen/painter.ts";
import { visible } from "../../terminal/visible.ts";
import { useSelected } from "../changes.ts";
import { type StyleName, type Theme, themeFor } from "../theme/theme.ts";
import type { Parts, ViewProps } from "../views/view.ts";

/** Area inside the frame, in cells of the surface. */
export interface Inner {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A text, or several forms of it, longest first: the shortest is used until all parts fit. */
export type TitlePart = string | readonly string[];

export interface FrameOptions {
  /** Most important first; what does not fit beside the state is left out. */
  readonly title: readonly TitlePart[];
  readonly status: PaneStatus;
  /** Replaces the state while the screen is frozen or shows the past. */
  readonly frozenText: string | undefined;
  readonly isFocused: boolean;
  readonly theme: Theme;
}

/** Colour is never the only sign of a state. */
export const STATE_STYLES: Readonly<Record<PaneState, readonly [glyph: string, style: StyleName]>> =
  {
    waiting: ["…", "dim"],
    live: ["●", "good"],
    quiet: ["○", "text"],
    stale: ["◌", "stale"],
    resync: ["↻", "stale"],
    offline: ["×", "offline"],
    refused: ["⊘", "offline"],
    off: ["·", "dim"],
    listed: ["≡", "text"],
  };

const MIN_FRAMED = { width: 24, height: 6 };
const TITLE_GAP = "  ";
/** Width of the pane's name that a note must leave free. */
const MAX_NAME = 16;
const MIN_NOTE = 6;
const HORIZONTAL = 0x2500;
const VERTICAL = 0x2502;
const CORNERS = { topLeft: 0x256d, topRight: 0x256e, bottomLeft: 0x2570, bottomRight: 0x256f };

function getInner({ width, height }: { width: number; height: number }): Inner {
  return isFramed(width, height)
    ? { x: 2, y: 1, width: Math.max(0, width - 4), height: Math.max(0, height - 2) }
    : { x: 1, y: 1, width: Math.max(0, width - 2), height: Math.max(0, height - 1) };
}

export function drawFrame(surface: Surface, options: FrameOptions): void {
  const { width, height } = surface;
  const { theme, isFocused } = options;
  if (isFramed(width, height)) drawBorder(surface, isFocused ? theme.focusFrame : theme.frame);
  const margin = isFramed(width, height) ? 2 : 0;
  const room = width - margin * 2;
  const chip = formatChip(options, room - 2);
  const chipWidth = chip.text === "" ? 0 : textWidth(chip.text) + 2;
  if (chipWidth > 0) surface.textRight(width - margin, 0, ` ${chip.text} `, theme[chip.style]);
  const title = formatTitle(options.title, room - chipWidth);
  if (title !== "") surface.text(margin, 0, title, isFocused ? theme.focusTitle : theme.title);
}

function formatTitle(parts: readonly TitlePart[], room: number): string {
  let rest = room - 2;
  const [first, ...others] = parts;
  // The pane's name takes precedence: its longest form that fits, else its first word.
  const names = getForms(first);
  const name =
    names.find((form) => textWidth(form) <= rest) ?? formatName(names.at(-1) ?? "", rest);
  if (textWidth(name) > rest) return "";
  const shown = new Map<TitlePart, string>();
  const grow = (part: TitlePart, form: string | undefined) => {
    const known = shown.get(part);
    const gap = shown.size === 0 ? 0 : TITLE_GAP.length;
    const more = textWidth(form ?? "") + (known === undefined ? gap : -textWidth(known));
    if (form === undefined || form === "" || more > rest) return;
    shown.set(part, form);
    rest -= more;
  };
  for (const part of [name, ...others]) grow(part, getForms(part).at(-1));
  for (const part of shown.keys())
    for (const form of [...getForms(part)].reverse()) grow(part, form);
  return shown.size === 0 ? "" : ` ${[...shown.values()].join(TITLE_GAP)} `;
}

function getForms(part: TitlePart = ""): readonly string[] {
  return typeof part === "string" ? [part] : part;
}

/** The first part of a title, or its first word if that is too long. */
function formatName(first: string, most = MAX_NAME): string {
  return textWidth(first) <= most ? first : (first.split(" ")[0] ?? "");
}

function isFramed(width: number, height: number): boolean {
  return width >= MIN_FRAMED.width && height >= MIN_FRAMED.height;
}

function drawBorder(surface: Surface, style: number): void {
  const right = surface.width - 1;
  const bottom = surface.height - 1;
  surface.fill(1, 0, right - 1, 1, style, HORIZONTAL);
  surface.fill(1, bottom, right - 1, 1, style, HORIZONTAL);
  surface.fill(0, 1, 1, bottom - 1, style, VERTICAL);
  surface.fill(right, 1, 1, bottom - 1, style, VERTICAL);
  surface.put(0, 0, CORNERS.topLeft, style);
  surface.put(right, 0, CORNERS.topRight, style);
  surface.put(0, bottom, CORNERS.bottomLeft, style);
  surface.put(right, bottom, CORNERS.bottomRight, style);
}

/**
 * State, age and note. With less room the note is cut or dropped, then the age, then the name of the state, which leaves
 * its glyph.
 */
function formatChip(
  { status, frozenText, title }: FrameOptions,
  room: number,
): { text: string; style: StyleName } {
  if (frozenText !== undefined) {
    return { text: textWidth(frozenText) <= room ? frozenText : "", style: "badge" };
  }
  const [glyph, style] = STATE_STYLES[status.state];
  const state = [glyph, status.state];
  const aged = [...state, status.age].filter(Boolean).join(" ");
  const note = visible(status.note);
  const whole = note === "" ? aged : `${aged} ${note}`;
  const name = textWidth(formatName(getForms(title[0])[0] ?? "")) + TITLE_GAP.length;
  // The name of a listing takes precedence over its age.
  const most = status.state === "listed" ? room - name : room;
  const cells = room - name - textWidth(aged) - " …".length;
  const cut = note === "" || cells < MIN_NOTE ? aged : `${aged} ${cutText(note, cells)}…`;
  const forms = [whole, cut, aged, state.join(" "), glyph];
  return { text: forms.find((form) => textWidth(form) <= most) ?? "", style };
}

/** A pane. Keep it the same object: a new object is a new pane. */
export interface FramedPane<Painted = unknown> {
  channels(): readonly string[];
  /** Parts of the title, most important first. */
  title(): readonly TitlePart[];
  status(): PaneStatus;
  isFocused(): boolean;
  /** False if freezing the screen does not affect it: the frame keeps showing the state. */
  readonly isFreezable?: boolean;
  /** True if its styles do not depend on its state, since it shows the session itself, or rows with states of their own. */
  readonly isAlwaysCurrent?: boolean;
  /**
   * Draws the inside of the frame.
   * @param theme for data that is current, or is not
   * @param before what it returned last
   * @param repaintAfter requests another frame after this many milliseconds
   * @returns what keys, clicks and the next frame need to know
   */
  paint(
    surface: Surface,
    inner: Inner,
    theme: Theme,
    before: Painted | undefined,
    repaintAfter: (afterMs: number) => void,
  ): Painted;
  /** What `paint` returned last. */
  painted?: Painted | undefined;
}

interface FramedCanvasProps {
  readonly pane: FramedPane;
  readonly parts: Parts;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
}

/** Repainted when its channels or a setting change, and every second. */
export function FramedCanvas({ pane, parts, theme, width, height }: FramedCanvasProps) {
  const { changes } = parts;
  const paint = useMemo(() => createPaint(pane, parts, theme), [pane, parts, theme]);
  const source = useMemo(() => changes.source(() => pane.channels(), pane), [changes, pane]);
  return <Canvas width={width} height={height} flexShrink={0} paint={paint} source={source} />;
}

function createPaint(pane: FramedPane, { shown, changes }: Parts, theme: Theme): Paint {
  return (surface, repaintAfter) => {
    shown.store.settle();
    const status = pane.status();
    const styles = pane.isAlwaysCurrent === true ? theme : themeFor(theme, status.state);
    pane.painted = pane.paint(surface, getInner(surface), styles, pane.painted, repaintAfter);
    drawFrame(surface, {
      title: pane.title(),
      status: { ...status, note: shown.masked(status.note) },
      frozenText: pane.isFreezable === false ? undefined : shown.frozenText,
      isFocused: pane.isFocused(),
      theme,
    });
    changes.noteState(pane, status.state);
  };
}

interface PaneGroupProps<Pane extends string | number> {
  readonly direction: "row" | "column";
  readonly placed: readonly {
    readonly pane: Pane;
    readonly width: number;
    readonly height: number;
  }[];
  readonly panes: Readonly<Record<Pane, FramedPane>>;
  readonly parts: Parts;
  readonly theme: Theme;
}

export function PaneGroup<Pane extends string | number>({
  direction,
  placed,
  panes,
  ...rest
}: PaneGroupProps<Pane>) {
  return (
    <Box flexDirection={direction} flexShrink={0}>
      {placed.map(({ pane, ...size }) => (
        <FramedCanvas key={pane} pane={panes[pane]} {...rest} {...size} />
      ))}
    </Box>
  );
}

export function PaneView({ model, ...rest }: ViewProps) {
  const pane = useSelected(rest.parts.changes, () => model.pane);
  return pane && <FramedCanvas pane={pane} {...rest} />;
}

interface LineProps {
  readonly parts: Parts;
  readonly width: number;
  readonly rows: number;
  /** By default it is repainted every second, and when settings or the link change. Keep it the same function. */
  readonly channels?: () => readonly string[];
  /** It summarises the states of other panes. */
  readonly isSum?: boolean;
  /** Keep it the same function. */
  readonly paint: (surface: Surface) => void;
}

/** One or two lines across the whole screen: header, tabs and status. */
export function Line({ parts, width, rows, channels = onlyLink, isSum = false, paint }: LineProps) {
  const { shown, changes } = parts;
  const paintLine = useMemo(
    () => (surface: Surface) => {
      shown.store.settle();
      paint(surface);
    },
    [shown, paint],
  );
  const source = useMemo(
    () => (isSum ? changes.stateSource(channels) : changes.source(channels, paint)),
    [changes, channels, isSum, paint],
  );
  if (rows === 0) return null;
  return <Canvas width={width} height={rows} flexShrink={0} paint={paintLine} source={source} />;
}

const onlyLink = (): readonly string[] => [LINK];

/** The focused pane, or the first if the focus is not among them. */
export function focusAmong<Pane>(panes: readonly Pane[], focus: Pane): Pane {
  return panes.includes(focus) ? focus : (panes[0] ?? focus);
}

/** The pane this many steps after the focused one, wrapping around; undefined if there are none. */
export function focusAfter<Pane>(
  panes: readonly Pane[],
  focus: Pane,
  steps: number,
): Pane | undefined {
  const at = Math.max(0, panes.indexOf(focus));
  return panes[(at + steps + panes.length) % panes.length];
}
