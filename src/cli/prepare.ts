// What every command starts with: the config file, read once, and the settings from options, environment and that file.

import { join } from "node:path";
import { createDialect, learn } from "../dialect/dialect.ts";
import { readLearned, writeLearned } from "../dialect/learned-file.ts";
import type { LearnedCursors } from "../listing/listing.ts";
import { RestClient, type RestOptions } from "../listing/rest-client.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import type { Config } from "./config/config-keys.ts";
import { configPath, folderOf, openHeaders, readConfigText } from "./config/config-location.ts";
import { resolveSettings, type Settings } from "./config/settings.ts";
import type { Context } from "./context.ts";

/** A command with its settings. */
export interface Task extends Context {
  readonly settings: Settings;
}

/** A checked config file. */
export interface FoundConfig {
  readonly config: Config;
  readonly path: string;
  readonly isThere: boolean;
  /** Others can read its headers. */
  readonly fault?: string | undefined;
}

/** @throws {UsageError} when the config file, an address, a header or the profile is invalid */
export async function prepare(context: Context): Promise<Task & { readonly file: FoundConfig }> {
  const file = await findConfig(context);
  if (file.fault !== undefined) context.stderr.write(`monitor: ${visible(file.fault)}\n`);
  return { ...context, file, settings: resolveSettings(context, file.config) };
}

/** @throws {UsageError} when the config file is invalid */
export async function findConfig(context: Context): Promise<FoundConfig> {
  const path = configPath(context);
  if (path === undefined) {
    context.stderr.write("monitor: there is no home folder: nothing is kept from run to run\n");
    return { config: {}, path: "(no home folder)", isThere: false };
  }
  const text = await readConfigText(path, context);
  if (text === undefined) return { config: {}, path, isThere: false };
  const { parseConfig } = await import("./config/config-file.ts");
  const config = parseConfig(text, path);
  return { config, path, isThere: true, fault: await openHeaders(path, config) };
}

/** The root of the REST listings, for history and exports. @throws {UsageError} without an address */
export function requireBaseUrl({ settings }: Task): string {
  if (settings.baseUrl !== undefined) return settings.baseUrl;
  throw new UsageError(
    "no address of the listings is known",
    "give --base-url (or MONITOR_BASE_URL, or base_url in the config file), or try: monitor demo",
  );
}

/** A client of the listings; it must be closed. @throws {UsageError} without their address */
export function openClient(task: Task, more: Partial<RestOptions> = {}): RestClient {
  const { clock, random, settings } = task;
  const { headers } = settings;
  return new RestClient({ baseUrl: requireBaseUrl(task), headers, clock, random, ...more });
}

/** The file of what was learned at each service; undefined where there is no place for it, and for the simulated exchange. */
export function learnedPath({ env, settings }: Task): string | undefined {
  const folder = settings.isSimulated ? undefined : folderOf("state", env);
  return folder && join(folder, "dialect.json");
}

/** Where fills are kept. */
export function fillsFolder({ env, settings }: Task): string | undefined {
  const folder = settings.isSimulated ? undefined : folderOf("data", env);
  return folder && join(folder, "fills");
}

/** Part of the dialect of this service: the points `cursor.trades` … */
export function learnedCursors(task: Task): LearnedCursors {
  const { wsUrl, baseUrl = "", pinned } = task.settings;
  const path = learnedPath(task);
  const service = wsUrl ?? baseUrl;
  const dialect = createDialect(path === undefined ? {} : readLearned(path, service), pinned);
  return {
    of(kind) {
      const { value, source } = dialect[`cursor.${kind}`];
      return source === "assumed" ? undefined : value;
    },
    learn(kind, cursor) {
      const point = `cursor.${kind}` as const;
      const day = formatIsoMs(task.clock.wall()).slice(0, 10);
      if (path !== undefined && learn(dialect, point, cursor, day))
        writeLearned(path, service, { [point]: dialect[point] });
    },
  };
}
