// Values as blocks of eight heights.

const BLOCKS = "▁▂▃▄▅▆▇█";

/** Heights of a sparkline, 0 to 7, the newest last; no more than there were values. */
export function selectSparkline(values: readonly bigint[], width: number): readonly number[] {
  const shown = values.slice(-Math.max(0, width));
  const [first = 0n] = shown;
  if (width <= 0) return [];
  const high = shown.reduce((most, value) => (value > most ? value : most), first);
  const low = shown.reduce((least, value) => (value < least ? value : least), first);
  const span = high - low;
  return shown.map((value) =>
    span === 0n ? 3 : Number(((value - low) * 7n * 2n + span) / (span * 2n)),
  );
}

export function formatBlock(height: number | undefined): string {
  return height === undefined ? " " : (BLOCKS[height] ?? " ");
}
