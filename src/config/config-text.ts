// The config file with every key in it, as comments: what `config print` writes.
import { CONFIG_SECTIONS, type ConfigSection } from "./config-options.ts";

const WIDTH = 100;

/**
 * A whole config file in which nothing is set: words stand after `# `, and a key comes into force when the `#` right
 * before it is taken away. Never throws.
 */
export function configText(): string {
  const head = [
    "# Config file of monitor. Nothing here is needed; take the # before a key away to set it.",
    "# What is given on the command line or in the environment counts more, then the profile, then this file.",
  ];
  return `${[...head, ...CONFIG_SECTIONS.flatMap(sectionLines)].join("\n")}\n`;
}

function sectionLines({ heading, summary, options }: ConfigSection): string[] {
  const pairs = Object.entries(options).flatMap(([name, { summary: words, example }]) => [
    ...comment(words),
    `#${name} = ${example}`,
  ]);
  const title =
    heading === "" ? [`# ── ${summary} ──`] : [...comment(`── ${summary} ──`), `#${heading}`];
  return ["", ...title, ...pairs];
}

function comment(words: string): string[] {
  const lines: string[] = [];
  let line = "#";
  for (const word of words.split(" ")) {
    if (line.length + word.length >= WIDTH) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
