// The one place where faults happen: between what the service says and what a client receives.
import type {
  FaultContext,
  FaultKind,
  FaultTarget,
  OutgoingFrame,
  RestTrouble,
  StreamFault,
  UpgradeTrouble,
} from "./fault.ts";
import { FAULT_KINDS, type Fault, type FaultName } from "./fault-kinds.ts";

/** What all faults are given; `onStrike` is told the kind of each one that strikes. */
export interface StageContext extends Omit<FaultContext, "strike"> {
  readonly onStrike: (kind: FaultName) => void;
}

/** All faults of a scenario on one connection, in the scenario's order. */
export class FaultStage {
  readonly #faults: readonly StreamFault[];

  constructor(faults: readonly Fault[], context: StageContext, target: FaultTarget) {
    this.#faults = start(faults, ({ parts }, settings) =>
      parts.stream?.(settings, contextOf(settings, context), target),
    );
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

  /** A subscribe has been obeyed. */
  subscribed(channel: string): void {
    for (const fault of this.#faults) fault.subscribed?.(channel);
  }

  stop(): void {
    for (const fault of this.#faults) fault.stop?.();
  }
}

/** All REST faults of a scenario: what the answer to a path turns into, if anything. Never throws. */
export function createRestFaults(
  faults: readonly Fault[],
  context: StageContext,
): (path: string) => RestTrouble | undefined {
  const started = start(faults, ({ parts }, settings) =>
    parts.rest?.(settings, contextOf(settings, context)),
  );
  return (path) => firstOf(started, (each) => each.trouble(path));
}

/** All faults of upgrades: what an upgrade gets instead, if anything. Never throws. */
export function createUpgradeFaults(
  faults: readonly Fault[],
  context: StageContext,
): () => UpgradeTrouble | undefined {
  const started = start(faults, ({ parts }, settings) =>
    parts.upgrade?.(settings, contextOf(settings, context)),
  );
  return () => firstOf(started, (each) => each.trouble());
}

function start<T>(
  faults: readonly Fault[],
  begin: (kind: FaultKind, settings: Fault) => T | undefined,
): T[] {
  return faults.flatMap((settings) => begin(FAULT_KINDS[settings.kind], settings) ?? []);
}

function contextOf({ kind }: Fault, { onStrike, ...context }: StageContext): FaultContext {
  return { ...context, strike: () => onStrike(kind) };
}

function firstOf<T, R>(all: readonly T[], ask: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const answer = ask(each);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
