// What can go wrong before a simulator runs; afterwards it has no errors of its own, only faults that
// were asked for.

/** Stable words: a port that is taken, a scenario that does not fit or does not exist. */
export type SimulatorErrorCode = "port-in-use" | "listen-failed" | "bad-scenario" | "no-scenario";

/** Why a simulator cannot run. */
export class SimulatorError extends Error {
  override readonly name = "SimulatorError";
  readonly code: SimulatorErrorCode;

  constructor(code: SimulatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
