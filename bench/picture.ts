// Panels of lines beside each other as SVG, both axes logarithmic and of one scale: a straight line at 45° is cost in proportion.

export type Point = readonly [x: number, y: number];

export interface Panel {
  readonly x: string;
  readonly y: string;
  readonly lines: Readonly<Record<string, readonly Point[]>>;
}

const [DECADE, LEFT, TOP, GAP] = [62, 56, 34, 70];
const COLOURS = ["#3f7fd9", "#d9803f"];

const text = (x: number, y: number, words: string, more = "") =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`;
const decades = (values: readonly number[]) => {
  const logs = values.map((value) => Math.log10(value));
  return [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs) - 0.01)] as const;
};

/** @returns its SVG and its width */
function drawPanel({ x, y, lines }: Panel, left: number, bottom: number) {
  const points = Object.values(lines).flat();
  const [fromX, toX] = decades(points.map(([at]) => at));
  const [fromY, toY] = decades(points.map(([, at]) => at));
  const placeX = (value: number) => left + (Math.log10(value) - fromX) * DECADE;
  const placeY = (value: number) => bottom - (Math.log10(value) - fromY) * DECADE;
  const [right, top] = [left + (toX - fromX) * DECADE, bottom - (toY - fromY) * DECADE];
  const parts = [text(left, top - 12, y), text(right, bottom + 32, x, 'text-anchor="end"')];
  const grid = (path: string) => `<path class="grid" d="${path}"/>`;
  for (let power = fromX; power <= toX; power++) {
    const label = (10 ** power).toLocaleString("en");
    parts.push(grid(`M${placeX(10 ** power)} ${top}V${bottom}`));
    parts.push(text(placeX(10 ** power), bottom + 16, label, 'text-anchor="middle"'));
  }
  for (let power = fromY; power <= toY; power++) {
    parts.push(grid(`M${left} ${placeY(10 ** power)}H${right}`));
    parts.push(text(left - 6, placeY(10 ** power) + 4, `${10 ** power}`, 'text-anchor="end"'));
  }
  for (const [i, [name, line]] of Object.entries(lines).entries()) {
    const places = line.map(([a, b]) => `${placeX(a).toFixed(1)},${placeY(b).toFixed(1)}`);
    parts.push(`<polyline fill="none" stroke="${COLOURS[i]}" points="${places.join(" ")}"/>`);
    const [lastX = 1, lastY = 1] = line.at(-1) ?? [];
    const more = `text-anchor="end" style="fill:${COLOURS[i]}"`;
    parts.push(text(placeX(lastX), placeY(lastY) - 6, name, more));
  }
  return { svg: parts.join("\n"), right };
}

export function drawPanels(panels: readonly Panel[]): string {
  const heights = panels.map(({ lines }) => {
    const [from, to] = decades(Object.values(lines).flatMap((line) => line.map(([, y]) => y)));
    return (to - from) * DECADE;
  });
  const bottom = TOP + Math.max(...heights);
  let left = LEFT;
  const drawn = panels.map((panel) => {
    const { svg, right } = drawPanel(panel, left, bottom);
    left = right + GAP;
    return svg;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left - GAP + 30} ${bottom + 44}" font-family="sans-serif" font-size="11">
<style>text{fill:#777}.grid{stroke:#8884;fill:none}polyline{fill:none;stroke-width:2}</style>
${drawn.join("\n")}
</svg>
`;
}
