// A config file that changes while the program runs.
import { statSync } from "node:fs";
import { type Clock, every } from "../units/clock.ts";
import { type ConfigLocation, readConfigText } from "./config-location.ts";

const LOOK_EVERY_MS = 1000;

interface ConfigWatchOptions {
  readonly location: ConfigLocation;
  readonly clock: Clock;
  /** The file has changed, to this; undefined where it is gone. */
  readonly onText: (text: string | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Looks once a second: editors replace files, and no other way works everywhere. Returns its undo. */
export function watchConfig({
  location,
  clock,
  onText,
  onFailure,
}: ConfigWatchOptions): () => void {
  let seen = readStamp(location.path);
  return every(clock, LOOK_EVERY_MS, () => {
    const stamp = readStamp(location.path);
    if (stamp === seen) return;
    seen = stamp;
    readConfigText({ ...location, isNamed: false }, { clock })
      .then(onText)
      .catch(onFailure);
  });
}

/** What changes whenever the file does, and never of a pipe; undefined where none can be looked at: reading it shows why. */
function readStamp(path: string): string | undefined {
  try {
    const facts = statSync(path, { bigint: true });
    return facts.isFile() ? `${facts.mtimeNs} ${facts.size} ${facts.ino}` : "no file";
  } catch {
    return undefined;
  }
}
