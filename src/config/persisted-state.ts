// What is persisted between runs, in one small JSON file: alerts of the screen, layouts, what was typed in the palette, watched
// markets, symbols. Of two runs that set the same value, the one that writes last counts.

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
import { formatMarket, type Market, readMarketName, selectStat } from "../select/market.ts";
import type { Store } from "../state/store.ts";
import { resolveNamed } from "../system/named-file.ts";
import { makeOwnersFolder } from "../system/own-file.ts";
import type { Clock } from "../units/clock.ts";
import { areSame } from "../units/remembered.ts";
import { getMembers, isObject } from "../wire/json.ts";
import { dataFolder } from "./config-location.ts";

const FILE_NAME = "state.json";
/** Changes are gathered for this long. */
const SAVE_AFTER_MS = 500;
/** Symbols, alerts and layouts have some 100 KiB. */
const MAX_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;
/** A pipe that nobody writes to is not waited for. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

type Values = Readonly<Record<string, unknown>>;

/** Values by name, written half a second after a change and when asked to. */
export class PersistedState {
  readonly #path: string;
  readonly #clock: Clock;
  #values: Values;
  /** Set, and not yet written. */
  readonly #changed = new Map<string, unknown>();
  #cancel: (() => void) | undefined;

  /** Reads the file; one that is missing or broken counts as empty. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#values = readValues(path) ?? {};
  }

  /** As it was set last, in this run or an earlier one: untrusted. */
  get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  set(name: string, value: unknown): void {
    this.#values = { ...this.#values, [name]: value };
    this.#changed.set(name, value);
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => this.save());
  }

  /** Writes what was set, beside what other runs have written meanwhile. A file that cannot be written is no error. */
  save(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    const there = readValues(this.#path) ?? this.#values;
    this.#write({ ...there, ...Object.fromEntries(this.#changed) });
    this.#changed.clear();
  }

  #write(values: Values): void {
    try {
      makeOwnersFolder(dirname(this.#path));
      // Of this process alone: another one may be writing at this moment, too.
      const { kind, path } = resolveNamed(this.#path, "");
      if (kind !== "file") return;
      const part = `${path}.${process.pid}.part`;
      // Made anew: whatever stands there is not written through.
      rmSync(part, { force: true });
      writeFileSync(part, `${JSON.stringify(values)}\n`, { mode: OWNER_ONLY, flag: "wx" });
      renameSync(part, path);
    } catch {}
  }
}

/** Opens the file in the platform's data folder. */
export async function openPersistedState(clock: Clock): Promise<PersistedState> {
  return new PersistedState(join(await dataFolder(), FILE_NAME), clock);
}

/** @returns undefined when the file is missing or broken. */
function readValues(path: string): Values | undefined {
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

/** Lines that were typed in the palette in earlier runs, the newest first. */
export function readHistory(state: PersistedState | undefined): readonly string[] {
  const lines = state?.get(HISTORY);
  return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
}

/** @param lines the newest first */
export function persistHistory(state: PersistedState | undefined, lines: readonly string[]): void {
  const isNew = lines.length > 0 && lines.join("\n") !== readHistory(state).join("\n");
  if (isNew) state?.set(HISTORY, lines);
}

const SYMBOLS = "symbols";
/** More than any exchange lists; a service that lists more must not fill the disk. */
const MAX_SYMBOLS = 2000;
/** What no shell takes apart: the text is the service's, and goes into one. */
const SAFE = /^[\w./-]{1,40}$/;

/** Persists the symbols of the list of markets, if one has come. For completion: nothing is asked while the user types. */
export function persistSymbols(state: PersistedState | undefined, store: Store): void {
  const { records } = store.slice("markets", "markets").data;
  const symbols = records.flatMap((record) => {
    const symbol = selectStat(record, "symbol", store.aliases) ?? "";
    return SAFE.test(symbol) ? [symbol] : [];
  });
  if (symbols.length > 0) state?.set(SYMBOLS, [...new Set(symbols)].slice(0, MAX_SYMBOLS));
}

/** From a file that anybody may have changed. */
export function readSymbols(state: Pick<PersistedState, "get">): readonly string[] {
  const symbols = state.get(SYMBOLS);
  if (!Array.isArray(symbols)) return [];
  return symbols
    .filter((symbol): symbol is string => typeof symbol === "string" && SAFE.test(symbol))
    .slice(0, MAX_SYMBOLS);
}

const WATCHLIST = "watchlist";

/** The watched markets: as the user left them, for as long as the config file says what it said then. */
export class PersistedWatchlist {
  readonly #state: Pick<PersistedState, "get" | "set"> | undefined;
  readonly #configured: readonly string[];

  /** @param configured names of the config file, as they stand there */
  constructor(
    state: Pick<PersistedState, "get" | "set"> | undefined,
    configured: readonly string[],
  ) {
    this.#state = state;
    this.#configured = configured;
  }

  /** The markets to begin with. What was persisted is untrusted: what is no market is left out. */
  get markets(): readonly Market[] {
    const { configured, markets } = readWatchlist(this.#state?.get(WATCHLIST));
    const isCurrent = markets !== undefined && areSame(configured ?? [], this.#configured);
    return (isCurrent ? markets : this.#configured).flatMap((name) => readMarketName(name) ?? []);
  }

  /** The user watches these from now on. */
  persist(markets: readonly Market[]): void {
    const value = { configured: this.#configured, markets: markets.map(formatMarket) };
    this.#state?.set(WATCHLIST, value);
  }
}

interface WatchlistValue {
  readonly configured?: readonly string[] | undefined;
  readonly markets?: readonly string[] | undefined;
}

function readWatchlist(value: unknown): WatchlistValue {
  const { configured, markets } = getMembers(value);
  return { configured: names(configured), markets: names(markets) };
}

function names(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
