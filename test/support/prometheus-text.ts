// A reader of the Prometheus text format 0.0.4, written from its description, apart from the program's writer.

export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scraped {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ScrapedSample[];
}

const ESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", '\\"': '"', "\\n": "\n" };

/** @throws {Error} for a line that is not of the format, or samples with the same labels */
export function readPrometheusText(text: string): Scraped {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const types = new Map<string, string>();
  const samples = new Map<string, ScrapedSample>();
  for (const line of text.split("\n").filter(Boolean)) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) types.set(type[1] ?? "", type[2] ?? "");
    if (line.startsWith("#")) continue;
    const sample = readSample(line);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (samples.has(key)) throw new Error(`twice: ${line}`);
    samples.set(key, sample);
  }
  return { types, samples: [...samples.values()] };
}

function readSample(line: string): ScrapedSample {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const [, name = "", inner = "", number = ""] = match;
  const value = Number(number);
  if (number === "" || Number.isNaN(value)) throw new Error(`no value: ${line}`);
  const pairs = [...inner.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g)];
  if (pairs.map(([all]) => all).join("") !== inner) throw new Error(`no labels: ${line}`);
  const labels = pairs.map(([, label = "", text = ""]) => [
    label,
    text.replace(/\\["\\n]/g, (spelled) => ESCAPES[spelled] ?? spelled),
  ]);
  return { name, labels: Object.fromEntries(labels), value };
}

/** The value of the one sample with these labels, or undefined. */
export function scrapedValue(
  { samples }: Scraped,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}
