// What is seen of an export: a bar and what has been read, in plain Ink, while it runs; a closing line at its end.
import { Box, Text } from "ink";
import type { Bounds } from "../listing/pager.ts";
import type { Retry } from "../listing/rest-client.ts";
import { barText, eighthsOf } from "../terminal/bars.ts";
import { formatAge, formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import type { Reached } from "./export.ts";

/** @param complete such as `yes (one page)` */
export function closingLine(reached: Partial<Reached>, complete: string): string {
  const { rows = 0, newestMs, oldestMs, pages = 0 } = reached;
  return [
    counted(rows, "row"),
    `newest ${formatTime(newestMs)}`,
    `oldest ${formatTime(oldestMs)}`,
    counted(pages, "page"),
    `complete: ${complete}`,
  ].join(", ");
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function formatTime(ms: number | undefined): string {
  return ms === undefined ? "-" : formatIsoMs(ms);
}

export interface ExportProgressProps {
  readonly reached: Reached;
  readonly bounds: Bounds;
  /** As it was first seen: an earlier run may have come far. */
  readonly begun: Reached;
  readonly passedMs: number;
  /** What failed and is tried again. */
  readonly retry: Retry | undefined;
}

const BAR_COLUMNS = 24;

export function ExportProgress(props: ExportProgressProps) {
  const { reached, begun, bounds, passedMs, retry } = props;
  const { rows, oldestMs, pages } = reached;
  const share = shareOf(reached, bounds);
  const done = (share ?? 0) - (shareOf(begun, bounds) ?? 0);
  const left = share !== undefined && done > 0 ? ((1 - share) * passedMs) / done : undefined;
  const rate = Math.round(((rows - begun.rows) * 1000) / Math.max(1, passedMs));
  return (
    <Box columnGap={2} flexWrap="wrap">
      {share !== undefined && (
        <Text>
          <Text color="cyan">{barText(eighthsOf(share, 1, BAR_COLUMNS)).padEnd(BAR_COLUMNS)}</Text>
          {` ${Math.floor(share * 100)}%${left === undefined ? "" : `, about ${formatAge(left)} left`}`}
        </Text>
      )}
      <Text bold>{counted(rows, "row")}</Text>
      <Text
        dimColor
      >{`${rate}/s, ${counted(pages, "page")}, back to ${formatTime(oldestMs)}`}</Text>
      {retry !== undefined && (
        <Text color="yellow">
          {visible(`trying again in ${(retry.waitMs / 1000).toFixed(1)} s: ${retry.reason}`)}
        </Text>
      )}
    </Box>
  );
}

/** Of rows or time, whichever ends it first; undefined where its end is not known. */
function shareOf({ rows, newestMs, oldestMs }: Reached, { max, sinceMs }: Bounds) {
  const ofRows = max === undefined ? 0 : rows / max;
  const isTimed = sinceMs !== undefined && newestMs !== undefined && oldestMs !== undefined;
  const ofTime = isTimed ? (newestMs - oldestMs) / (newestMs - sinceMs) : 0;
  const share = Math.max(ofRows, ofTime);
  return share > 0 && share < 1 ? share : undefined;
}
