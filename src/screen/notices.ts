// What the program says in passing: one queue by weight, so that a copy never hides that the connection was lost.

/** `news`: something happened; `done`: an answer to a key; `alarm`: an alert, or data that cannot be trusted. */
export type NoticeWeight = "news" | "done" | "alarm";

export interface Notice {
  readonly text: string;
  readonly weight: NoticeWeight;
  /** Name of the view that it is about; it is not shown in others. */
  readonly view?: string | undefined;
  readonly untilMs: number;
}

const WEIGHTS: Readonly<Record<NoticeWeight, { readonly rank: number; readonly ms: number }>> = {
  news: { rank: 0, ms: 6000 },
  done: { rank: 1, ms: 3000 },
  alarm: { rank: 2, ms: 15_000 },
};
const MAX_NOTICES = 20;

/** The queue with one more. */
export function addNotice(
  notices: readonly Notice[],
  { text, weight, view }: Omit<Notice, "untilMs">,
  nowMs: number,
): readonly Notice[] {
  const standing = notices.filter((each) => each.untilMs > nowMs && each.text !== text);
  const added = { text, weight, view, untilMs: nowMs + WEIGHTS[weight].ms };
  return [...standing, added].slice(-MAX_NOTICES);
}

/** The heaviest one that stands; of several, the newest. */
export function noticeAt(
  notices: readonly Notice[],
  view: string,
  nowMs: number,
): Notice | undefined {
  return notices
    .filter((each) => each.untilMs > nowMs && (each.view === undefined || each.view === view))
    .reduce<Notice | undefined>((best, each) => {
      const isHeavier =
        best === undefined || WEIGHTS[each.weight].rank >= WEIGHTS[best.weight].rank;
      return isHeavier ? each : best;
    }, undefined);
}
