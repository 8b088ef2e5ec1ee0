// What a grid shows as cells of a picture, in the colours of a usual terminal where it has none of its own.
import { type Color, toRgb } from "../cells/color.ts";
import { CODE_POINT_MASK, CONTINUATION, type Grid, STYLE_SHIFT } from "../cells/grid.ts";
import { ATTRIBUTES, type StyleTable } from "../cells/style-table.ts";
import { cellsToSvg, type PictureCell } from "../cells/svg.ts";

/** What stands for the terminal's own: what is written without a colour, what is behind it, and the sixteen. */
const COLOR = 0xd0d4dc;
const BACKGROUND = 0x1a1d23;
const SIXTEEN = [
  0x1a1d23, 0xe06c75, 0x7ec27e, 0xd7b46a, 0x6aa5e8, 0xc08add, 0x5cbcc4, 0xd0d4dc, 0x6b7280,
  0xff8a92, 0x9be39b, 0xf0d08a, 0x8fc0ff, 0xdba8f5, 0x7fdbe2, 0xffffff,
];

export function gridToSvg(grid: Grid, styles: StyleTable, title: string): string {
  const base = styles.base;
  const background = css(base.background, BACKGROUND);
  const color = css(base.foreground, COLOR);
  const looks = new Map<number, Omit<PictureCell, "text">>();
  const lookOf = (id: number) => {
    const known = looks.get(id) ?? makeLook(styles, id, color, background);
    looks.set(id, known);
    return known;
  };
  const rows = Array.from({ length: grid.height }, (_, y) =>
    Array.from(grid.back.subarray(y * grid.width, (y + 1) * grid.width), (cell): PictureCell => {
      const codePoint = cell & CODE_POINT_MASK;
      const text = codePoint === CONTINUATION ? "" : String.fromCodePoint(codePoint);
      return { text, ...lookOf(cell >>> STYLE_SHIFT) };
    }),
  );
  return cellsToSvg(rows, { background, title });
}

function makeLook(styles: StyleTable, id: number, color: string, background: string) {
  const style = styles.getStyle(id);
  const front = style.foreground < 0 ? color : css(style.foreground, COLOR);
  const back = style.background < 0 ? background : css(style.background, BACKGROUND);
  const has = (name: keyof typeof ATTRIBUTES) => (style.attributes & ATTRIBUTES[name].bit) !== 0;
  const [shown, behind] = has("inverse") ? [back, front] : [front, back];
  return {
    ...{ color: shown, background: behind, bold: has("bold"), dim: has("dim") },
    ...{ italic: has("italic"), underline: has("underline") },
  };
}

function css(color: Color, usual: number): string {
  const rgb = color < 0 ? usual : (SIXTEEN[color] ?? toRgb(color));
  return `#${rgb.toString(16).padStart(6, "0")}`;
}
