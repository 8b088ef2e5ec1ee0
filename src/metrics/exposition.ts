// Samples as text: the Prometheus text format 0.0.4, or OpenMetrics 1.0.0 on request.
import type { ReadFamily } from "./families.ts";

export type MetricFormat = "text" | "openmetrics";

export const CONTENT_TYPES: Readonly<Record<MetricFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Units for which OpenMetrics has a line, if a name ends with one. */
const UNITS = ["seconds", "ratio"] as const;
const COUNTER = "_total";

/** The whole text, with a trailing line break. Values are doubles, as in these formats: the shortest text of each. */
export function formatMetrics(families: readonly ReadFamily[], format: MetricFormat): string {
  const isOpen = format === "openmetrics";
  const lines = families.flatMap(({ family: { name, type, help, labels }, samples }) => {
    // OpenMetrics names a counter without the suffix of its samples.
    const named = isOpen && name.endsWith(COUNTER) ? name.slice(0, -COUNTER.length) : name;
    const unit = isOpen ? UNITS.find((each) => named.endsWith(`_${each}`)) : undefined;
    return [
      `# HELP ${named} ${isOpen ? escapeLabel(help) : escapeHelp(help)}`,
      `# TYPE ${named} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${named} ${unit}`]),
      ...samples.map((each) => `${name}${formatLabels(labels, each.labels)} ${each.value}`),
    ];
  });
  return `${[...lines, ...(isOpen ? ["# EOF"] : [])].join("\n")}\n`;
}

/** A loop for speed: a large watch has tens of thousands of lines. */
function formatLabels(names: readonly string[], values: readonly string[]): string {
  let text = "";
  for (let i = 0; i < names.length; i++) {
    text += `${i === 0 ? "{" : ","}${names[i]}="${escapeLabel(values[i] ?? "")}"`;
  }
  return text === "" ? "" : `${text}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

const ESCAPED = /["\\\n]/;

function escapeLabel(text: string): string {
  return ESCAPED.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text;
}

/** OpenMetrics only if the Accept header names it in a supported version and does not prefer plain text. */
export function chooseFormat(accept: string | undefined): MetricFormat {
  const ranges = (accept ?? "").split(",").map(readRange);
  const qualityOf = (wanted: string, spoken: string) =>
    ranges
      .filter(({ type, version = spoken }) => type === wanted && version === spoken)
      .reduce((most, { quality }) => Math.max(most, quality), 0);
  const open = qualityOf("application/openmetrics-text", "1.0.0");
  const text = qualityOf("text/plain", "0.0.4");
  return open > 0 && open >= text ? "openmetrics" : "text";
}

interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  /** 0 to 1; 0 if not a number. */
  readonly quality: number;
}

function readRange(text: string): MediaRange {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const [name = "", value = ""] = part.split("=");
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")] as const;
    }),
  );
  const quality = parameters.get("q") ?? "1";
  const isNumber = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(quality);
  return {
    type: type.toLowerCase(),
    version: parameters.get("version"),
    quality: isNumber ? Number(quality) : 0,
  };
}
