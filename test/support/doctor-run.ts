// The doctor in this process: its report as scripts read it.
import { PassThrough } from "node:stream";
import type { Context } from "../../src/args/context.ts";
import { run } from "../../src/commands/doctor.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";
import { createRandom } from "../../src/units/random.ts";
import { createContext } from "./create-context.ts";

interface Report {
  readonly code: number;
  readonly requests: number;
  readonly took_ms: number;
  readonly checks: Readonly<Record<string, string>>;
  readonly points: Readonly<Record<string, string>>;
}

/** Answers each check as `verdict fact` by its id, and each open point as `known seen`. */
export async function runDoctor(
  wsUrl: string,
  baseUrl?: string,
  options: Context["options"] = {},
  clock: Clock = systemClock,
): Promise<Report> {
  const stdout = new PassThrough().setEncoding("utf8");
  const given = { wsUrl, json: true, config: "/dev/null", ...options };
  const context = createContext({
    args: ["perp/1"],
    options: { ...given, ...(baseUrl !== undefined && { baseUrl }) },
    clock,
    random: createRandom(1),
    stdout,
  });
  const code = await run(context);
  const report = JSON.parse(stdout.read());
  return {
    code,
    requests: report.requests,
    took_ms: report.took_ms,
    checks: Object.fromEntries(
      report.checks.map((each: Record<string, string>) => [
        each.id,
        `${each.verdict} ${each.fact}`,
      ]),
    ),
    points: Object.fromEntries(
      report.open_points.map((each: Record<string, string>) => [
        each.point,
        `${each.known} ${each.seen}`,
      ]),
    ),
  };
}
