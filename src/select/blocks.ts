// Values as blocks of eight heights.

const BLOCKS = "▁▂▃▄▅▆▇█";

/** Heights from 0 to 7, newest last, one for each of the last values. */
export function selectHeights(values: readonly bigint[], width: number): readonly number[] {
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
