// A position in time that can be moved: in the last minutes of a session, or in a recording.
import type { Moment } from "../state/moment.ts";
import { decodeStamp } from "./entry.ts";
import { Cursor, type Track } from "./track.ts";

/** Times are monotonic milliseconds, those of the moment. */
export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  readonly moment: Moment;
  goTo(ms: number): void;
  /** To the next change of one of the channels, or to the one before. */
  step(by: 1 | -1, channels: readonly string[]): void;
  /** To the next gap, loss of connection or alert, or to the one before. @returns false if there is none */
  jump(by: 1 | -1): boolean;
  /** Where time goes on by itself: in a recording. */
  readonly playing?: Playing;
}

export interface Playing {
  readonly isPaused: boolean;
  readonly isOver: boolean;
  readonly speed: number;
  togglePause(): void;
  changeSpeed(by: 1 | -1): void;
}

const EVENT = /^\{"t":[0-9]+,"w":[0-9.]+,"event":\{"event":"([^"]+)"/;
const NOTABLE = new Set(["gap", "disconnected", "contradiction", "alert"]);
const CHANNEL = /"channel"\s*:\s*"([^"\\]+)"/;

/** @param nowMs where it stands, which may be some time behind the line that is shown */
export function movesIn(
  track: Track,
  nowMs: () => number,
  goTo: (ms: number) => void,
): Pick<Timeline, "step" | "jump"> {
  function goToLine(ms: number | undefined): boolean {
    if (ms !== undefined) goTo(ms);
    return ms !== undefined;
  }
  return {
    step(by, channels) {
      const isWanted = (line: string) =>
        EVENT.test(line) || channels.includes(CHANNEL.exec(line)?.[1] ?? "");
      // Going back, the last one is what is shown.
      const from = by > 0 ? nowMs() : findTime(track, nowMs() + 1e-6, by, isWanted);
      if (from !== undefined) goToLine(findTime(track, from, by, isWanted));
    },
    jump: (by) =>
      goToLine(findTime(track, nowMs(), by, (line) => NOTABLE.has(EVENT.exec(line)?.[1] ?? ""))),
  };
}

/** The time of the next line of a kind, or of the one before. */
function findTime(
  { pieces }: Track,
  ms: number,
  by: 1 | -1,
  isWanted: (line: string) => boolean,
): number | undefined {
  const isFound = (line: string) => isWanted(line) && (decodeStamp(line).t - ms) * by > 0;
  const first = pieces.findLastIndex(({ start }) => start.t <= ms);
  for (let at = Math.max(0, first); pieces[at] !== undefined; at += by) {
    const lines = pieces[at]?.lines() ?? [];
    const found = by > 0 ? lines.find(isFound) : lines.findLast(isFound);
    if (found !== undefined) return decodeStamp(found).t;
  }
  return undefined;
}

/** The last minutes, beginning at their end or where the screen was frozen. @param settle brings the track to the present */
export function createPast(track: Track, settle: () => void, fromMs: number): Timeline {
  const cursor = new Cursor(track);
  const goTo = (ms: number) => {
    settle();
    cursor.goTo(Math.max(track.startMs, Math.min(ms, track.endMs)));
  };
  goTo(fromMs);
  return {
    get startMs() {
      return track.startMs;
    },
    get endMs() {
      return track.endMs;
    },
    get moment() {
      return cursor.moment;
    },
    goTo,
    ...movesIn(track, () => cursor.moment.nowMs, goTo),
  };
}
