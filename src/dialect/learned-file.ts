// What was learned at each service, by the address of its stream, in one small file. Losing it costs a few refreshes, so that
// nothing here is ever an error.
import { readJsonFile, writeJsonFile } from "../system/json-file.ts";
import { isObject } from "../wire/json.ts";
import { isPoint, isValue, type Known, type Learned, POINTS } from "./dialect.ts";

/** Only values that a point can have; anything else in the file is ignored. */
export function readLearned(path: string, address: string): Learned {
  const all = readJsonFile(path);
  const entry = Object.hasOwn(all, address) ? all[address] : undefined;
  const learned: Partial<Record<string, Known>> = {};
  for (const [point, known] of Object.entries(isObject(entry) ? entry : {})) {
    if (!isPoint(point) || !isObject(known) || typeof known.value !== "string") continue;
    if (!isValue(point, known.value)) continue;
    const day = typeof known.learned === "string" ? { learned: known.learned.slice(0, 10) } : {};
    learned[point] = { value: known.value, source: "learned", ...day };
  }
  return learned;
}

/** More services than anybody watches; the ones that were written first go. */
const MAX_SERVICES = 100;

/** What is learned now is added to what earlier runs, and other commands, have learned. */
export function writeLearned(path: string, address: string, points: Learned): void {
  const all = readJsonFile(path);
  const own = { ...(isObject(all[address]) ? all[address] : {}) };
  for (const point of POINTS) {
    const known = points[point];
    if (known?.learned !== undefined) own[point] = { value: known.value, learned: known.learned };
  }
  const others = Object.entries(all).filter(([name]) => name !== address);
  const entries = [...others, [address, own] as const];
  writeJsonFile(path, Object.fromEntries(entries.slice(-MAX_SERVICES)));
}
