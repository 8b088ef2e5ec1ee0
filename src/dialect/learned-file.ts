// What was learned at each service, by the address of its stream, in one small file. Losing it costs a few refreshes, so that
// nothing here is ever an error.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, parseJson } from "../wire/json.ts";
import { type Dialect, isPoint, type Known, type Learned, POINTS, VALUES } from "./dialect.ts";

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

/** Other services' entries stay as they are. */
export function writeLearned(path: string, address: string, dialect: Dialect): void {
  const own = POINTS.filter((point) => dialect[point].learned !== undefined).map((point) => {
    const { value, learned } = dialect[point];
    return [point, { value, learned }];
  });
  const others = Object.entries(readAll(path)).filter(([name]) => name !== address);
  const entries = [...others, [address, Object.fromEntries(own)] as const];
  const all = Object.fromEntries(entries.slice(-MAX_SERVICES));
  const part = `${path}.${process.pid}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: OWNERS_FOLDER });
    // Created anew, so that nobody's link is written through.
    rmSync(part, { force: true });
    writeFileSync(part, `${JSON.stringify(all)}\n`, { flag: "wx", mode: OWNER_ONLY });
    renameSync(part, path);
  } catch {}
}
