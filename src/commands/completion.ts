// monitor completion bash|zsh|fish: a script for the shell. The scripts ask it for markets and profiles.

import { type Context, EXIT } from "../args/context.ts";
import { openPersistedState, readSymbols } from "../config/persisted-state.ts";
import { UsageError } from "../units/monitor-error.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "./completion-scripts.ts";
import { findConfig } from "./prepare.ts";

const SCRIPTS: Readonly<Record<string, (context: Context) => Promise<string>>> = {
  bash: async () => bashCompletion(),
  zsh: async () => zshCompletion(),
  fish: async () => fishCompletion(),
  markets,
  profiles,
};

/** What a market is written like where the config names none. */
const FORMS = ["perp/1", "spot/1"];

/**
 * Answers the exit code.
 * @throws {UsageError} when there is no such shell, or the config file is wrong
 */
export async function run(context: Context): Promise<number> {
  const [word = ""] = context.args;
  const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  if (script === undefined) {
    throw new UsageError(`no completion for ${word}`, "expected: bash, zsh or fish");
  }
  context.stdout.write(await script(context));
  return EXIT.done;
}

/** Markets that the config file names and those of the last run: nothing is asked of the service while the user types. */
async function markets(context: Context): Promise<string> {
  const { aliases = {}, markets: known = {} } = (await findConfig(context)).config;
  const symbols = readSymbols(await openPersistedState(context.clock));
  const names = [...Object.keys(aliases), ...Object.keys(known), ...symbols, ...FORMS];
  return lines([...new Set(names)]);
}

async function profiles(context: Context): Promise<string> {
  return lines(Object.keys((await findConfig(context)).config.profiles ?? {}));
}

/** Names with anything that a shell would take apart are left out. */
function lines(names: readonly string[]): string {
  return names
    .filter((name) => /^[\w./-]+$/.test(name))
    .map((name) => `${name}\n`)
    .join("");
}
