// Cells of a terminal as SVG: text stays text, cells of equal look are one run, blocks are drawn, no font is embedded.

/** Of a cell, in pixels: usual for monospaced fonts of this size, and each run is fitted to it. */
const WIDTH = 8;
const HEIGHT = 16;
const BASELINE = 12;
const MARGIN = 8;
const DIM = ' opacity="0.6"';
const FONT = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace";

/** Characters that fill a part of their cell: from the left, or from below. */
const BLOCKS = new Map([
  ...[..."▏▎▍▌▋▊▉█"].map((character, i) => [character, { across: (i + 1) / 8, up: 1 }]),
  ...[..."▁▂▃▄▅▆▇"].map((character, i) => [character, { across: 1, up: (i + 1) / 8 }]),
]);

/** Whether two cells look alike but for their character. */
function isAlike(a, b) {
  return ["color", "background", "bold", "dim", "italic", "underline"].every(
    (key) => a[key] === b[key],
  );
}

/** Neighbours that look alike, with the column of the first; `isSame` says what alike means. */
function runsOf(cells, isSame) {
  const runs = [];
  for (const [x, cell] of cells.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isSame(last.cell, cell)) last.text += cell.text;
    else runs.push({ x, cell, text: cell.text });
    runs.at(-1).width = x + 1 - runs.at(-1).x;
  }
  return runs;
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function rectangle(x, y, { width, height = HEIGHT, color, dim = false }) {
  const opacity = dim ? DIM : "";
  const top = (y + 1) * HEIGHT - height;
  return `<rect x="${x}" y="${top}" width="${width}" height="${height}" fill="${color}"${opacity}/>`;
}

function backgrounds(cells, y, base) {
  return runsOf(cells, (a, b) => a.background === b.background)
    .filter(({ cell }) => cell.background !== base)
    .map(({ x, width, cell }) =>
      rectangle(x * WIDTH, y, { width: width * WIDTH, color: cell.background }),
    );
}

/** Bars: blocks of one height that touch each other are one rectangle. */
function blocks(cells, y) {
  const up = ({ text }) => BLOCKS.get(text)?.up;
  return runsOf(cells, (a, b) => isAlike(a, b) && up(a) === up(b))
    .filter(({ cell }) => BLOCKS.has(cell.text))
    .map(({ x, text, cell }) => {
      const parts = [...text].reduce((sum, character) => sum + BLOCKS.get(character).across, 0);
      const { color, dim } = cell;
      return rectangle(x * WIDTH, y, {
        ...{ width: parts * WIDTH, height: up(cell) * HEIGHT, color, dim },
      });
    });
}

function textRun({ x, cell, text }, y) {
  const shown = text.trimEnd();
  const start = shown.length - shown.trimStart().length;
  const cellsShown = [...shown].length - start;
  if (cellsShown <= 0) return "";
  const attributes = [
    `x="${(x + start) * WIDTH}"`,
    `y="${y * HEIGHT + BASELINE}"`,
    `textLength="${cellsShown * WIDTH}"`,
    `fill="${cell.color}"`,
    cell.bold ? 'font-weight="bold"' : "",
    cell.dim ? DIM.trim() : "",
    cell.italic ? 'font-style="italic"' : "",
    cell.underline ? 'text-decoration="underline"' : "",
  ].filter(Boolean);
  return `<text ${attributes.join(" ")}>${escapeText(shown.trimStart())}</text>`;
}

function texts(cells, y) {
  const left = cells.map((cell) => (BLOCKS.has(cell.text) ? { ...cell, text: " " } : cell));
  return runsOf(left, isAlike).map((run) => textRun(run, y));
}

/**
 * A picture of the screen.
 * @param rows of cells: `text` (one character, or nothing behind a wide one), `color` and `background` (of CSS), and
 * `bold`, `dim`, `italic`, `underline`
 * @param background what is behind cells that have none of their own
 * @param title what the picture shows, for who cannot see it
 */
export function cellsToSvg(rows, { background, title }) {
  const width = (rows[0]?.length ?? 0) * WIDTH;
  const height = rows.length * HEIGHT;
  const all = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
  const [x, y, fullWidth, fullHeight] = all;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${all.join(" ")}" role="img" font-family="${FONT}" font-size="13" xml:space="preserve" shape-rendering="crispEdges">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="${x}" y="${y}" width="${fullWidth}" height="${fullHeight}" rx="6" fill="${background}"/>`,
    ...rows.flatMap((cells, row) => [
      ...backgrounds(cells, row, background),
      ...blocks(cells, row),
      ...texts(cells, row),
    ]),
    "</svg>",
  ]
    .filter(Boolean)
    .join("\n")}\n`;
}
