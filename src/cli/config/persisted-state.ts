// What persists between runs, in one small JSON file. Of values that two runs set, the last one written wins.

import { join } from "node:path";
import type { ChoiceValue } from "../../screen/choice.ts";
import { readJsonFile, writeJsonFile } from "../../system/json-file.ts";
import { isObject } from "../../wire/json.ts";
import type { Context } from "../context.ts";
import { folderOf } from "./config-location.ts";

export type PersistedState = ReturnType<typeof readState>;

const MAX_ALERTS = 200;
/** More than any exchange lists; a service that lists more must not fill the disk. */
const MAX_SYMBOLS = 2000;

/** In the platform's data folder. */
export function statePath(env: Context["env"]): string | undefined {
  const folder = folderOf("data", env);
  return folder && join(folder, "state.json");
}

/** A missing or broken file counts as empty, and so does what is not of its form. */
export function readState(path: string | undefined) {
  const saved = path === undefined ? {} : readJsonFile(path);
  const choices = Object.entries(isObject(saved.choices) ? saved.choices : {}).filter(
    (entry): entry is [string, ChoiceValue] =>
      ["string", "number", "boolean"].includes(typeof entry[1]),
  );
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return {
    /** What the user has set by keys, by the names of the choices. */
    choices: Object.fromEntries(choices),
    ...{ recent: texts(saved.recent), stars: texts(saved.stars) },
    /** Rules that were set on the screen and have yet to fire. */
    alerts: texts(saved.alerts).slice(0, MAX_ALERTS),
    /** Of the list of markets, for completion, which sends no requests. */
    symbols: texts(saved.symbols).slice(0, MAX_SYMBOLS),
  };
}

/** Adds it to what other runs have written. @returns why that could not be */
export function saveState(path: string, state: Partial<PersistedState>): string | undefined {
  return writeJsonFile(path, { ...readJsonFile(path), ...state });
}
