// The reference in docs/, the tables of README.md and docs/keys.md, made from the tables of the program.

import { COMMANDS, type Command, formatUsage } from "../../src/args/commands.ts";
import { OPTIONS, type Option, type OptionKey } from "../../src/args/options.ts";
import { CONFIG_SECTIONS, type ConfigSection } from "../../src/config/config-keys.ts";
import { formatKey } from "../../src/screen/keymap.ts";
import { CONTEXT_WORDS, KEYS, type KeyContext } from "../../src/screen/keys.ts";
import { ALERT_FORMS, ALERT_OPTIONS } from "./alert-forms.ts";

export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done, or left by the user"],
  ["1", "the service, the network or a file failed"],
  ["2", "wrong use: the message names the option or the key and its form"],
  ["3", "an export or a check ended, but is not proven complete"],
  ["130, 143", "after SIGINT or SIGTERM, when the command had not finished"],
];

export const FILES: readonly (readonly [file: string, meaning: string])[] = [
  [
    "config.toml",
    "in the platform's config folder (monitor config path says where); monitor config print writes one with every key",
  ],
];

/** Codes of errors, what has happened, and what helps; `http-` is followed by the status. */
export const ERRORS: readonly (readonly [code: string, meaning: string, advice: string])[] = [
  [
    "usage",
    "a word, an option or a key of the config file is not of its form",
    "the second line says which form it has",
  ],
  ["unreachable", "no connection, or no whole answer in time", "check the address and the network"],
  [
    "gave-up",
    "a watch had no connection for as long as `--give-up` says",
    "check the address and the network, or wait longer",
  ],
  ["unauthorized", "the service wants to know who asks (401, 403)", "--header 'Name: value'"],
  [
    "not-websocket",
    "the address answers, but not with a WebSocket",
    "check --ws-url: the path of the interface is /v1/ws",
  ],
  [
    "no-markets",
    "a symbol cannot be looked up, because the list of markets did not come",
    "name the market by type and id",
  ],
  [
    "list-cut",
    "a symbol is not in the part of the market list that is held; the service has more",
    "name the market by type and id",
  ],
  [
    "market-renamed",
    "the id of the market was given to another symbol while it was shown",
    "start again with the symbol",
  ],
  [
    "certificate",
    "the certificate of the service is not valid",
    "NODE_EXTRA_CA_CERTS names a private authority",
  ],
  ["tls", "the other side does not speak TLS as expected", "check --base-url: https: or http:"],
  [
    "redirect",
    "the address leads to another one; redirects are not followed",
    "give the right address",
  ],
  [
    "http-",
    "a REST request was answered by an error that lasts",
    "the first line of what the service said is shown",
  ],
  [
    "not-json",
    "a page for people, or something else than a listing, was answered",
    "check --base-url: it needs the service's prefix",
  ],
  ["bad-page", "a listing does not fit the interface", "monitor doctor says more"],
  [
    "foreign-row",
    "a listing holds rows of another market, market type or subaccount than was asked for",
    "the service is at fault: nothing of the listing is shown or written",
  ],
  [
    "bad-encoding",
    "an answer is no UTF-8, or encoded in a way that was not asked for",
    "report it to the service",
  ],
  [
    "cut-body",
    "answers keep arriving incomplete",
    "try again later; an export goes on from where it was",
  ],
  ["too-large", "an answer is larger than any page of the interface", "check --base-url"],
  [
    "file",
    "the file of an export cannot be written",
    "make room or choose another file; the same command goes on",
  ],
  ["recording", "a recording cannot be written, or read as one", "the line or the reason is named"],
  ["no-scenario", "there is no scenario of that name", "the names are listed"],
  ["bad-scenario", "a file of a scenario is not of its form", "the place is named"],
  ["port-in-use", "another program listens on that port", "another --port, or 0 for a free one"],
  ["listen-failed", "the simulated exchange cannot listen", "another --port"],
];

/** The same text for the same tables. */
export function referenceText(): string {
  return `${[
    "# Reference",
    "",
    "Made by `node scripts/docs.mjs` from the tables of the program.",
    "",
    "## Commands",
    ...COMMANDS.flatMap(commandLines),
    "",
    "## Options",
    "",
    ...table(["option", "environment", "what it does"], optionRows()),
    "",
    "## Alert rules",
    "",
    "As `--alert`, `when` of `[[alerts]]` and `:alert` take them. `A`: an address of the stream, `ID`: one of its subaccounts.",
    "",
    ...table(
      ["a rule", "fires when"],
      ALERT_FORMS.map(([forms, words]) => [forms.map(code).join(" "), words]),
    ),
    "",
    ...table(
      ["behind it", "what it does"],
      ALERT_OPTIONS.map(([form, words]) => [code(form), words]),
    ),
    "",
    "## Config file",
    "",
    "`monitor config print` writes a file with every key, `monitor config check` says what is wrong with yours.",
    "What is given on the command line or in the environment counts more, then the profile, then the file.",
    ...CONFIG_SECTIONS.flatMap(sectionLines),
    "",
    "## Files",
    "",
    ...table(["file", "what it is"], FILES),
    "",
    "## Exit codes",
    "",
    ...table(["code", "meaning"], EXIT_CODES),
    "",
    "## Errors",
    "",
    "One line says what has happened, a second one what to do; `--debug` adds the stack. Codes stand in `--log` and in the",
    "source. 2 is the exit code of `usage`, 1 that of all others.",
    "",
    ...table(["code", "what has happened", "what helps"], errorRows()),
  ].join("\n")}\n`;
}

function commandLines(command: Command): string[] {
  const names = command.options.map((key) => code(`--${OPTIONS[key].name}`)).join(" ");
  return [
    "",
    `### ${code(formatUsage(command))}`,
    "",
    capital(command.summary),
    "",
    `Options: ${names}`,
  ];
}

function optionRows(): string[][] {
  return (Object.keys(OPTIONS) as OptionKey[]).map((key) => {
    const { name, short, value, env, summary }: Option = OPTIONS[key];
    const words = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [
      code([words, value].filter(Boolean).join(" ")),
      env === undefined ? "" : code(env),
      summary,
    ];
  });
}

function errorRows(): string[][] {
  return ERRORS.map(([name, meaning, advice]) => [code(name), meaning, advice]);
}

function sectionLines({ heading, summary, options }: ConfigSection): string[] {
  const title = heading === "" ? summary : `${summary}: \`${heading}\``;
  const rows = Object.entries(options).map(([name, { example, summary: words }]) => [
    code(`${name} = ${example}`),
    words,
  ]);
  return ["", `### ${title}`, "", ...table(["key", "what it is for"], rows)];
}

/** Lines of a table; what stands in a cell is escaped. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** As it is typed. */
function code(text: string): string {
  return `\`${text}\``;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Contexts in the order of the documents. */
export const CONTEXTS = Object.keys(CONTEXT_WORDS) as readonly KeyContext[];

/** The same text for the same table. */
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
  return `\`${formatKey(key).replace("|", "\\|")}\``;
}

const SECTIONS: Readonly<Record<string, () => readonly string[]>> = {
  commands: () =>
    table(
      ["command", "what it does"],
      COMMANDS.map((each) => [code(formatUsage(each)), each.summary]),
    ),
  "exit-codes": () => table(["exit code", "meaning"], EXIT_CODES),
};

/**
 * The text with its tables as they are now.
 * @throws {Error} when a table has no place in it
 */
export function fillReadme(text: string): string {
  return Object.entries(SECTIONS).reduce(fill, text);
}

function fill(text: string, [name, lines]: [string, () => readonly string[]]): string {
  const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!place.test(text)) throw new Error(`README.md has no place for ${name}`);
  return text.replace(
    place,
    (_, start: string, end: string) => `${start}${lines().join("\n")}\n${end}`,
  );
}
