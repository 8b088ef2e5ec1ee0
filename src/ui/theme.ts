// Every look of the interface by its meaning. Panes name meanings; only this table names colours.
import type { Style, StyleId, StyleTable } from "../terminal/cells/style-table.ts";

/** The terminal's own sixteen colours, so that it is readable on whatever background the user has chosen. */
const LOOKS = {
  text: {},
  strong: { bold: true },
  dim: { dim: true },
  title: { bold: true },
  focusTitle: { color: "cyan", bold: true },
  frame: { dim: true },
  focusFrame: { color: "cyan" },
  bid: { color: "green" },
  ask: { color: "red" },
  bidStrong: { color: "green", bold: true },
  askStrong: { color: "red", bold: true },
  bidBar: { color: "green", dim: true },
  askBar: { color: "red", dim: true },
  up: { color: "green" },
  down: { color: "red" },
  flat: { color: "yellow" },
  unfinished: { dim: true },
  volume: { dim: true },
  good: { color: "green" },
  notice: { color: "yellow" },
  bad: { color: "red", bold: true },
  badge: { inverse: true, bold: true },
  alarm: { color: "red", inverse: true, bold: true },
  key: { color: "cyan" },
} as const satisfies Record<string, Style>;

export type LookName = keyof typeof LOOKS;

/** The style number of each look in one style table. */
export type Theme = Readonly<Record<LookName, StyleId>>;

export function createTheme(styles: StyleTable): Theme {
  const ids = Object.entries(LOOKS).map(([name, look]) => [name, styles.id(look)]);
  return Object.fromEntries(ids) as Theme;
}
