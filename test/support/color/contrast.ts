// How far apart two colours look: WCAG contrast, and distance for eyes with a colour deficiency (Machado et al. 2009).

export type Deficiency = "deuteranopia" | "protanopia" | "tritanopia";

type Vector = readonly [number, number, number];

/** On linear RGB, for the full deficiency. */
const MATRICES: Readonly<Record<Deficiency, readonly Vector[]>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(rgb: number): Vector {
  const part = (shift: number) => {
    const value = ((rgb >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(16), part(8), part(0)];
}

function luminance([red, green, blue]: Vector): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG contrast of two colours (0xRRGGBB): 1 to 21. */
export function contrast(a: number, b: number): number {
  const [x, y] = [luminance(linear(a)) + 0.05, luminance(linear(b)) + 0.05];
  return Math.max(x, y) / Math.min(x, y);
}

/** Distance in CIE Lab of two colours as seen with this deficiency; below 10 or so they are taken for the same. */
export function seenDistance(a: number, b: number, deficiency: Deficiency | undefined): number {
  const [x, y] = [lab(seen(linear(a), deficiency)), lab(seen(linear(b), deficiency))];
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

function seen(color: Vector, deficiency: Deficiency | undefined): Vector {
  if (deficiency === undefined) return color;
  const row = (weights: Vector | undefined) =>
    Math.max(
      0,
      Math.min(
        1,
        (weights ?? [0, 0, 0]).reduce((sum, w, i) => sum + w * (color[i] ?? 0), 0),
      ),
    );
  const [red, green, blue] = MATRICES[deficiency];
  return [row(red), row(green), row(blue)];
}

function lab([red, green, blue]: Vector): Vector {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
