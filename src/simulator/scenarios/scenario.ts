// A scenario describes the simulated exchange as data: one of built-in.json, or a file of the same form.
import * as z from "zod";
import { MonitorError } from "../../units/monitor-error.ts";
import { parseJson } from "../../wire/json.ts";
import { firstIssue } from "../../wire/rejection.ts";
import { when } from "../faults/fault.ts";
import { FAULT_KINDS, type Fault, fault } from "../faults/fault-kinds.ts";
import builtIn from "./built-in.json" with { type: "json" };
import { interpretations } from "./interpretations.ts";
import { marketSpec } from "./market-spec.ts";

const MAX_MARKETS = 20;
const defaultMarkets = builtIn.steady.markets as z.input<typeof marketSpec>[];
const intervalMs = z.int().max(86_400_000);

const scenario = z
  .strictObject({
    name: z.string().min(1).max(64),
    description: z.string().max(500),
    markets: z
      .array(marketSpec)
      .min(1)
      .max(MAX_MARKETS)
      .prefault(() => defaultMarkets),
    mark_interval_ms: intervalMs.min(10).default(1000),
    /** Interval between funding settlements: a minute, where a real service takes hours. */
    funding_interval_ms: intervalMs.min(1000).default(60_000),
    /** Subaccounts of the published owner: the first three as in docs/scenarios.md, the others active. */
    subaccounts: z.int().min(3).max(1000).default(3),
    /** Minimum interval between turns, in which pending acts run and are published. */
    turn_ms: z.int().min(1).max(1000).default(2),
    readings: interpretations.prefault({}),
    /** Applies to all faults that have no times of their own. */
    when,
    faults: z.array(fault).max(100).default([]),
  })
  .refine(({ markets }) => areDistinct(markets.map(({ type, id }) => `${type}/${id}`)), {
    message: "two markets of one type and id",
    path: ["markets"],
  })
  .refine(
    ({ markets }) =>
      areDistinct(markets.filter(({ type }) => type === "spot").map((market) => market.baseAsset)),
    { message: "two spot markets of one base asset", path: ["markets"] },
  )
  .refine(({ markets }) => new Set(markets.map((market) => market.quoteAsset)).size === 1, {
    message: "markets of different quote assets",
    path: ["markets"],
  })
  .transform(({ when: times, faults, readings, ...rest }) => ({
    ...rest,
    interpretations: readings,
    faults: faults.map((each): Fault => (takesTimes(each) ? { when: times, ...each } : each)),
  }));

/** A checked scenario, with defaults applied. */
export type Scenario = z.infer<typeof scenario>;

/** Names of the built-in scenarios, in the order of docs/scenarios.md. */
export const SCENARIO_NAMES = Object.keys(builtIn) as readonly (keyof typeof builtIn)[];

function takesTimes({ kind }: Fault): boolean {
  return "when" in FAULT_KINDS[kind].fields;
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/**
 * Checks a scenario.
 * @param source its name in error messages
 * @throws {MonitorError} `bad-scenario`, one line with the first fault and its place
 */
export function decodeScenario(value: unknown, source: string): Scenario {
  const { success, data, error } = scenario.safeParse(inherit(value, source));
  if (success) return data;
  const { path, detail } = firstIssue(error);
  const place = path === "" ? "" : `${path}: `;
  throw badScenario(`${source}: ${place}${detail}`);
}

function badScenario(problem: string): MonitorError {
  const advice = "see docs/scenarios.md";
  return new MonitorError("bad-scenario", "usage", `scenario ${problem}`, { advice });
}

export function noScenario(message: string, cause?: unknown): MonitorError {
  const advice = "expected: --scenario NAME, or the path of a scenario file";
  return new MonitorError("no-scenario", "usage", message, { advice, cause });
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Merges a scenario with the built-in one that it extends: `readings` and markets of the same type and id are merged, `faults`
 * and other markets are appended, everything else is replaced.
 */
function inherit(value: unknown, source: string): unknown {
  if (!isFields(value) || value.extends === undefined) return value;
  const { extends: name, ...own } = value;
  if (typeof name !== "string" || !Object.hasOwn(builtIn, name)) {
    const names = SCENARIO_NAMES.join(", ");
    throw badScenario(`${source}: extends: one of ${names}`);
  }
  const { description: _, ...base } = inherit(
    builtIn[name as keyof typeof builtIn],
    name,
  ) as Fields;
  return {
    ...base,
    ...own,
    ...combine(base, own, "readings", (theirs, ours) =>
      isFields(theirs) && isFields(ours) ? { ...theirs, ...ours } : ours,
    ),
    ...combine(base, own, "faults", addRows),
    ...combine({ markets: defaultMarkets, ...base }, own, "markets", mergeMarkets),
  };
}

function combine(
  base: Fields,
  own: Fields,
  field: string,
  merge: (theirs: unknown, ours: unknown) => unknown,
): Fields {
  const [theirs, ours] = [base[field], own[field]];
  return theirs === undefined || ours === undefined ? {} : { [field]: merge(theirs, ours) };
}

function addRows(theirs: unknown, ours: unknown): unknown {
  return Array.isArray(theirs) && Array.isArray(ours) ? [...theirs, ...ours] : ours;
}

function mergeMarkets(theirs: unknown, ours: unknown): unknown {
  if (!Array.isArray(theirs) || !Array.isArray(ours)) return ours;
  const isSame = (row: unknown, other: Fields) =>
    isFields(row) && row.type === other.type && row.id === other.id;
  const positions = theirs.map((row) => ours.findIndex((each) => isSame(each, row)));
  const merged = theirs.map((row, i) => ({ ...row, ...ours[positions[i] ?? -1] }));
  return [...merged, ...ours.filter((_, i) => !positions.includes(i))];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Finds a scenario: a built-in one by name, or a file.
 * @param text content of the file, if the name is a path
 * @throws {MonitorError} `no-scenario` if there is none of that name, `bad-scenario` if it is invalid
 */
export function loadScenario(nameOrPath: string, text = ""): Scenario {
  if (Object.hasOwn(builtIn, nameOrPath)) {
    const fields = builtIn[nameOrPath as keyof typeof builtIn];
    return decodeScenario({ name: nameOrPath, ...fields }, nameOrPath);
  }
  if (!isScenarioFile(nameOrPath)) {
    const names = SCENARIO_NAMES.join(", ");
    throw noScenario(`no scenario "${nameOrPath}": one of ${names}, or the path of a JSON file`);
  }
  const value = parseJson(text);
  if (value === undefined) throw badScenario(`${nameOrPath}: not JSON`);
  return decodeScenario(value, nameOrPath);
}

/** True for the path of a file: names of built-in scenarios contain none of these characters. */
export function isScenarioFile(nameOrPath: string): boolean {
  return /[./\\]/.test(nameOrPath);
}
