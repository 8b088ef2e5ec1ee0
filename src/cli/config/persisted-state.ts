// State that persists between runs, in one small JSON file. If two runs set the same value, the last write wins; other values of both
// are kept, unless both save at the same moment.

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  marketName as formatMarket,
  type MarketRef as Market,
  readMarketName,
  selectListedMarkets,
} from "../../rows/market.ts";
import type { Store } from "../../state/store.ts";
import { resolveOutputPath } from "../../system/named-file.ts";
import { makeOwnersFolder } from "../../system/own-file.ts";
import type { Clock } from "../../units/clock.ts";
import { areSame } from "../../units/memo.ts";
import { getMembers, isObject } from "../../wire/json.ts";
import { dataFolder } from "./config-location.ts";

const FILE_NAME = "state.json";
/** Delay during which changes are collected into one write. */
const SAVE_AFTER_MS = 500;
/** Symbols and alerts take about 100 KiB. */
const MAX_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;
/** O_NONBLOCK: do not block on a pipe without a writer. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Values by name, written half a second after a change, and on `save`. */
export class PersistedState {
  readonly #path: string;
  readonly #clock: Clock;
  #values: Readonly<Record<string, unknown>>;
  readonly #changed = new Map<string, unknown>();
  #cancel: (() => void) | undefined;

  /** Reads the file; a missing or broken one counts as empty. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#values = readValues(path) ?? {};
  }

  /** The last value, set in this run or an earlier one: untrusted. */
  get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  set(name: string, value: unknown): void {
    this.#values = { ...this.#values, [name]: value };
    this.#changed.set(name, value);
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => this.save());
  }

  /** Writes the changes, merged with what other runs have written since. Failing to write is not an error: the next save retries. */
  save(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#changed.size === 0) return;
    try {
      makeOwnersFolder(dirname(this.#path));
      const { kind, path } = resolveOutputPath(this.#path, "");
      if (kind !== "file") return;
      const there = readValues(path) ?? this.#values;
      replaceFile(path, { ...there, ...Object.fromEntries(this.#changed) });
      this.#changed.clear();
    } catch {}
  }
}

function replaceFile(path: string, values: object): void {
  // Unique to this process: another one may be saving, too.
  const part = `${path}.${process.pid}.part`;
  // Created anew, so that an existing file or link is not written through.
  rmSync(part, { force: true });
  try {
    writeFileSync(part, `${JSON.stringify(values)}\n`, { mode: OWNER_ONLY, flag: "wx" });
    renameSync(part, path);
  } catch (error) {
    // A full disk leaves an incomplete file.
    rmSync(part, { force: true });
    throw error;
  }
}

/** Opens the file in the platform's data folder. */
export async function openPersistedState(clock: Clock): Promise<PersistedState> {
  return new PersistedState(join(await dataFolder(), FILE_NAME), clock);
}

/** @returns undefined if the file is missing or broken */
function readValues(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const values: unknown = JSON.parse(readText(path));
    return isObject(values) ? { ...values } : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const facts = fstatSync(fd);
    // A device has no end.
    if (!facts.isFile() || facts.size > MAX_BYTES) return "";
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

const HISTORY = "history";

/** Palette input of earlier runs, newest first. */
export function readHistory(state: PersistedState | undefined): readonly string[] {
  return readTexts(state?.get(HISTORY));
}

/** @param lines newest first */
export function persistHistory(state: PersistedState | undefined, lines: readonly string[]): void {
  const isNew = lines.length > 0 && lines.join("\n") !== readHistory(state).join("\n");
  if (isNew) state?.set(HISTORY, lines);
}

const SYMBOLS = "symbols";
/** More than any exchange lists; a service that lists more must not fill the disk. */
const MAX_SYMBOLS = 2000;
/** Safe in a shell: the text comes from the service and is used by completion. */
const SAFE = /^[\w./-]{1,40}$/;

/** Persists the symbols of the list of markets, if one was received, for completion, which sends no requests. */
export function persistSymbols(state: PersistedState | undefined, store: Store): void {
  const symbols = selectListedMarkets(store).flatMap(({ symbol = "" }) =>
    SAFE.test(symbol) ? [symbol] : [],
  );
  if (symbols.length > 0) state?.set(SYMBOLS, [...new Set(symbols)].slice(0, MAX_SYMBOLS));
}

/** Checked again: the file is untrusted. */
export function readSymbols(state: Pick<PersistedState, "get">): readonly string[] {
  return readTexts(state.get(SYMBOLS))
    .filter((symbol) => SAFE.test(symbol))
    .slice(0, MAX_SYMBOLS);
}

const WATCHLIST = "watchlist";

type State = Pick<PersistedState, "get" | "set"> | undefined;

/**
 * The watched markets: as the user left them, unless the watchlist of the config file has changed since. Persisted data is
 * untrusted.
 * @param configured names of the config file, as written there
 */
export function readWatchlist(state: State, configured: readonly string[]): readonly Market[] {
  const { configured: before, markets } = getMembers(state?.get(WATCHLIST));
  const isCurrent = Array.isArray(markets) && areSame(readTexts(before), configured);
  const names = isCurrent ? readTexts(markets) : configured;
  return names.flatMap((name) => readMarketName(name) ?? []);
}

export function persistWatchlist(
  state: State,
  configured: readonly string[],
  markets: readonly Market[],
): void {
  state?.set(WATCHLIST, { configured, markets: markets.map(formatMarket) });
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
