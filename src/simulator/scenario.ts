// A scenario describes the simulated exchange as data: a built-in one, or a file of the same form.
import * as z from "zod";
import { toDotPath } from "zod/v4/core";
import { readInputText } from "../system/input-file.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { DAY_MS } from "../units/time.ts";
import { parseJson } from "../wire/json.ts";
import { BUILT_IN, MARKETS } from "./built-in.ts";
import { FAULTS, type FaultKind } from "./faults.ts";

const names = MARKETS.map(({ type, id }) => `${type}/${id}`);
const spanMs = z.int().min(1).max(DAY_MS);

const fault = z.strictObject({
  kind: z.enum(Object.keys(FAULTS) as FaultKind[]),
  /** A pattern of channels, or of paths of listings, in which `*` matches any text. */
  on: z.string().min(1).max(200).default("*"),
  /** That it strikes where it could. */
  probability: z.number().gt(0).max(1).default(1),
  /** Delay after going live; duration (absent: for ever); period of repetition (absent: once). */
  after_ms: z.int().min(0).max(DAY_MS).default(0),
  for_ms: spanMs.optional(),
  every_ms: spanMs.optional(),
  /** By how much frames are late. */
  delay_ms: spanMs.default(1000),
});
export type Fault = Readonly<z.output<typeof fault>>;

const scenario = z
  .strictObject({
    markets: z.array(z.enum(names)).min(1).default(names),
    /** How often people trade and how far prices move there, relative to a calm day. */
    activity: z.number().min(0.01).max(1000).default(1),
    volatility: z.number().min(0).max(20).default(1),
    /** Funding settles at the whole multiples of it. */
    funding_interval_ms: z.int().min(1000).max(DAY_MS).default(3_600_000),
    faults: z.array(fault).max(100).default([]),
  })
  .transform(({ markets, activity, volatility, ...others }) => ({
    ...others,
    markets: MARKETS.filter((_, i) => markets.includes(names[i] ?? "")).map((market) => ({
      ...market,
      activity: market.activity * activity,
      volatilityPpm: market.volatilityPpm * volatility,
    })),
  }));
/** A checked scenario, with defaults applied. */
export type Scenario = z.output<typeof scenario>;
/** As it is written. */
export type ScenarioInput = z.input<typeof scenario>;

/**
 * Checks a scenario.
 * @param source its name in error messages
 * @throws {MonitorError} `bad-scenario`, one line with the first fault and its place
 */
export function checkScenario(value: unknown, source: string): Scenario {
  const { success, data, error } = scenario.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = toDotPath(issue?.path ?? []);
  throw badScenario(`${source}: ${place === "" ? "" : `${place}: `}${issue?.message}`);
}

function badScenario(problem: string): MonitorError {
  const advice = 'see "The simulated exchange" in docs/operations.md';
  return new MonitorError("bad-scenario", "usage", `scenario ${problem}`, { advice });
}

/** The largest built-in scenario has 8 KiB. */
const MAX_SCENARIO_BYTES = 1024 * 1024;

/**
 * Finds a scenario: a built-in one by name, or a file, whose path has a character that no such name has.
 * @throws {MonitorError} `no-scenario` if there is none of that name, `bad-scenario` if it is invalid
 */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  if (Object.hasOwn(BUILT_IN, nameOrPath)) return checkScenario(BUILT_IN[nameOrPath], nameOrPath);
  const known = Object.keys(BUILT_IN).join(", ");
  const none = (message: string, cause?: unknown) => {
    const advice = "expected: --scenario NAME, or the path of a scenario file";
    return new MonitorError("no-scenario", "usage", message, { advice, cause });
  };
  if (!/[./\\]/.test(nameOrPath)) {
    throw none(`no scenario "${nameOrPath}": one of ${known}, or the path of a JSON file`);
  }
  const reading = readInputText(nameOrPath, MAX_SCENARIO_BYTES);
  const text = await reading.catch((error) => {
    throw none(`scenario ${nameOrPath} cannot be read (${error.code ?? error.message})`, error);
  });
  const value = parseJson(text);
  if (value === undefined) throw badScenario(`${nameOrPath}: not JSON`);
  return checkScenario(value, nameOrPath);
}
