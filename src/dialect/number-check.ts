// Do the sequences mean what the dialect says? `chain` and `nullPrevious`, from the frames behind the first of each subscription.
import type { Dialect, Finding, Point } from "./dialect.ts";

interface Numbers {
  /** Gaps in a row soon after a first frame. */
  breaks: number;
  /** Frames in a row that named no frame before. */
  nulls: number;
}

export interface NumberCheck {
  readonly channels: Map<string, Numbers>;
  /** Frames in a row, of any channel, that named the one before. */
  named: number;
}

export interface Numbered {
  readonly channel: string;
  readonly previous: string | null;
  readonly sequence: string | null;
}

/** Breaks so soon after a first frame, and so often in a row, are no losses: the numbers mean something else. */
const SOON_FRAMES = 10;
const BREAKS = 3;
const NULLS = 5;
const NAMED = 100;

export function createNumberCheck(): NumberCheck {
  return { channels: new Map(), named: 0 };
}

/** What came before a frame in its subscription. */
interface Before {
  /** Of the newest frame. */
  readonly held: string;
  readonly frames: number;
  /** One of them has named the one before it. */
  readonly isNaming: boolean;
}

/** @param isGap how the chain took the frame */
export function checkNumbers(
  check: NumberCheck,
  dialect: Dialect,
  frame: Numbered,
  { held, frames, isNaming }: Before,
  isGap: boolean,
): readonly Finding[] {
  const numbers = numbersOf(check, frame.channel);
  if (frame.previous === null) return lookAtNull(check, numbers, dialect, isNaming);
  numbers.nulls = 0;
  if (isGap) return lookAtBreak(check, numbers, frames);
  if (frames > SOON_FRAMES) numbers.breaks = 0;
  check.named = frame.previous === held ? check.named + 1 : 0;
  if (frame.previous !== held) return [];
  if (dialect.nullPrevious.source === "assumed" || check.named === NULLS)
    return [learned("nullPrevious", "snapshot", "frames name the one before")];
  return check.named === NAMED && dialect.chain.value === "none"
    ? [learned("chain", "channel", `${NAMED} frames in a row named the one before`)]
    : [];
}

function numbersOf({ channels }: NumberCheck, channel: string): Numbers {
  const known = channels.get(channel);
  if (known !== undefined) return known;
  const numbers = { breaks: 0, nulls: 0 };
  channels.set(channel, numbers);
  return numbers;
}

function learned(point: Point, value: string, because: string): Finding {
  return { kind: "learned", point, value, because };
}

/** One look tells what such a frame was: a slow channel would stay wrong for long. Of many in a row, none is a snapshot. */
function lookAtNull(
  check: NumberCheck,
  numbers: Numbers,
  dialect: Dialect,
  isNaming: boolean,
): readonly Finding[] {
  check.named = 0;
  numbers.nulls++;
  const { value, source } = dialect.nullPrevious;
  if (source === "configured" || (value === "nothing" && source !== "assumed")) return [];
  if (numbers.nulls < NULLS)
    return [{ kind: "doubt", because: "previous_sequence is null in mid-stream" }];
  // Where other channels name theirs, this one tells nothing about them.
  return isNaming || source === "assumed"
    ? [learned("nullPrevious", "nothing", `${NULLS} frames in a row named no frame before`)]
    : [];
}

function lookAtBreak(check: NumberCheck, numbers: Numbers, frames: number): readonly Finding[] {
  check.named = 0;
  numbers.breaks = frames <= SOON_FRAMES ? numbers.breaks + 1 : 0;
  return numbers.breaks < BREAKS
    ? []
    : [learned("chain", "none", `${BREAKS} subscriptions in a row broke at once`)];
}
