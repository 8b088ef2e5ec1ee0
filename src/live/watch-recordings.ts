// Recordings of the alerts of a watch. The last minutes are kept from when an alert is set that records; without one they
// cost nothing.
import type { Alert, AlertFiring } from "../alerts/alert-manager.ts";
import { RecordEffect } from "../alerts/record-effect.ts";
import type { Context } from "../args/context.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { FlightRecorder, FlightRecorderOptions } from "../timeline/flight-recorder.ts";
import { HistoryBuffer } from "../timeline/history-buffer.ts";
import type { StreamEvent } from "../wire/stream-event.ts";

/** Of many markets two minutes are more than of one: 240 updates a second. */
const MAX_BYTES = 48 * 1024 * 1024;

/** Makes a recorder; loaded when it is needed. */
export type OpenRecorder = (
  run: Pick<FlightRecorderOptions, "historyBuffer" | "scales" | "isMasked">,
) => Promise<FlightRecorder>;

export interface WatchRecordingsOptions {
  readonly context: Context;
  readonly store: Store;
  readonly scales: Scales;
  readonly openRecorder: OpenRecorder;
  readonly say: (words: string) => void;
}

/** In the place of a history buffer: the session gives it everything before the store has it. */
export class WatchRecordings {
  readonly #options: WatchRecordingsOptions;
  readonly #effect: RecordEffect;
  #historyBuffer: HistoryBuffer | undefined;
  #recorder: FlightRecorder | undefined;
  #said: string | undefined;

  constructor(options: WatchRecordingsOptions) {
    this.#options = options;
    this.#effect = new RecordEffect({
      clock: options.context.clock,
      recorder: () => this.#recorder,
      isMasked: this.#isMasked,
      onChange: ({ fault }) => this.#say(fault),
    });
  }

  event(event: StreamEvent): void {
    this.#historyBuffer?.event(event);
  }

  pass(nowMs: number): void {
    this.#historyBuffer?.pass(nowMs);
  }

  /** Keeps the last minutes from now on, where one of the alerts records. */
  follow(alerts: readonly Alert[]): void {
    if (this.#historyBuffer !== undefined || !alerts.some(({ record }) => record !== undefined)) {
      return;
    }
    const { context, store, scales, openRecorder } = this.#options;
    const { clock } = context;
    const historyBuffer = new HistoryBuffer({ live: store, clock, maxBytes: MAX_BYTES });
    this.#historyBuffer = historyBuffer;
    openRecorder({ historyBuffer, scales, isMasked: this.#isMasked }).then(
      (recorder) => {
        this.#recorder = recorder;
      },
      (error: Error) => this.#say(error.message),
    );
  }

  run(firing: AlertFiring): void {
    void this.#effect.run(firing);
  }

  /** True while what follows a firing is still being written. */
  get isWriting(): boolean {
    return this.#effect.isWriting;
  }

  /** Ends recordings with what there is. Never rejects. */
  async close(): Promise<void> {
    await this.#effect.settled();
    await this.#recorder?.close();
  }

  readonly #isMasked = () => this.#options.context.options.mask ?? false;

  #say(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#said)
      this.#options.say(`alert not recorded: ${fault}`);
    this.#said = fault;
  }
}
