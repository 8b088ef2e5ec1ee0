// A config file that changes while the program runs.
import { statSync } from "node:fs";
import { type Clock, every } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { type Config, type ConfigRule, checkConfig, formatProblem } from "./config-file.ts";
import { type ConfigLocation, readConfigText } from "./config-location.ts";

const LOOK_EVERY_MS = 1000;

interface ConfigWatchOptions {
  readonly location: ConfigLocation;
  readonly clock: Clock;
  readonly rules: readonly ConfigRule[];
  /** A file that is gone is a problem; else it counts as an empty one. */
  readonly isNeeded: boolean;
  /** The file has changed, and is right. */
  readonly onConfig: (config: Config) => void;
  /** It has changed, and cannot be taken up: in words. */
  readonly onProblem: (words: string) => void;
}

/** Looks once a second: editors replace files, and no other way works everywhere. Returns its undo. */
export function watchConfig(options: ConfigWatchOptions): () => void {
  const { location, clock, rules, isNeeded, onConfig, onProblem } = options;
  const { path } = location;
  const take = (text: string | undefined) => {
    if (text === undefined && isNeeded) return onProblem(`${path} is gone`);
    const { config, problems } = checkConfig(text ?? "", rules);
    const [first] = problems;
    if (config !== undefined) onConfig(config);
    else if (first !== undefined) onProblem(formatProblem(path, first));
  };
  let seen = readStamp(path);
  return every(clock, LOOK_EVERY_MS, () => {
    const stamp = readStamp(path);
    if (stamp === seen) return;
    seen = stamp;
    // What was written meanwhile is read at the next look; a part of it, or what was there before, says nothing.
    const isStill = () => readStamp(path) === stamp;
    readConfigText({ path, isNamed: false }, { clock })
      .then((text) => isStill() && take(text))
      .catch((error) => isStill() && onProblem(errorText(error)));
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
