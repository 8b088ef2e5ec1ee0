// Looks whether the config file has changed while the program runs, and takes it up when it is right.
import { statSync } from "node:fs";
import { type Clock, every } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { type Config, checkConfig, formatProblem } from "./config-file.ts";
import { type ConfigLocation, readConfigNow } from "./config-location.ts";
import { CONFIG_RULES } from "./config-rules.ts";

const LOOK_EVERY_MS = 1000;

/** Which file is watched, and who hears of it. */
export interface ConfigWatchOptions {
  readonly location: ConfigLocation;
  readonly clock: Clock;
  /** The file has changed and is right. */
  readonly onConfig: (config: Config) => void;
  /** The file has changed and has this problem: what was read before stays in force. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Starts to look, once a second: editors replace files, and no other way works everywhere. Returns its undo. Never
 * throws.
 */
export function watchConfig(options: ConfigWatchOptions): () => void {
  const { location, clock } = options;
  let seen = stampOf(location.path);
  return every(clock, LOOK_EVERY_MS, () => {
    const stamp = stampOf(location.path);
    if (stamp === seen) return;
    seen = stamp;
    take(options).catch((error: unknown) => options.onProblem(errorText(error)));
  });
}

async function take({ location, clock, onConfig, onProblem }: ConfigWatchOptions): Promise<void> {
  const read = await readConfigNow({ ...location, isNamed: false }, { clock });
  // A file that is gone counts as an empty one.
  const { config, problems } = checkConfig(read?.text ?? "", CONFIG_RULES);
  const [first] = problems;
  if (config !== undefined) onConfig(config);
  else if (first !== undefined) onProblem(formatProblem(location.path, first));
}

/** What changes whenever the file does, and never of a pipe; undefined where none can be looked at: reading it tells why. */
function stampOf(path: string): string | undefined {
  try {
    const facts = statSync(path, { bigint: true });
    return facts.isFile() ? `${facts.mtimeNs} ${facts.size} ${facts.ino}` : "no file";
  } catch {
    return undefined;
  }
}
