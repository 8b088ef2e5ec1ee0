// T8: exact formatting of ticks as display text, compared with big.js and with floats.
import { parseDecimal } from "../src/units/decimal.ts";
import { createRandom } from "../src/units/random.ts";
import { formatUnits } from "../src/units/scale.ts";
import { optionalPackage, runBench } from "./harness/bench.ts";
import { atLeast, atMost, type Effort, type Figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio, timed } from "./harness/statistics.ts";

type Format = (ticks: string) => string;

interface BigJs {
  readonly default: new (
    text: string,
  ) => { times(factor: string): { toFixed(places: number): string } };
}

/** Tick and lot sizes of real markets: powers of ten, and others. */
const TICKS = ["0.01", "0.025", "0.000001"];
const DIGITS = [7, 15, 19];

function placesOf(tick: string): number {
  return tick.split(".")[1]?.length ?? 0;
}

function ours(tick: string): Format {
  const size = parseDecimal(tick);
  return (ticks) => formatUnits(ticks, size);
}

/** The expected result, computed naively. */
function exact(tick: string): Format {
  const places = placesOf(tick);
  const mantissa = BigInt(tick.replace(".", ""));
  return (ticks) => {
    const text = (BigInt(ticks) * mantissa).toString().padStart(places + 1, "0");
    return `${text.slice(0, -places)}.${text.slice(-places)}`;
  };
}

function float(tick: string): Format {
  return (ticks) => (Number(ticks) * Number(tick)).toFixed(placesOf(tick));
}

function createTicks(digits: number, count: number): string[] {
  const random = createRandom(99);
  return Array.from({ length: count }, () =>
    Array.from(
      { length: digits },
      (_, i) => Math.floor(random() * (i ? 10 : 9)) + (i ? 0 : 1),
    ).join(""),
  );
}

function countWrong(format: Format, tick: string, values: readonly string[]): number {
  const right = exact(tick);
  return values.filter((value) => format(value) !== right(value)).length;
}

async function compare(
  tick: string,
  digits: number,
  effort: Effort,
  big: BigJs | undefined,
): Promise<Figure> {
  const values = createTicks(digits, effort.pick(2000, 50));
  const formats = [ours(tick)];
  if (big !== undefined) {
    const places = placesOf(tick);
    formats.push((ticks) => new big.default(ticks).times(tick).toFixed(places));
  }
  const ways = formats.map((format) =>
    timed(() => {
      for (const value of values) format(value);
    }),
  );
  const [times = [], other] = await measureInTurns(ways, effort.pick(61, 1), effort.pick(10, 1));
  const toNanoseconds = 1e6 / values.length;
  return {
    id: "T8",
    what: `ticks of ${digits} digits at ${tick} to text`,
    unit: "ns",
    ours: median(times) * toNanoseconds,
    ...(other === undefined
      ? { note: "big.js is not installed" }
      : {
          other: { name: "big.js", value: median(other) * toNanoseconds },
          ratio: medianRatio(other, times),
        }),
    goal: atLeast("ratio", 5),
  };
}

function measureExactness(effort: Effort): Figure {
  let wrong = 0;
  let floatWrong = 0;
  for (const tick of TICKS) {
    for (const digits of DIGITS) {
      const values = createTicks(digits, effort.pick(2000, 50));
      wrong += countWrong(ours(tick), tick, values);
      floatWrong += countWrong(float(tick), tick, values);
    }
  }
  return {
    id: "T8",
    what: "texts that are wrong",
    unit: "",
    ours: wrong,
    other: { name: "floats", value: floatWrong },
    goal: atMost("ours", 0),
  };
}

await runBench(async (effort) => {
  const big = await optionalPackage<BigJs>("big.js");
  const figures: Figure[] = [];
  for (const tick of TICKS) {
    for (const digits of DIGITS) figures.push(await compare(tick, digits, effort, big));
  }
  return [...figures, measureExactness(effort)];
});
