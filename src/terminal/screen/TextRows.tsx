// Rows of text that change often. Ink remembers every text that it has measured for ever, so it measures only a
// placeholder, and a transform puts the rows in its place.
import { Box, Transform } from "ink";

interface TextRowsProps {
  /** Rows with SGR sequences, each no wider than `width`. */
  readonly rows: readonly string[];
  readonly width: number;
}

/** Takes `width` columns and a row for each of the rows. */
export function TextRows({ rows, width }: TextRowsProps) {
  const height = rows.length;
  if (height === 0 || width <= 0) return null;
  return (
    <Box width={width} height={height} flexShrink={0} overflow="hidden">
      <Transform transform={(_, index) => rows[index] ?? ""}>{placeholder(height)}</Transform>
    </Box>
  );
}

// One column wide, so that it is never wrapped; the same text for the same height.
function placeholder(height: number): string {
  return Array.from({ length: height }, () => " ").join("\n");
}
