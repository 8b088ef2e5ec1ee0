// A scenario: what kind of exchange is simulated, as data: one of those in built-in.json, or a file of the same form.
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
    /** Time from one funding settlement to the next: a minute, where a real service takes hours. */
    funding_interval_ms: intervalMs.min(1000).default(60_000),
    /** Of the published owner: the first three are as docs/scenarios.md says, the others active. */
    subaccounts: z.int().min(3).max(1000).default(3),
    /** What happens is published in turns that are this far apart, at least. */
    turn_ms: z.int().min(1).max(1000).default(2),
    readings: interpretations.prefault({}),
    /** Times of all faults that have none of their own. */
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

/** A scenario, checked, with its defaults. */
export type Scenario = z.infer<typeof scenario>;

/** Names of the scenarios that come with the program, in the order of docs/scenarios.md. */
export const SCENARIO_NAMES = Object.keys(builtIn) as readonly (keyof typeof builtIn)[];

function takesTimes({ kind }: Fault): boolean {
  return "when" in FAULT_KINDS[kind].fields;
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/**
 * Checks a scenario.
 * @param source what an error names it by
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
 * What a scenario has besides its own fields when it extends a built-in one: `readings` and the markets of the same type
 * and id are completed, `faults` and other markets are added, everything else is replaced.
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
  both: (theirs: unknown, ours: unknown) => unknown,
): Fields {
  const [theirs, ours] = [base[field], own[field]];
  return theirs === undefined || ours === undefined ? {} : { [field]: both(theirs, ours) };
}

function addRows(theirs: unknown, ours: unknown): unknown {
  return Array.isArray(theirs) && Array.isArray(ours) ? [...theirs, ...ours] : ours;
}

function mergeMarkets(theirs: unknown, ours: unknown): unknown {
  if (!Array.isArray(theirs) || !Array.isArray(ours)) return ours;
  const isSame = (row: unknown, other: Fields) =>
    isFields(row) && row.type === other.type && row.id === other.id;
  const places = theirs.map((row) => ours.findIndex((each) => isSame(each, row)));
  const merged = theirs.map((row, i) => ({ ...row, ...ours[places[i] ?? -1] }));
  return [...merged, ...ours.filter((_, i) => !places.includes(i))];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Finds a scenario: a built-in one by name, or a file.
 * @param text of the file, where the name is the path of one
 * @throws {MonitorError} `no-scenario` when there is none of that name, `bad-scenario` when it does not fit
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

/** True for the path of a file: no scenario that is built in is written like one. */
export function isScenarioFile(nameOrPath: string): boolean {
  return /[./\\]/.test(nameOrPath);
}
