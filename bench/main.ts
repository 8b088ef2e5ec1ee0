// The benches one after the other, each run in a process of its own, and their rows as a table.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMet, type Row } from "./measure.ts";

const NAMES = [
  "frame",
  "calm",
  "storm",
  "keys",
  "start",
  "memory",
  "book",
  "accounts",
  "export",
  "ssh",
] as const;

/** Runs of each with --save. */
const RUNS = 3;

async function run(name: string): Promise<readonly Row[]> {
  const child = fork(fileURLToPath(new URL("./run.mjs", import.meta.url)), [name], {
    env: { ...process.env, NODE_ENV: "production", FORCE_COLOR: "3" },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  let rows: readonly Row[] | undefined;
  child.on("message", (message: readonly Row[]) => {
    rows = message;
  });
  const [code] = await once(child, "exit");
  if (rows === undefined) throw new Error(`the bench ${name} has ended with ${code}`);
  return rows;
}

export async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { save: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : NAMES;
  for (const name of names)
    for (let turn = 0; turn < (values.save ? RUNS : 1); turn++)
      for (const row of await run(name)) process.stdout.write(`${formatRow(row)}\n`);
}

function formatRow(row: Row): string {
  const { what, unit, ours, other, ratio, goal } = row;
  const mark = { true: "✓", false: "✗", undefined: " " }[`${isMet(row)}`];
  const parts = [
    `${formatNumber(ours)} ${unit}`,
    other && `${other.name} ${formatNumber(other.value)} ${unit}`,
    ratio && `${formatNumber(ratio)} ×`,
    goal && `goal ${goal[1]} ${formatNumber(goal[2])}`,
  ];
  return `${mark} ${what}: ${parts.filter(Boolean).join(", ")}`;
}

/** Three digits. */
export function formatNumber(value: number): string {
  return value >= 1000
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}
