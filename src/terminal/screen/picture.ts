// What a grid shows as cells of a picture, in the colours of a usual terminal where it has none of its own.
import { type Color, isDark, toRgb } from "../cells/color.ts";
import { CODE_POINT_MASK, CONTINUATION, type Grid, STYLE_SHIFT } from "../cells/grid.ts";
import { ATTRIBUTES, type StyleTable } from "../cells/style-table.ts";
import { cellsToSvg, type PictureCell } from "../cells/svg.ts";

/** What stands for the terminal's own: what is written without a colour, what is behind it, and the sixteen. */
interface Ground {
  readonly color: number;
  readonly background: number;
  readonly sixteen: readonly number[];
}

const DARK: Ground = {
  color: 0xd0d4dc,
  background: 0x1a1d23,
  sixteen: [
    0x1a1d23, 0xe06c75, 0x7ec27e, 0xd7b46a, 0x6aa5e8, 0xc08add, 0x5cbcc4, 0xd0d4dc, 0x6b7280,
    0xff8a92, 0x9be39b, 0xf0d08a, 0x8fc0ff, 0xdba8f5, 0x7fdbe2, 0xffffff,
  ],
};

const LIGHT: Ground = {
  color: 0x24282f,
  background: 0xfbfbf8,
  sixteen: [
    0x24282f, 0xb3122a, 0x1d7a34, 0x8a6100, 0x1f5fb0, 0x8a2fa0, 0x0b7480, 0xd5d8dd, 0x6a707a,
    0xd02a40, 0x2a9148, 0xa67600, 0x2f74cc, 0xa344ba, 0x128a98, 0xffffff,
  ],
};

/** Like the terminal's own, where it has said what it is: tints are of its background. */
function getGround({ terminalBackground }: StyleTable): Ground {
  if (terminalBackground === undefined) return DARK;
  const like = isDark(terminalBackground) ? DARK : LIGHT;
  return { ...like, background: toRgb(terminalBackground) };
}

export function gridToSvg(grid: Grid, styles: StyleTable, title: string): string {
  const base = styles.base;
  const ground = getGround(styles);
  const background = css(base.background, ground.background, ground);
  const color = css(base.foreground, ground.color, ground);
  const looks = new Map<number, Omit<PictureCell, "text">>();
  const lookOf = (id: number) => {
    const known = looks.get(id) ?? makeLook(styles, id, { color, background, ground });
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

interface Paper {
  readonly color: string;
  readonly background: string;
  readonly ground: Ground;
}

function makeLook(styles: StyleTable, id: number, { color, background, ground }: Paper) {
  const style = styles.getStyle(id);
  const front = style.foreground < 0 ? color : css(style.foreground, ground.color, ground);
  const back = style.background < 0 ? background : css(style.background, ground.background, ground);
  const has = (name: keyof typeof ATTRIBUTES) => (style.attributes & ATTRIBUTES[name].bit) !== 0;
  const [shown, behind] = has("inverse") ? [back, front] : [front, back];
  return {
    ...{ color: shown, background: behind, bold: has("bold"), dim: has("dim") },
    ...{ italic: has("italic"), underline: has("underline") },
  };
}

function css(color: Color, usual: number, { sixteen }: Ground): string {
  const rgb = color < 0 ? usual : (sixteen[color] ?? toRgb(color));
  return `#${rgb.toString(16).padStart(6, "0")}`;
}
