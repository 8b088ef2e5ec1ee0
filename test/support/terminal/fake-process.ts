// A process whose signals come from the test. It records what is sent to it.
import { EventEmitter } from "node:events";
import type { ProcessEvents } from "../../../src/terminal/session/session.ts";

export class FakeProcess extends EventEmitter implements ProcessEvents {
  readonly pid = 4711;
  readonly sent: { readonly pid: number; readonly signal: string }[] = [];
  /** Called when a signal is sent, at the moment at which the system would act on it. */
  onKill: ((pid: number, signal: string) => void) | undefined;

  kill(pid: number, signal: string): boolean {
    this.sent.push({ pid, signal });
    this.onKill?.(pid, signal);
    return true;
  }
}
