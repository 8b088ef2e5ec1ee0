// What persists between runs, in one small JSON file. Of values that two runs set, the last one written wins.

import { join } from "node:path";
import type { GivenAlert } from "../../alerts/alert.ts";
import { selectListedMarkets } from "../../rows/market.ts";
import type { ChoiceValue } from "../../screen/choice.ts";
import type { Store } from "../../state/store.ts";
import { readJsonFile, writeJsonFile } from "../../system/json-file.ts";
import { isObject } from "../../wire/json.ts";
import type { Context } from "../context.ts";
import { folderOf } from "./config-location.ts";

const FILE_NAME = "state.json";

export interface PersistedState {
  /** Set in this run or an earlier one: untrusted. */
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  /** Adds what was set to what other runs have written. @returns why that could not be */
  save(): string | undefined;
}

/** In the platform's data folder. */
export function openPersistedState(env: Context["env"]): PersistedState | undefined {
  const folder = folderOf("data", env);
  return folder === undefined ? undefined : createPersistedState(join(folder, FILE_NAME));
}

/** A missing or broken file counts as empty. */
export function createPersistedState(path: string): PersistedState {
  const before = readJsonFile(path);
  const changed = new Map<string, unknown>();
  return {
    get: (name) => changed.get(name) ?? before[name],
    set: (name, value) => changed.set(name, value),
    save() {
      if (changed.size === 0) return undefined;
      return writeJsonFile(path, { ...readJsonFile(path), ...Object.fromEntries(changed) });
    },
  };
}

const MAX_ALERTS = 200;

type State = PersistedState | undefined;

/** What the user has set by keys, by the names of the choices. */
export function readChoices(state: State): Record<string, ChoiceValue> {
  const saved = state?.get("choices");
  const entries = Object.entries(isObject(saved) ? saved : {}).filter(
    (entry): entry is [string, ChoiceValue] =>
      ["string", "number", "boolean"].includes(typeof entry[1]),
  );
  return Object.fromEntries(entries);
}

/** More than any exchange lists; a service that lists more must not fill the disk. */
const MAX_SYMBOLS = 2000;

/** Keeps the symbols of the list of markets, if one was received, for completion, which sends no requests. */
export function persistSymbols(state: State, store: Store): void {
  const symbols = new Set(selectListedMarkets(store).flatMap(({ symbol }) => symbol ?? []));
  if (symbols.size > 0) state?.set("symbols", [...symbols].slice(0, MAX_SYMBOLS));
}

/** Alerts that were set on the screen and have yet to fire. */
export function readAlerts(state: State): readonly GivenAlert[] {
  const rules = readTexts(state?.get("alerts")).slice(0, MAX_ALERTS);
  return rules.map((when) => ({ when, isSetOnScreen: true }));
}

/** Only what is text. */
export function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
