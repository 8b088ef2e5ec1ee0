// What was learned at each service, by the address of its stream, in one small file. Losing it costs a few refreshes, so that
// nothing here is ever an error.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, parseJson } from "../wire/json.ts";
import { isPoint, type Known, type Learned, POINTS, VALUES } from "./dialect.ts";

/** Far more than hundreds of services need. */
const MAX_CHARACTERS = 1_000_000;
const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;

function readAll(path: string): Readonly<Record<string, unknown>> {
  try {
    const text = readFileSync(path, "utf8");
    const value = text.length > MAX_CHARACTERS ? undefined : parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Only values that a point can have; anything else in the file is ignored. */
export function readLearned(path: string, address: string): Learned {
  const all = readAll(path);
  const entry = Object.hasOwn(all, address) ? all[address] : undefined;
  const learned: Partial<Record<string, Known>> = {};
  for (const [point, known] of Object.entries(isObject(entry) ? entry : {})) {
    if (!isPoint(point) || !isObject(known) || typeof known.value !== "string") continue;
    if (!VALUES[point].includes(known.value)) continue;
    const day = typeof known.learned === "string" ? { learned: known.learned.slice(0, 10) } : {};
    learned[point] = { value: known.value, source: "learned", ...day };
  }
  return learned;
}

/** More services than anybody watches; the ones that were written first go. */
const MAX_SERVICES = 100;

/** What is learned now is added to what earlier runs, and other commands, have learned. */
export function writeLearned(path: string, address: string, points: Learned): void {
  const all = readAll(path);
  const own = { ...(isObject(all[address]) ? all[address] : {}) };
  for (const point of POINTS) {
    const known = points[point];
    if (known?.learned !== undefined) own[point] = { value: known.value, learned: known.learned };
  }
  const others = Object.entries(all).filter(([name]) => name !== address);
  const entries = [...others, [address, own] as const];
  const kept = Object.fromEntries(entries.slice(-MAX_SERVICES));
  const part = `${path}.${process.pid}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: OWNERS_FOLDER });
    // Created anew, so that nobody's link is written through.
    rmSync(part, { force: true });
    writeFileSync(part, `${JSON.stringify(kept)}\n`, { flag: "wx", mode: OWNER_ONLY });
    renameSync(part, path);
  } catch {}
}
