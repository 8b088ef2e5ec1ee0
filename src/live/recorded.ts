// A session and the recorder of all that happens in it, which hears of everything first.
import { createRecorder, type Recorder } from "../timeline/recorder.ts";
import { openSession, type Session, type SessionOptions } from "./session.ts";

export function openRecorded(options: SessionOptions): {
  readonly session: Session;
  readonly recorder: Recorder;
} {
  let recorder: Recorder | undefined;
  const session = openSession({
    ...options,
    onText(direction, text, nowMs) {
      recorder?.message(direction, text, nowMs);
      options.onText?.(direction, text, nowMs);
    },
    onUpdate(update, place, isContinuous) {
      recorder?.fold(update, place, isContinuous);
      options.onUpdate?.(update, place, isContinuous);
    },
    onEvent(event) {
      recorder?.event(event);
      options.onEvent?.(event);
    },
  });
  recorder = createRecorder(session.store, options.clock);
  return { session, recorder };
}
