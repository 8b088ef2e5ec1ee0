// docs/keys.md: every key and what it does, made from the table of keys.
import { CONTEXT_WORDS, KEYS, type KeyContext } from "../../screen/keys.ts";

/** Contexts in the order of the documents. */
export const CONTEXTS = Object.keys(CONTEXT_WORDS) as readonly KeyContext[];

/** The same text for the same table. Never throws. */
export function keysText(): string {
  return `${[
    "# Keys",
    "",
    "Made by `npm run docs` from the table of keys. `?` shows those that are in force, and the last line the most useful",
    'ones. Any action can have other keys, in the config file: `[keys]`, then `interval = ["i", "I"]`. A key that would',
    "mean two things at once is refused.",
    ...CONTEXTS.flatMap(contextLines),
  ].join("\n")}\n`;
}

function contextLines(context: KeyContext): string[] {
  const bindings = KEYS.filter((binding) => binding.context === context);
  if (bindings.length === 0) return [];
  return [
    "",
    `## ${CONTEXT_WORDS[context]}`,
    "",
    "| keys | what it does | action |",
    "|---|---|---|",
    ...bindings.map(
      ({ keys, words, action }) => `| ${keys.map(keyText).join(" ")} | ${words} | \`${action}\` |`,
    ),
  ];
}

function keyText(key: string): string {
  return `\`${key.replace("|", "\\|")}\``;
}
