// The figures of README.md and docs/performance.md are those of the last saved benches, and tables are whole.
import { describe, expect, test } from "vitest";
import { documentPaths, readDocument } from "../support/documents.ts";

interface Figure {
  readonly bench: string;
  readonly id: string;
  readonly what: string;
  readonly ours: number;
  readonly other?: { readonly name: string; readonly value: number };
  readonly ratio?: number;
}

const baselines = readDocument("bench/baselines.ndjson")
  .trimEnd()
  .split("\n")
  .map((line): Figure => JSON.parse(line));

/** What a bench has saved under these words. */
function figure(bench: string, what: string): Figure {
  const found = baselines.find((each) => each.bench === bench && each.what === what);
  if (found === undefined) throw new Error(`${bench} has no figure: ${what}`);
  return found;
}

const ratio = (bench: string, what: string): number => figure(bench, what).ratio ?? Number.NaN;

/** The least and the largest ratio over the other program, of the figures with this goal. */
function range(bench: string, id: string): readonly [number, number] {
  const ratios = baselines
    .filter((each) => each.bench === bench && each.id === id)
    .flatMap((each) => each.ratio ?? []);
  return [Math.min(...ratios), Math.max(...ratios)];
}

/** Digits that tell something, two of them: 0.42, 4.9, 82, 410. */
const short = (value: number): string => String(Number(value.toPrecision(2)));

const ink = figure("frame", "CPU of a frame, 120 × 40, warm");
const [bookLeast, bookMost] = range("book", "T5").map(short);
const [textLeast, textMost] = range("decimal", "T8").map(short);
const rows = figure("export", "rows of an export a second, without latency");
const memory = figure("export", "largest RSS of an export of 1000000 rows").ours;
const key = (part: string) =>
  short(figure("latency", `key to its first byte at 10,000 updates/s, ${part}`).ours);
const client = (what: string) => short(ratio("ingest", `${what}, CPU of the whole client`));
const start = figure("start", "start to first frame, monitor demo");

describe("README.md", () => {
  test.each([
    `${ink.ours.toFixed(2)} ms of CPU; stock Ink takes ${short(ink.ratio ?? 0)} times that`,
    `${bookLeast} to ${bookMost} times faster than ccxt`,
    `${textLeast} to ${textMost} times faster than big.js`,
    `${client("bbo")} of the CPU of \`ws\` and \`JSON.parse\` alone for bbo, ${client("whole book of 10 KB")} for books`,
    `${Math.round(rows.ours / 1000)},000 rows a second, ${short(rows.ratio ?? 0)} of only parsing its pages; ${short(memory)} MB at a million rows`,
    `${key("p50")} ms (p50), ${key("p95")} ms (p95)`,
    `${short(start.ours / 1000)} s, where Node alone takes ${((start.other?.value ?? 0) / 1000).toFixed(2)} s`,
  ])("says %s", (words) => {
    expect(readDocument("README.md")).toContain(words);
  });
});

test("docs/performance.md describes every bench", () => {
  const text = readDocument("docs/performance.md");
  for (const bench of new Set(baselines.map((each) => each.bench)))
    expect(text).toMatch(new RegExp(`^\\| .*\`${bench}\``, "m"));
});

test.each(documentPaths())(
  "every row of a table in %s has as many cells as its head",
  (document) => {
    let cells = 0;
    const odd = readDocument(document)
      .replace(/^```[\s\S]*?^```/gm, "")
      .split("\n")
      .filter((line) => {
        const isRow = line.startsWith("|");
        const count = line.replace(/\\\||`[^`]*`/g, "").split("|").length;
        if (!isRow) cells = 0;
        else if (cells === 0) cells = count;
        return isRow && count !== cells;
      });
    expect(odd).toEqual([]);
  },
);
