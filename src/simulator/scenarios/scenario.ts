// A scenario: what kind of exchange is simulated, as data. Built-in ones are JSON files beside this one.
import * as z from "zod";
import { parseJson } from "../../wire/json.ts";
import { firstIssue } from "../../wire/rejection.ts";
import { fault } from "../faults/fault-kinds.ts";
import { SimulatorError } from "../simulator-error.ts";
import { BUILT_IN } from "./built-in.ts";
import { marketSetup } from "./market-setup.ts";
import { readings } from "./readings.ts";

const MAX_MARKETS = 20;
const defaultMarkets = BUILT_IN.steady.markets as z.input<typeof marketSetup>[];
const intervalMs = z.int().max(86_400_000);

const scenario = z
  .strictObject({
    name: z.string().min(1).max(64),
    description: z.string().max(500),
    markets: z
      .array(marketSetup)
      .min(1)
      .max(MAX_MARKETS)
      .prefault(() => defaultMarkets),
    /** Time from one mark price to the next. */
    mark_interval_ms: intervalMs.min(10).default(1000),
    /** Time from one funding settlement to the next: a minute, where a real service takes hours. */
    funding_interval_ms: intervalMs.min(1000).default(60_000),
    /** What happens is published in turns that are this far apart, at least. */
    turn_ms: z.int().min(1).max(1000).default(2),
    readings: readings.prefault({}),
    faults: z.array(fault).max(100).default([]),
  })
  .refine(({ markets }) => areDistinct(markets.map(({ type, id }) => `${type}/${id}`)), {
    message: "two markets of one type and id",
    path: ["markets"],
  })
  .refine(
    ({ markets }) =>
      areDistinct(markets.filter(({ type }) => type === "spot").map((market) => market.base_asset)),
    { message: "two spot markets of one base asset", path: ["markets"] },
  )
  .refine(({ markets }) => new Set(markets.map((market) => market.quote_asset)).size === 1, {
    message: "markets of different quote assets",
    path: ["markets"],
  });

/** A scenario, checked, with its defaults. */
export type Scenario = z.infer<typeof scenario>;

/** Names of the scenarios that come with the program, in the order of docs/scenarios.md. */
export const SCENARIO_NAMES = Object.keys(BUILT_IN) as readonly (keyof typeof BUILT_IN)[];

/**
 * Checks a scenario.
 * @param source what an error names it by
 * @throws {SimulatorError} `bad-scenario`, one line with the first fault and its place
 */
export function decodeScenario(value: unknown, source: string): Scenario {
  const { success, data, error } = scenario.safeParse(value);
  if (success) return data;
  const { path, detail } = firstIssue(error);
  const place = path === "" ? "" : `${path}: `;
  throw new SimulatorError("bad-scenario", `scenario ${source}: ${place}${detail}`);
}

/**
 * Finds a scenario: a built-in one by name, or a file.
 * @param readFile reads a file that the user named; its errors are passed on as the cause
 * @throws {SimulatorError} `no-scenario` when there is none of that name, `bad-scenario` when it does not fit
 */
export function loadScenario(
  nameOrPath: string,
  readFile: (path: string) => string = refuseFiles,
): Scenario {
  if (Object.hasOwn(BUILT_IN, nameOrPath)) {
    return decodeScenario(BUILT_IN[nameOrPath as keyof typeof BUILT_IN], nameOrPath);
  }
  if (!isScenarioFile(nameOrPath)) throw unknownScenario(nameOrPath);
  let text: string;
  try {
    text = readFile(nameOrPath);
  } catch (cause) {
    throw new SimulatorError("no-scenario", `scenario ${nameOrPath} cannot be read`, { cause });
  }
  const value = parseJson(text);
  if (value === undefined) {
    throw new SimulatorError("bad-scenario", `scenario ${nameOrPath}: not JSON`);
  }
  return decodeScenario(value, nameOrPath);
}

/** True for the path of a file: no scenario that is built in is written like one. Never throws. */
export function isScenarioFile(nameOrPath: string): boolean {
  return /[./\\]/.test(nameOrPath);
}

function unknownScenario(name: string): SimulatorError {
  const names = SCENARIO_NAMES.join(", ");
  return new SimulatorError(
    "no-scenario",
    `no scenario "${name}": one of ${names}, or the path of a JSON file`,
  );
}

function refuseFiles(): never {
  throw new Error("no file reader was given");
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
