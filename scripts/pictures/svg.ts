// Cells as a picture (SVG): text stays text, without an embedded font; frames, bars and candles are drawn as shapes, so that they
// join without gaps in every renderer and font.
import { textWidth } from "../../src/terminal/width.ts";

/** A cell as displayed. Colours in CSS notation. */
interface PictureCell {
  /** One character; empty for the second cell of a wide one. */
  readonly text: string;
  readonly color: string;
  readonly background: string;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly underline?: boolean | undefined;
}

/** Size of a cell in pixels: typical for monospaced fonts of this size; each run of text is fitted to it. */
const WIDTH = 8;
const HEIGHT = 16;
const BASELINE = 12;
const MARGIN = 8;
const DIM_OPACITY = 0.6;
const FONT = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace";

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly opacity?: number;
}

/** Lines run through the middle of a cell. */
const MIDDLE_X = WIDTH / 2 - 0.5;
const MIDDLE_Y = HEIGHT / 2 - 0.5;
const LIGHT_LINE = 1;
const HEAVY = 3;

type Weight = 0 | typeof LIGHT_LINE | typeof HEAVY;

/** Box drawing: a character and the weights of its four arms (up, right, down, left). Dashed lines are drawn solid. */
const ARMS = [
  "─0101 ━0303 │1010 ┃3030 ╌0101 ┄0101 ┈0101 ╎1010 ┆1010 ┊1010",
  "┌0110 ┐0011 └1100 ┘1001 ├1110 ┤1011 ┬0111 ┴1101 ┼1111 ╴0001",
  "╵1000 ╶0100 ╷0010 ╸0003 ╹3000 ╺0300 ╻0030 ╽1030 ╿3010",
].flatMap((line) => line.split(" "));
const BROKEN = new Set("╌┄┈╎┆┊");
/** Round corners: from the middle of one edge to the middle of another. */
const CORNERS: Readonly<Record<string, readonly [across: 0 | 1, down: 0 | 1]>> = {
  "╭": [1, 1],
  "╮": [0, 1],
  "╰": [1, 0],
  "╯": [0, 0],
};
const SHADES: Readonly<Record<string, number>> = { "░": 0.25, "▒": 0.5, "▓": 0.75 };

const SHAPES = makeShapes();

function makeShapes(): ReadonlyMap<string, readonly Part[]> {
  const whole = { x: 0, y: 0, width: WIDTH, height: HEIGHT };
  const shapes = new Map<string, readonly Part[]>();
  for (const [character = "", ...arms] of ARMS) {
    const parts = splitParts(arms.map(Number) as Weight[]);
    // Dashed lines are drawn fainter than solid ones.
    const opacity = BROKEN.has(character) ? 0.5 : 1;
    shapes.set(
      character,
      parts.map((part) => ({ ...part, opacity })),
    );
  }
  for (const [i, character] of [..."▏▎▍▌▋▊▉█"].entries())
    shapes.set(character, [{ ...whole, width: ((i + 1) * WIDTH) / 8 }]);
  for (const [i, character] of [..."▁▂▃▄▅▆▇"].entries()) {
    const height = ((i + 1) * HEIGHT) / 8;
    shapes.set(character, [{ ...whole, y: HEIGHT - height, height }]);
  }
  shapes.set("▀", [{ ...whole, height: HEIGHT / 2 }]);
  shapes.set("▐", [{ ...whole, x: WIDTH / 2, width: WIDTH / 2 }]);
  shapes.set("▕", [{ ...whole, x: (WIDTH * 7) / 8, width: WIDTH / 8 }]);
  const quarter = { x: 0, y: 0, width: WIDTH / 2, height: HEIGHT / 2 };
  shapes.set("▘", [quarter]);
  shapes.set("▝", [{ ...quarter, x: WIDTH / 2 }]);
  shapes.set("▖", [{ ...quarter, y: HEIGHT / 2 }]);
  shapes.set("▗", [{ ...quarter, x: WIDTH / 2, y: HEIGHT / 2 }]);
  shapes.set("║", [
    { ...whole, x: MIDDLE_X - 1, width: 1 },
    { ...whole, x: MIDDLE_X + 1, width: 1 },
  ]);
  for (const [character, opacity] of Object.entries(SHADES))
    shapes.set(character, [{ ...whole, opacity }]);
  return shapes;
}

function splitParts([up = 0, right = 0, down = 0, left = 0]: readonly Weight[]): readonly Part[] {
  const level = (weight: Weight, from: number, to: number): Part[] =>
    weight === 0
      ? []
      : [{ x: from, y: MIDDLE_Y - (weight - 1) / 2, width: to - from, height: weight }];
  const plumb = (weight: Weight, from: number, to: number): Part[] =>
    weight === 0
      ? []
      : [{ x: MIDDLE_X - (weight - 1) / 2, y: from, width: weight, height: to - from }];
  const [endX, endY] = [MIDDLE_X + 1, MIDDLE_Y + 1];
  const across =
    left === right
      ? level(left, 0, WIDTH)
      : [...level(left, 0, endX), ...level(right, MIDDLE_X, WIDTH)];
  const upright =
    up === down ? plumb(up, 0, HEIGHT) : [...plumb(up, 0, endY), ...plumb(down, MIDDLE_Y, HEIGHT)];
  return [...across, ...upright];
}

interface Rectangle extends Part {
  readonly color: string;
  readonly opacity: number;
}

interface Run {
  readonly x: number;
  readonly cell: PictureCell;
  text: string;
  width: number;
}

/** Groups adjacent cells that look the same, with the column of the first. */
function splitRuns(
  cells: readonly PictureCell[],
  isSame: (a: PictureCell, b: PictureCell) => boolean,
): readonly Run[] {
  const runs: Run[] = [];
  for (const [x, cell] of cells.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isSame(last.cell, cell)) {
      last.text += cell.text;
      last.width++;
    } else runs.push({ x, cell, text: cell.text, width: 1 });
  }
  return runs;
}

function isAlike(a: PictureCell, b: PictureCell): boolean {
  return (["color", "background", "bold", "dim", "italic", "underline"] as const).every(
    (key) => (a[key] ?? false) === (b[key] ?? false),
  );
}

function backgrounds(cells: readonly PictureCell[], y: number, base: string): Rectangle[] {
  return splitRuns(cells, (a, b) => a.background === b.background)
    .filter(({ cell }) => cell.background !== base)
    .map(({ x, width, cell }) => ({
      x: x * WIDTH,
      y: y * HEIGHT,
      width: width * WIDTH,
      height: HEIGHT,
      color: cell.background,
      opacity: 1,
    }));
}

function shapesIn(cells: readonly PictureCell[], y: number): Rectangle[] {
  return cells.flatMap(({ text, color, dim }, x) =>
    (SHAPES.get(text) ?? []).map((part) => ({
      ...part,
      x: x * WIDTH + part.x,
      y: y * HEIGHT + part.y,
      color,
      opacity: (part.opacity ?? 1) * (dim ? DIM_OPACITY : 1),
    })),
  );
}

/** Merges rectangles that touch horizontally, then those that touch vertically. */
function joined(rectangles: readonly Rectangle[]): readonly Rectangle[] {
  const sideBySide = merged(rectangles, (a, b) =>
    a.y === b.y && a.height === b.height && a.x + a.width === b.x
      ? { ...a, width: a.width + b.width }
      : undefined,
  );
  const byColumn = [...sideBySide].sort((a, b) => a.x - b.x || a.y - b.y);
  return merged(byColumn, (a, b) =>
    a.x === b.x && a.width === b.width && a.y + a.height === b.y
      ? { ...a, height: a.height + b.height }
      : undefined,
  );
}

function merged(
  rectangles: readonly Rectangle[],
  join: (a: Rectangle, b: Rectangle) => Rectangle | undefined,
): readonly Rectangle[] {
  const all: Rectangle[] = [];
  for (const next of rectangles) {
    const last = all.at(-1);
    const isSame = last?.color === next.color && last.opacity === next.opacity;
    const both = last !== undefined && isSame ? join(last, next) : undefined;
    if (both === undefined) all.push(next);
    else all[all.length - 1] = both;
  }
  return all;
}

function drawn({ x, y, width, height, color, opacity }: Rectangle): string {
  const faint = opacity === 1 ? "" : ` opacity="${opacity}"`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${color}"${faint}/>`;
}

function corner({ text, color, dim }: PictureCell, column: number, row: number): string {
  const [across, down] = CORNERS[text] ?? [0, 0];
  const [x, y] = [column * WIDTH + MIDDLE_X + 0.5, row * HEIGHT + MIDDLE_Y + 0.5];
  const [endX, endY] = [(column + across) * WIDTH, (row + down) * HEIGHT];
  const faint = dim ? ` opacity="${DIM_OPACITY}"` : "";
  return `<path d="M${x} ${endY}Q${x} ${y} ${endX} ${y}" fill="none" stroke="${color}" shape-rendering="auto"${faint}/>`;
}

function isDrawn(text: string): boolean {
  return SHAPES.has(text) || Object.hasOwn(CORNERS, text);
}

/** Words each for itself: renderers treat several blanks as one. */
function textRun({ x, cell, text }: Run, y: number): readonly string[] {
  return Array.from(text.matchAll(/\S+(?: \S+)*/g), ({ 0: words, index }) => {
    const attributes = [
      `x="${(x + textWidth(text.slice(0, index))) * WIDTH}"`,
      `y="${y * HEIGHT + BASELINE}"`,
      `textLength="${textWidth(words) * WIDTH}"`,
      `fill="${cell.color}"`,
      cell.bold ? 'font-weight="bold"' : "",
      cell.dim ? `opacity="${DIM_OPACITY}"` : "",
      cell.italic ? 'font-style="italic"' : "",
      cell.underline ? 'text-decoration="underline"' : "",
    ].filter(Boolean);
    return `<text ${attributes.join(" ")}>${escapeText(words)}</text>`;
  });
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Rows from top to bottom, of equal length. */
type Cells = readonly (readonly PictureCell[])[];

function drawCells(rows: Cells, background: string): readonly string[] {
  return [
    ...joined(rows.flatMap((cells, row) => backgrounds(cells, row, background))).map(drawn),
    ...joined(rows.flatMap((cells, row) => shapesIn(cells, row))).map(drawn),
    ...rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) =>
        Object.hasOwn(CORNERS, cell.text) ? [corner(cell, column, row)] : [],
      ),
    ),
    ...rows.flatMap((cells, row) =>
      splitRuns(
        cells.map((cell) => (isDrawn(cell.text) ? { ...cell, text: " " } : cell)),
        isAlike,
      ).flatMap((run) => textRun(run, row)),
    ),
  ];
}

interface Look {
  /** Behind cells without a background of their own. */
  readonly background: string;
  /** Text alternative. */
  readonly title: string;
}

/** A picture of the screen. */
export function cellsToSvg(rows: Cells, { background, title }: Look): string {
  return framed(rows, { background, title }, drawCells(rows, background));
}

/** What was on the screen one after the other, each with what was typed for it; where nothing may move, the first stays. */
export function scenesToSvg(
  scenes: readonly { readonly cells: Cells; readonly caption: string }[],
  { background, title, seconds }: Look & { readonly seconds: number },
): string {
  const rows = scenes[0]?.cells ?? [];
  const y = (rows.length + 1) * HEIGHT + BASELINE;
  const all = scenes.length * seconds;
  const shown = 100 / scenes.length;
  return framed([...rows, [], []], { background, title }, [
    "<style>",
    "g{visibility:hidden}g:first-of-type{visibility:visible}",
    `@media(prefers-reduced-motion:no-preference){g{animation:scene ${all}s step-end infinite}}`,
    `@keyframes scene{0%{visibility:visible}${shown.toFixed(3)}%,100%{visibility:hidden}}`,
    ...scenes.map((_, i) => `g:nth-of-type(${i + 1}){animation-delay:${i * seconds - all}s}`),
    "</style>",
    ...scenes.flatMap(({ cells, caption }) => [
      "<g>",
      ...drawCells(cells, background),
      `<text x="${WIDTH}" y="${y}" fill="#7cc4ff" font-weight="bold">${escapeText(caption)}</text>`,
      "</g>",
    ]),
  ]);
}

function framed(rows: Cells, { background, title }: Look, inside: readonly string[]): string {
  const [width, height] = [(rows[0]?.length ?? 0) * WIDTH, rows.length * HEIGHT];
  const all = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
  const [x, y, fullWidth, fullHeight] = all;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${all.join(" ")}" role="img" font-family="${FONT}" font-size="13" shape-rendering="crispEdges">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="${x}" y="${y}" width="${fullWidth}" height="${fullHeight}" rx="6" fill="${background}"/>`,
    ...inside,
    "</svg>",
  ];
  return `${lines.filter(Boolean).join("\n")}\n`;
}
