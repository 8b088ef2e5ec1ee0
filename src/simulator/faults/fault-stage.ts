// The one place where faults happen: between what the service says and what a client receives.
import type {
  FaultContext,
  FaultTarget,
  OutgoingFrame,
  RestTrouble,
  StreamFault,
  UpgradeTrouble,
} from "./fault.ts";
import { FAULT_KINDS, type Fault, type FaultName } from "./fault-kinds.ts";
import { createPrelude, type Prelude } from "./fault-timing.ts";

/** What all faults are given; `onStrike` gets the kind of each one that strikes. */
export interface StageContext extends Omit<FaultContext, "strike"> {
  readonly onStrike: (kind: FaultName) => void;
}

/** Starts those faults of a scenario that have the part, in the scenario's order. */
function start<P extends "stream" | "rest" | "upgrade", T>(
  part: P,
  faults: readonly Fault[],
  { onStrike, ...context }: StageContext,
  begin: (
    part: NonNullable<(typeof FAULT_KINDS)[FaultName][P]>,
    settings: Fault,
    prelude: Prelude,
  ) => T,
): T[] {
  return faults.flatMap((settings) => {
    const { kind } = settings;
    const started = FAULT_KINDS[kind][part];
    if (started === undefined) return [];
    const prelude = createPrelude(settings, { ...context, strike: () => onStrike(kind) });
    return [begin(started, settings, prelude)];
  });
}

/** All faults of a scenario on one connection. */
export class FaultStage {
  readonly #faults: readonly StreamFault[];

  constructor(faults: readonly Fault[], context: StageContext, target: FaultTarget) {
    this.#faults = start("stream", faults, context, (stream, settings, prelude) =>
      stream(settings, prelude, target),
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

/** What the answer to a path turns into, if anything. */
export function createRestFaults(
  faults: readonly Fault[],
  context: StageContext,
): (path: string) => RestTrouble | undefined {
  const started = start("rest", faults, context, (rest, settings, prelude) =>
    rest(settings, prelude),
  );
  return (path) => firstOf(started, (troubleOf) => troubleOf(path));
}

/** What an upgrade gets instead, if anything. */
export function createUpgradeFaults(
  faults: readonly Fault[],
  context: StageContext,
): () => UpgradeTrouble | undefined {
  const started = start("upgrade", faults, context, (upgrade, settings, prelude) =>
    upgrade(settings, prelude),
  );
  return () => firstOf(started, (troubleOf) => troubleOf());
}

function firstOf<T, R>(all: readonly T[], ask: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const answer = ask(each);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
