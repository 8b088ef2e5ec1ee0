// The one place where faults happen: between what the service says and what a client receives.
import {
  createPrelude,
  type FaultContext,
  type FaultTarget,
  type OutgoingFrame,
  type StreamFault,
  type TroubleOf,
} from "./fault.ts";
import { FAULT_KINDS, type Fault, type FaultName } from "./fault-kinds.ts";

/** What all faults are given; `onStrike` gets the kind of each one that strikes. */
export interface StageContext extends Omit<FaultContext, "strike"> {
  readonly onStrike: (kind: FaultName) => void;
}

function preludeOf(settings: Fault, { onStrike, ...context }: StageContext) {
  return createPrelude(settings, { ...context, strike: () => onStrike(settings.kind) });
}

/** All faults of a scenario on one connection, in the scenario's order. */
export class FaultStage {
  readonly #faults: readonly StreamFault[];

  constructor(faults: readonly Fault[], context: StageContext, target: FaultTarget) {
    this.#faults = faults.flatMap((settings) => {
      const { stream } = FAULT_KINDS[settings.kind];
      return stream === undefined ? [] : stream(settings, preludeOf(settings, context), target);
    });
  }

  /** What reaches the client in place of a frame. */
  frames(frame: OutgoingFrame): readonly OutgoingFrame[] {
    let frames: readonly OutgoingFrame[] = [frame];
    for (const fault of this.#faults) {
      if (fault.frames !== undefined) frames = frames.flatMap((each) => fault.frames?.(each) ?? []);
    }
    return frames;
  }

  /** The error that a subscribe gets; undefined when it may go through. */
  refusal(channel: string): { readonly code: number; readonly message: string } | undefined {
    return firstOf(this.#faults, (fault) => fault.refusal?.(channel));
  }

  /** A subscribe has been obeyed. */
  subscribed(channel: string): void {
    for (const fault of this.#faults) fault.subscribed?.(channel);
  }

  stop(): void {
    for (const fault of this.#faults) fault.stop?.();
  }
}

/** What the faults of a scenario make of REST answers, or of answers to upgrades. */
export function createTroubles(
  part: "rest" | "upgrade",
  faults: readonly Fault[],
  context: StageContext,
): TroubleOf {
  const started = faults.flatMap((settings): TroubleOf[] => {
    const trouble = FAULT_KINDS[settings.kind][part]?.(settings);
    const { concerns, strike } = preludeOf(settings, context);
    const troubleOf = (path: string) => {
      if (!concerns(path)) return undefined;
      strike();
      return trouble;
    };
    return trouble === undefined ? [] : [troubleOf];
  });
  return (path) => firstOf(started, (troubleOf) => troubleOf(path));
}

function firstOf<T, R>(all: readonly T[], ask: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const answer = ask(each);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
