// What a person sees while an export runs.
import { render } from "ink-testing-library";
import { expect, test } from "vitest";
import { ExportProgress } from "../../src/export/progress.tsx";

const DAY_MS = 86_400_000;
const NEWEST_MS = Date.UTC(2026, 0, 11);
const reached = {
  rows: 6000,
  newestMs: NEWEST_MS,
  oldestMs: NEWEST_MS - DAY_MS,
  pages: 6,
  requests: 8,
};
const begun = { ...reached, rows: 1000, oldestMs: NEWEST_MS - DAY_MS / 2 };
const props = { reached, begun, passedMs: 10_000, retry: undefined };

test("how far it is in time or rows, how fast, and how long it will take", () => {
  const { lastFrame, rerender } = render(
    <ExportProgress {...props} bounds={{ sinceMs: NEWEST_MS - 4 * DAY_MS }} />,
  );
  expect(lastFrame()).toContain("█".repeat(6));
  expect(lastFrame()).not.toContain("█".repeat(7));
  // Half of that was there before.
  expect(lastFrame()).toMatch(/25%, about 1m00s left +6000 rows\s+500\/s, 6 pages/);
  rerender(<ExportProgress {...props} bounds={{ max: 12_000, sinceMs: NEWEST_MS - 4 * DAY_MS }} />);
  expect(lastFrame()).toContain("50%, about 13s left");
});

test("nothing of an end that is not known; what failed, with when it is tried again", () => {
  const retry = { reason: "503 \u001b[2Jbusy", waitMs: 2500, count: 1 };
  const { lastFrame } = render(<ExportProgress {...props} bounds={{}} retry={retry} />);
  expect(lastFrame()).not.toContain("%");
  expect(lastFrame()).toContain("trying again in 2.5 s: 503 \\x1b[2Jbusy");
});
