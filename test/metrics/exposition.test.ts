// The two text forms: what they hold, who gets which, and what promtool says of them.
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseFormat, formatMetrics } from "../../src/metrics/exposition.ts";
import { METRICS, type ReadFamily } from "../../src/metrics/families.ts";
import { isInstalled } from "../support/installed.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";

/** Every family, with two samples each. */
const families: readonly ReadFamily[] = METRICS.map((family) => ({
  family,
  samples: [1, 0.5].map((value, i) => ({
    value,
    labels: family.labels.map((label) => `${label} ${i}`),
  })),
}));
const whole = families.map(({ family, samples }) => ({
  family,
  samples: family.labels.length === 0 ? samples.slice(0, 1) : samples,
}));

describe("the text form", () => {
  test("gives every name, label and value back, whatever a label holds", () => {
    const rules = METRICS.filter(({ labels }) => labels.length === 1);
    const label = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom('"', "\\", "\n", '\\n"}', "a\\\\"),
    );
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.uniqueArray(label),
        value,
        (family, texts, number) => {
          const samples = texts.map((text) => ({ labels: [text], value: number }));
          const read = readPrometheusText(formatMetrics([{ family, samples }], "text")).samples;
          expect(read.map(({ labels }) => Object.values(labels)[0])).toEqual(texts);
          for (const each of read) expect(each.value === number).toBe(true);
        },
      ),
    );
  });

  test.skipIf(!isInstalled("promtool"))("passes promtool check metrics, every family of it", () => {
    const input = formatMetrics(whole, "text");
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input,
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });
});

describe("the OpenMetrics form", () => {
  const lines = formatMetrics(whole, "openmetrics").split("\n");

  test("ends with its mark, names counters without their ending and units where there are some", () => {
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    expect(lines).toContain("# TYPE monitor_gaps counter");
    expect(lines).toContain('monitor_gaps_total{channel="channel 0"} 1');
    expect(lines).toContain("# UNIT monitor_channel_age_seconds seconds");
  });

  test("is the plain text, apart from that", () => {
    const isSample = (line: string) => !line.startsWith("#");
    expect(lines.filter(isSample)).toEqual(
      formatMetrics(whole, "text").split("\n").filter(isSample),
    );
  });
});

describe("the table", () => {
  test("has names of one prefix, none twice, counters that end with _total, and a sentence for each", () => {
    const names = METRICS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type, help, labels } of METRICS) {
      expect(name).toMatch(/^monitor_[a-z]+(?:_[a-z]+)*$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(help).toMatch(/^[A-Z0-9].*\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
    }
  });
});

describe("OpenMetrics is answered", () => {
  const prometheus =
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  test.each([
    [prometheus, "openmetrics"],
    ["application/openmetrics-text", "openmetrics"],
    ['Application/OpenMetrics-Text; version="1.0.0"; charset=utf-8', "openmetrics"],
    [
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;q=0.4",
      "openmetrics",
    ],
    ["application/openmetrics-text;q=0.4,text/plain;q=0.5", "text"],
    ["application/openmetrics-text;version=0.0.1", "text"],
    ["application/openmetrics-text;version=2.0.0,*/*;q=0.1", "text"],
    ["application/openmetrics-text;q=0", "text"],
    ["application/openmetrics-text;q=1e9", "text"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "text"],
    ["*/*", "text"],
    ["", "text"],
    [undefined, "text"],
    [",;=;,q=,application/openmetrics-text;;q", "text"],
  ])("to %s as %s", (accept, format) => {
    expect(chooseFormat(accept)).toBe(format);
  });
});
