// What every command starts with: the config file, read once, and the settings from options, environment and that file.

import { join } from "node:path";
import { createDialect, learn } from "../dialect/dialect.ts";
import { readLearned, writeLearned } from "../dialect/learned-file.ts";
import type { LearnedCursors } from "../listing/listing.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import type { Config } from "./config/config-keys.ts";
import {
  folderOf,
  holdsHeaders,
  locateConfig,
  readConfigText,
  readMode,
} from "./config/config-location.ts";
import { resolveSettings, type Settings } from "./config/settings.ts";
import type { Context } from "./context.ts";

/** A checked config file; `mode` is undefined if there is no file, which is no error. */
export interface FoundConfig {
  readonly config: Config;
  readonly path: string;
  readonly mode: { readonly digits: string; readonly isOpen: boolean } | undefined;
}

/** @throws {UsageError} when the config file, an address, a header or the profile is invalid */
export async function prepare(
  context: Context,
): Promise<{ readonly file: FoundConfig; readonly settings: Settings }> {
  const file = await findConfig(context);
  if (file.mode?.isOpen && holdsHeaders(file.config)) {
    // Other users of this machine could read the header secrets.
    const words = `${file.path} holds headers and can be read by others: chmod 600 it`;
    context.stderr.write(`monitor: ${visible(words)}\n`);
  }
  const settings = resolveSettings(context, file.config);
  return { file, settings };
}

/** @throws {UsageError} when the config file is invalid */
export async function findConfig(context: Context): Promise<FoundConfig> {
  const location = locateConfig(context);
  if (location === undefined) {
    context.stderr.write("monitor: there is no home folder: nothing is kept from run to run\n");
    return { config: {}, path: "(no home folder)", mode: undefined };
  }
  const { path } = location;
  const { clock, interrupt, options } = context;
  const text = await readConfigText(location, { clock, interrupt, timeoutMs: options.timeout });
  if (text === undefined) return { config: {}, path, mode: undefined };
  const { parseConfig } = await import("./config/config-file.ts");
  return { config: parseConfig(text, path), path, mode: await readMode(path) };
}

/** The root of the REST listings, for history and exports. @throws {UsageError} without an address */
export function requireBaseUrl({ baseUrl }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new UsageError(
    "no address of the listings is known",
    "give --base-url (or MONITOR_BASE_URL, or base_url in the config file), or try: monitor demo",
  );
}

/** The file of what was learned at each service; undefined on a machine that has no place for it. */
export function learnedPath({ env }: Pick<Context, "env">): string | undefined {
  const folder = folderOf("state", env);
  return folder && join(folder, "dialect.json");
}

/** Part of the dialect of this service: the points `cursor.trades` … */
export function learnedCursors(
  context: Pick<Context, "clock" | "env">,
  { wsUrl, baseUrl = "", pinned }: Pick<Settings, "wsUrl" | "baseUrl" | "pinned">,
): LearnedCursors {
  const path = learnedPath(context);
  const service = wsUrl ?? baseUrl;
  const dialect = createDialect(path === undefined ? {} : readLearned(path, service), pinned);
  return {
    of(kind) {
      const { value, source } = dialect[`cursor.${kind}`];
      return source === "assumed" ? undefined : value;
    },
    learn(kind, cursor) {
      const point = `cursor.${kind}` as const;
      const day = formatIsoMs(context.clock.wall()).slice(0, 10);
      if (path !== undefined && learn(dialect, point, cursor, day))
        writeLearned(path, service, { [point]: dialect[point] });
    },
  };
}
