// A live session on a virtual clock, audits included, on a service that answers by itself.
import { onTestFinished } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { createRandom } from "../../src/units/random.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { type Script, ScriptedService } from "./scripted-service.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/** A live session with audits on such a service; the watched channels are subscribed. */
export function startPlayed(script: Script, channels = Object.keys(script.channels ?? {})) {
  const clock = createVirtualClock();
  const service = new ScriptedService({ ...script, clock });
  const events: StreamEvent[] = [];
  let audits = 0;
  const live = openSession({
    openSocket: service.connect,
    auditSocket: service.connect,
    onAudit: () => {
      audits++;
    },
    clock,
    random: createRandom(5),
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => live.close());
  for (const channel of channels) live.stream.subscribe(channel);
  return {
    ...live,
    clock,
    service,
    events,
    get audits() {
      return audits;
    },
    /** Lets time pass in steps, with something that happens before each of them. */
    pass(ms: number, stepMs = ms, onStep: (atMs: number) => void = () => {}) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        onStep(clock.now());
        clock.advance(stepMs);
      }
    },
  };
}
