// The one place where faults happen: between what the service says and what a client receives.
import type {
  FaultContext,
  FaultTarget,
  OutgoingFrame,
  RestFault,
  RestRefusal,
  StreamFault,
} from "./fault.ts";
import { FAULT_KINDS, type Fault } from "./fault-kinds.ts";

/** All faults of a scenario on one connection, in the scenario's order. */
export class FaultStage {
  readonly #faults: readonly StreamFault[];

  constructor(faults: readonly Fault[], context: FaultContext, target: FaultTarget) {
    this.#faults = faults.flatMap((settings) => {
      const start = FAULT_KINDS[settings.kind].stream as Start<StreamFault> | undefined;
      return start === undefined ? [] : [start(settings, context, target)];
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
    for (const fault of this.#faults) {
      const refusal = fault.refusal?.(channel);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  stop(): void {
    for (const fault of this.#faults) fault.stop?.();
  }
}

type Start<T> = (settings: Fault, context: FaultContext, target?: FaultTarget) => T;

/** All REST faults of a scenario: the refusal that a path gets, if any. */
export function createRestFaults(
  faults: readonly Fault[],
  context: FaultContext,
): (path: string) => RestRefusal | undefined {
  const started = faults.flatMap((settings) => {
    const start = FAULT_KINDS[settings.kind].rest as Start<RestFault> | undefined;
    return start === undefined ? [] : [start(settings, context)];
  });
  return (path) => {
    for (const fault of started) {
      const refusal = fault.refusal(path);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
}
