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

function openPrelude(settings: Fault, { onStrike, ...context }: StageContext) {
  return createPrelude(settings, { ...context, strike: () => onStrike(settings.kind) });
}

/** All faults of a scenario on one connection, in the scenario's order, as one. */
export function createFaultStage(
  faults: readonly Fault[],
  context: StageContext,
  target: FaultTarget,
): Required<StreamFault> {
  const all = faults.flatMap((settings) => {
    const { stream } = FAULT_KINDS[settings.kind];
    return stream === undefined ? [] : stream(settings, openPrelude(settings, context), target);
  });
  return {
    frames(frame) {
      let frames: readonly OutgoingFrame[] = [frame];
      for (const fault of all) {
        if (fault.frames !== undefined)
          frames = frames.flatMap((each) => fault.frames?.(each) ?? []);
      }
      return frames;
    },
    refusal: (channel) => firstOf(all, (fault) => fault.refusal?.(channel)),
    subscribed(channel) {
      for (const fault of all) fault.subscribed?.(channel);
    },
    stop() {
      for (const fault of all) fault.stop?.();
    },
  };
}

export function createTroubles(
  part: "rest" | "upgrade",
  faults: readonly Fault[],
  context: StageContext,
): TroubleOf {
  const started = faults.flatMap((settings): TroubleOf[] => {
    const trouble = FAULT_KINDS[settings.kind][part]?.(settings);
    const { concerns, strike } = openPrelude(settings, context);
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
