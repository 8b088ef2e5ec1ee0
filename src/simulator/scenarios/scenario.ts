// A scenario describes the simulated exchange as data: a built-in one, or a file of the same form.
import * as z from "zod";
import { MonitorError } from "../../units/monitor-error.ts";
import { parseJson } from "../../wire/json.ts";
import { fault } from "../faults/fault.ts";
import { BUILT_IN, DEFAULT_MARKETS } from "./built-in.ts";
import { marketSpec } from "./market-spec.ts";

const MAX_MARKETS = 20;
const intervalMs = z.int().max(86_400_000);

/** How the service fills what the interface document leaves open. The defaults are what the monitor assumes. */
const readings = z.strictObject({
  /** Order book frames after the first: changed levels with their new size, 0 for removed ones, or all levels. */
  book: z.enum(["delta", "whole"]).default("delta"),
  /** Past trades in the first trades frame; with 0, the first frame is sent with the first new trade. */
  trades_backlog: z.int().min(0).max(1000).default(50),
  /** `chained`: each frame names its transaction and that of the frame before; `null`: none does. */
  sequences: z.enum(["chained", "null"]).default("chained"),
  /** Account frames after the first: changed rows, or all rows. Fills and payments are always new ones only. */
  account_lists: z.enum(["changed-rows", "everything"]).default("changed-rows"),
  /** What `before` is compared with (interface 4.2 to 4.4). */
  cursor: z.enum(["transaction", "id", "timestamp"]).default("transaction"),
  rest_prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "a path such as /v1, without a slash at its end")
    .default(""),
});
export type Readings = z.infer<typeof readings>;

const scenario = z
  .strictObject({
    name: z.string().min(1).max(64),
    description: z.string().max(500),
    markets: z
      .array(marketSpec)
      .min(1)
      .max(MAX_MARKETS)
      .prefault(() => DEFAULT_MARKETS as z.input<typeof marketSpec>[]),
    mark_interval_ms: intervalMs.min(10).default(1000),
    /** Interval between funding settlements: a minute, where a real service takes hours. */
    funding_interval_ms: intervalMs.min(1000).default(60_000),
    /** Minimum interval between turns, in which pending acts run and are published. */
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
      areDistinct(markets.filter(({ type }) => type === "spot").map((market) => market.baseAsset)),
    { message: "two spot markets of one base asset", path: ["markets"] },
  )
  .refine(({ markets }) => new Set(markets.map((market) => market.quoteAsset)).size === 1, {
    message: "markets of different quote assets",
    path: ["markets"],
  });

/** A checked scenario, with defaults applied. */
export type Scenario = z.infer<typeof scenario>;

export const SCENARIO_NAMES: readonly string[] = Object.keys(BUILT_IN);

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/**
 * Checks a scenario.
 * @param source its name in error messages
 * @throws {MonitorError} `bad-scenario`, one line with the first fault and its place
 */
export function decodeScenario(value: unknown, source: string): Scenario {
  const { success, data, error } = scenario.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  const named = place === "" ? "" : `${place.replace(/^\./, "")}: `;
  throw badScenario(`${source}: ${named}${issue?.message}`);
}

function badScenario(problem: string): MonitorError {
  const advice = "see docs/scenarios.md";
  return new MonitorError("bad-scenario", "usage", `scenario ${problem}`, { advice });
}

export function noScenario(message: string, cause?: unknown): MonitorError {
  const advice = "expected: --scenario NAME, or the path of a scenario file";
  return new MonitorError("no-scenario", "usage", message, { advice, cause });
}

/**
 * Finds a scenario: a built-in one by name, or a file.
 * @param text content of the file, if the name is a path
 * @throws {MonitorError} `no-scenario` if there is none of that name, `bad-scenario` if it is invalid
 */
export function loadScenario(nameOrPath: string, text = ""): Scenario {
  if (Object.hasOwn(BUILT_IN, nameOrPath)) {
    return decodeScenario({ name: nameOrPath, ...BUILT_IN[nameOrPath] }, nameOrPath);
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
