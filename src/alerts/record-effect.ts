// Recordings by alerts (`record = "DIR"`): two minutes before a firing and one after. Firings whose periods overlap extend one
// file; nothing is added to a full folder, which is shown.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { formatMarket } from "../select/market.ts";
import { AFTER_MS, BEFORE_MS, formatFlightName, isFlightName } from "../timeline/flight-file.ts";
import type { Flight, FlightRecorder, FlightRequest } from "../timeline/flight-recorder.ts";
import type { Clock } from "../units/clock.ts";
import { errorText, ServiceError } from "../units/monitor-error.ts";
import type { AlertFiring } from "./alert-manager.ts";
import { formatFiring } from "./alert-rows.ts";

/** Limits per folder: number of recordings and total size. */
export const MAX_FILES = 20;
export const MAX_BYTES = 1_000_000_000;
const OWNERS_FOLDER = 0o700;
/** Another program may write to the folder in the same second. */
const MAX_NAMES = 100;

export interface FolderContent {
  readonly files: number;
  readonly bytes: number;
}

export interface RecordEffectOptions {
  readonly recorder: () => FlightRecorder | undefined;
  readonly clock: Clock;
  readonly isMasked: () => boolean;
  /** A recording has begun, ended or failed. */
  readonly onChange: (effect: RecordEffect) => void;
  /** @throws when the folder cannot be read or created */
  readonly look?: (folder: string) => FolderContent;
}

interface Running {
  untilMs: number;
  flight: Flight | undefined;
}

export class RecordEffect {
  readonly #options: RecordEffectOptions;
  /** The newest recording of each folder. */
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<Promise<void>>();
  /** Why the newest firing was not recorded, or not completely. */
  fault: string | undefined;
  flight: Flight | undefined;

  constructor(options: RecordEffectOptions) {
    this.#options = options;
  }

  /** True until the period after the newest firings is written. */
  get isWriting(): boolean {
    return [...this.#running.values()].some(({ flight }) => flight?.isWriting ?? true);
  }

  /** Resolves when every requested file exists or has failed. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Resolves when the file exists or has failed. Never rejects. */
  async run(firing: AlertFiring): Promise<void> {
    const { record } = firing.alert;
    if (record === undefined) return;
    const starting = this.#run(record, firing);
    this.#starting.add(starting);
    await starting;
    this.#starting.delete(starting);
  }

  async #run(record: string, firing: AlertFiring): Promise<void> {
    const folder = resolve(record.replace(/^~(?=\/|$)/, () => homedir()));
    const untilMs = this.#options.clock.now() + AFTER_MS;
    if (this.#extend(folder, untilMs)) return;
    const running: Running = { untilMs, flight: undefined };
    this.#running.set(folder, running);
    try {
      const flight = await this.#start(folder, firing);
      running.flight = flight;
      flight.extend(running.untilMs);
      this.flight = flight;
      this.#note(flight.failure?.message);
    } catch (error) {
      this.#running.delete(folder);
      this.#note(errorText(error));
    }
  }

  /** @returns false if no recording of the folder overlaps or can be extended */
  #extend(folder: string, untilMs: number): boolean {
    const running = this.#running.get(folder);
    if (running === undefined || untilMs - AFTER_MS - BEFORE_MS > running.untilMs) return false;
    if (running.flight?.extend(untilMs) === false) return false;
    running.untilMs = untilMs;
    return true;
  }

  async #start(folder: string, firing: AlertFiring): Promise<Flight> {
    const { isMasked, look = lookIntoFolder } = this.#options;
    const { files, bytes } = look(folder);
    if (files >= MAX_FILES || bytes >= MAX_BYTES) {
      const what = files >= MAX_FILES ? `${files} recordings` : "1 GB of recordings";
      throw new ServiceError("recording", `${folder} holds ${what}: none is added`);
    }
    const { subject } = firing.alert.rule;
    const market = "market" in subject ? formatMarket(subject.market) : undefined;
    const what = market ?? ("account" in subject ? "account" : "session");
    return this.#open(
      folder,
      (n) => formatFlightName(firing.atWallMs, n === 1 ? what : `${what}-${n}`),
      {
        beforeMs: BEFORE_MS,
        afterMs: AFTER_MS,
        lingerMs: BEFORE_MS,
        maxBytes: MAX_BYTES - bytes,
        cause: `alert: ${formatFiring(firing, isMasked())}`,
        market,
        onEnd: ({ failure }: Flight) => this.#note(failure?.message),
      },
    );
  }

  async #open(
    folder: string,
    nameOf: (n: number) => string,
    request: FlightRequest,
  ): Promise<Flight> {
    const recorder = this.#options.recorder();
    if (recorder === undefined) throw new Error("nothing is kept yet");
    for (let n = 1; ; n++) {
      try {
        return await recorder.start(join(folder, nameOf(n)), request);
      } catch (error) {
        if (n === MAX_NAMES || !errorText(error).endsWith("exists already")) throw error;
      }
    }
  }

  #note(fault: string | undefined): void {
    this.fault = fault;
    this.#options.onChange(this);
  }
}

/** Creates the last folder of the path if missing. @throws Node's errors */
export function lookIntoFolder(folder: string): FolderContent {
  try {
    mkdirSync(folder, { mode: OWNERS_FOLDER });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const names = readdirSync(folder).filter(isFlightName);
  const bytes = names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  return { files: names.length, bytes };
}

/** 0 for a file that was just removed. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
