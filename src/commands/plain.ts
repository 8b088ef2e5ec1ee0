// Whether a command draws a screen or prints lines of words, and why.

import type { Context } from "../args/context.ts";
import { UsageError } from "../units/monitor-error.ts";

type Asked = Pick<Context, "options" | "env" | "stdout">;

/** Values of INK_SCREEN_READER that mean no. */
const OFF = new Set([undefined, "", "0", "false"]);

/**
 * True when lines are to be printed although there may be a terminal: asked for, or one value or one page is. Never
 * throws.
 */
export function isHeadless({ options, env, stdout }: Asked): boolean {
  const { once, for: forMs, json, plain } = options;
  const isPlain = plain === true || !OFF.has(env.INK_SCREEN_READER);
  return isPlain || once === true || json === true || forMs !== undefined || stdout.isTTY !== true;
}

/** @throws {UsageError} when alerts are asked for: lines and pages have nothing that would tell of one */
export function refuseAlerts({ options }: Pick<Context, "options">): void {
  if (options.alert === undefined) return;
  throw new UsageError(
    "--alert needs the screen",
    "leave out --once, --for, --json and --plain, on a terminal",
  );
}

/** @throws {UsageError} when the terminal cannot show a screen, or is to show one of no lines */
export function requireScreen({ env, options }: Pick<Context, "env" | "options">): void {
  if (options.inline === 0) {
    throw new UsageError("--inline 0 shows nothing", "expected: --inline N (1 or more lines)");
  }
  if (env.TERM !== "dumb") return;
  throw new UsageError(
    "this terminal cannot show a screen (TERM=dumb)",
    "give --plain: lines of words instead; or --once, or --for",
  );
}

/**
 * JSON carries what the service sent, letter by letter: nothing can be hidden in it.
 * @throws {UsageError} when something is to be hidden in it
 */
export function refuseMaskedJson({ options }: Pick<Context, "options">): void {
  if (!options.json || !options.mask) return;
  throw new UsageError(
    "--json carries records as they came, and --mask would hide parts of them",
    "leave one of them out",
  );
}
