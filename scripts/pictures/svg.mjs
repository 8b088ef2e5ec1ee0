// Cells as a picture (SVG): text stays text, without an embedded font; lines, bars and candles are drawn as shapes, so that they
// join without gaps in every renderer and font.

/** Of a cell, in pixels: typical for monospaced fonts of this size; each run of text is fitted to it. */
const [WIDTH, HEIGHT, BASELINE, MARGIN] = [8, 16, 12, 8];
const [MIDDLE_X, MIDDLE_Y] = [WIDTH / 2, HEIGHT / 2];
const FONT = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace";

/** Lines: a character and the thickness of its arms (up, right, down, left). Dashed ones are drawn solid, and fainter. */
const ARMS = [
  "─0101 │1010 ┃3030 ┄0101 ╌0101 ┌0110 ┐0011 └1100 ┘1001 ├1110 ┤1011 ┬0111 ┴1101 ┼1111",
  "╴0001 ╵1000 ╶0100 ╷0010 ╹3000 ╻0030 ╽1030 ╿3010",
].flatMap((line) => line.split(" "));
const DASHED = new Set("┄╌");
/** Round corners: from the middle of one edge to the middle of another. */
const CORNERS = { "╭": [1, 1], "╮": [0, 1], "╰": [1, 0], "╯": [0, 0] };
const SHADES = { "░": 0.25, "▒": 0.5, "▓": 0.75 };

/** By character: rectangles, each with its place in the cell, its size and its opacity. */
const SHAPES = new Map([
  ...ARMS.map(([character, ...arms]) => [character, armsOf(arms, DASHED.has(character) ? 0.5 : 1)]),
  ...[..."▏▎▍▌▋▊▉█"].map((each, i) => [each, [[0, 0, i + 1, HEIGHT, 1]]]),
  ...[..."▁▂▃▄▅▆▇"].map((each, i) => [each, [[0, HEIGHT - 2 * (i + 1), WIDTH, 2 * (i + 1), 1]]]),
  ["▀", [[0, 0, WIDTH, MIDDLE_Y, 1]]],
  ["▔", [[0, 0, WIDTH, 2, 1]]],
  ["▐", [[MIDDLE_X, 0, MIDDLE_X, HEIGHT, 1]]],
  ...Object.entries(SHADES).map(([each, opacity]) => [each, [[0, 0, WIDTH, HEIGHT, opacity]]]),
]);

function armsOf([up, right, down, left], opacity) {
  const place = (middle, thick) => middle - (Number(thick) + 1) / 2;
  return [
    [place(MIDDLE_X, up), 0, Number(up), MIDDLE_Y, opacity],
    [MIDDLE_X - 1, place(MIDDLE_Y, right), MIDDLE_X + 1, Number(right), opacity],
    [place(MIDDLE_X, down), MIDDLE_Y - 1, Number(down), MIDDLE_Y + 1, opacity],
    [0, place(MIDDLE_Y, left), MIDDLE_X, Number(left), opacity],
  ].filter(([, , width, height]) => width > 0 && height > 0);
}

const faint = (opacity) => (opacity === 1 ? "" : ` opacity="${opacity}"`);
const dimmed = ({ dim }, opacity = 1) => (dim ? 0.6 : 1) * opacity;

/** Rectangles as one path for each colour; what touches sideways is one rectangle. */
function drawAreas(areas) {
  const paths = new Map();
  for (const { color, opacity, x, y, width, height } of areas) {
    const key = `fill="${color}"${faint(opacity)}`;
    const path = paths.get(key) ?? [];
    const last = path.at(-1);
    if (last?.y === y && last.height === height && last.x + last.width === x) last.width += width;
    else path.push({ x, y, width, height });
    paths.set(key, path);
  }
  return Array.from(paths, ([key, path]) => {
    const parts = path.map(
      (each) => `M${each.x} ${each.y}h${each.width}v${each.height}h-${each.width}z`,
    );
    return `<path ${key} d="${parts.join("")}"/>`;
  });
}

function drawCorner(cell, column, row) {
  const [across, down] = CORNERS[cell.text];
  const [x, y] = [column * WIDTH + MIDDLE_X - 0.5, row * HEIGHT + MIDDLE_Y - 0.5];
  const [endX, endY] = [(column + across) * WIDTH, (row + down) * HEIGHT];
  return `<path d="M${x} ${endY}Q${x} ${y} ${endX} ${y}" fill="none" stroke="${cell.color}" shape-rendering="auto"${faint(dimmed(cell))}/>`;
}

const isText = ({ text }) => !(SHAPES.has(text) || text in CORNERS);
const lookOf = (cell) =>
  [
    `fill="${cell.color}"`,
    cell.bold && 'font-weight="bold"',
    cell.italic && 'font-style="italic"',
    cell.underline && 'text-decoration="underline"',
  ]
    .filter(Boolean)
    .join(" ") + faint(dimmed(cell));

/** Words of one look each for itself, with a blank between them at most: renderers treat several as one. */
function drawWords(cells, row) {
  const runs = [];
  for (const [column, cell] of cells.entries()) {
    const text = isText(cell) ? cell.text : " ";
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (last?.look === look && !(text === " " && last.text.endsWith(" "))) {
      last.text += text;
      last.width++;
    } else runs.push({ column, look, text, width: 1 });
  }
  return runs.flatMap(({ column, look, text, width }) => {
    const words = text.trim();
    if (words === "") return [];
    const [before, after] = [text.indexOf(words), text.length - text.trimEnd().length];
    const place = `x="${(column + before) * WIDTH}" y="${row * HEIGHT + BASELINE}"`;
    const length = (width - before - after) * WIDTH;
    return [`<text ${place} textLength="${length}" ${look}>${escapeText(words)}</text>`];
  });
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** @param rows from top to bottom, of equal length */
function drawCells(rows, background) {
  const each = (draw) =>
    rows.flatMap((cells, row) => cells.flatMap((cell, column) => draw(cell, column, row)));
  const behind = each((cell, column, row) =>
    cell.background === background
      ? []
      : [areaOf(cell.background, 1, [column, row], [0, 0, WIDTH, HEIGHT])],
  );
  const shapes = each((cell, column, row) =>
    (SHAPES.get(cell.text) ?? []).map((shape) =>
      areaOf(cell.color, dimmed(cell, shape[4]), [column, row], shape),
    ),
  );
  return [
    ...drawAreas(behind),
    ...drawAreas(shapes),
    ...each((cell, column, row) => (cell.text in CORNERS ? [drawCorner(cell, column, row)] : [])),
    ...rows.flatMap(drawWords),
  ];
}

function areaOf(color, opacity, [column, row], [x, y, width, height]) {
  return { color, opacity, x: column * WIDTH + x, y: row * HEIGHT + y, width, height };
}

/** A picture of the screen. @param background behind cells without one of their own @param title text alternative */
export function cellsToSvg(rows, { background, title }) {
  return framed(rows, { background, title }, drawCells(rows, background));
}

/** What was on the screen one after the other, each with what was typed for it; where nothing may move, the first stays. */
export function scenesToSvg(scenes, { background, title, seconds }) {
  const rows = scenes[0].cells;
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

function framed(rows, { background, title }, inside) {
  const [width, height] = [rows[0].length * WIDTH, rows.length * HEIGHT];
  const all = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
  const [x, y, fullWidth, fullHeight] = all;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${all.join(" ")}" role="img" font-family="${FONT}" font-size="13" shape-rendering="crispEdges">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="${x}" y="${y}" width="${fullWidth}" height="${fullHeight}" rx="6" fill="${background}"/>`,
    ...inside,
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}
