// Completion by the built program, and in real shells, as far as they are there.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/args/commands.ts";
import { OPTIONS } from "../../src/args/options.ts";
import { ROOT } from "../support/documents.ts";
import { runInside } from "../support/monitor-inside.ts";
import { folderOfFile, folderOfTest } from "../support/temporary-folder.ts";

/** The program with a config file of one alias and one profile. */
const HOME = folderOfFile();
const CONFIG = join(HOME, "config.toml");
const BIN = join(HOME, "bin");
mkdirSync(BIN);
writeFileSync(CONFIG, '[aliases]\nBTC = "perp/1"\n[profiles.testnet]\n');
const PROGRAM = `#!/bin/sh\nexec '${process.execPath}' '${ROOT}bin/monitor.js' "$@"\n`;
writeFileSync(join(BIN, "monitor"), PROGRAM, { mode: 0o755 });
const ENV = { PATH: `${BIN}:${process.env.PATH}`, HOME, MONITOR_CONFIG: CONFIG };

const getScript = async (shell: string) => (await runInside(["completion", shell])).stdout;

/** Far longer than a shell takes on any machine. */
const HANGS_AFTER_MS = 120_000;

function run(shell: string, options: readonly string[], lines: readonly string[]): string {
  const script = lines.join("\n");
  const { stdout, stderr } = spawnSync(shell, [...options, "-c", script], {
    encoding: "utf8",
    cwd: ROOT,
    env: ENV,
    timeout: HANGS_AFTER_MS,
  });
  expect(stderr).toBe("");
  return stdout;
}

/** What bash offers for the last word of each line. */
async function bashOffers(lines: readonly string[]): Promise<string[]> {
  const asked = lines.flatMap((line) => {
    const words = ["monitor", ...line.split(" ")];
    return [
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})`,
      `COMP_CWORD=${words.length - 1}`,
      "_monitor",
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
      `echo ${END}`,
    ];
  });
  return answers(run("bash", [], [await getScript("bash"), ...asked]));
}

async function fishOffers(lines: readonly string[]): Promise<string[]> {
  const asked = lines.flatMap((line) => [`complete -C 'monitor ${line}'`, `echo ${END}`]);
  return answers(run("fish", ["--no-config"], [await getScript("fish"), ...asked]));
}

/**
 * An interactive zsh on a terminal of its own, where each line is typed with a Tab behind it; what is offered goes to
 * a file.
 */
async function zshOffers(lines: readonly string[]): Promise<string[]> {
  const folder = folderOfTest();
  const [script, offered] = [join(folder, "_monitor"), join(folder, "offered")];
  const typed = (text: string) => `zpty -w z ${quoted(text)}`;
  // With these options it is asked what fits, and offers nothing.
  const isAsking = `[[ " \${(j: :)@[1,-2]} " == *" -"[a-zA-Z]#[OAD]" "* ]]`;
  const compadd = `compadd() { if ${isAsking} { builtin compadd "$@"; return }
    local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- $hits >> ${offered}
    builtin compadd "$@" }`;
  // The quotes tell what it says from what is typed.
  const answered = (word: string) => [
    typed(`print D''ONE-${word}-`),
    `zpty -r z shown '*DONE-${word}-*'`,
  ];
  writeFileSync(script, await getScript("zsh"));
  run(
    "zsh",
    ["-f"],
    [
      "zmodload zsh/zpty; zpty z zsh -f -i",
      typed(`PROMPT=; autoload -Uz compinit; compinit -D -u; source ${script}`),
      typed(`${compadd.replaceAll("\n", ";")}; bindkey '^I' complete-word '^B' kill-buffer`),
      ...answered("ready"),
      ...lines.flatMap((line, i) => [
        // No key that the terminal itself would act on before the next line is edited, as Ctrl-U is.
        `zpty -n -w z ${quoted(`monitor ${line}`)}$'\\t'; zpty -n -w z $'\\C-b'`,
        typed(`print ${END} >> ${offered}`),
        ...answered(`${i}`),
      ]),
      "zpty -d z",
    ],
  );
  return answers(readFileSync(offered, "utf8"));
}

const END = "THE-END";
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The words that were offered for each line, in the order of the alphabet. */
function answers(output: string): string[] {
  const groups = output.split(`${END}\n`).slice(0, -1);
  return groups.map((group) =>
    group
      .split("\n")
      .filter(Boolean)
      // fish says behind a tab what it is.
      .map((word) => word.split("\t")[0])
      .sort()
      .join(" "),
  );
}

const SHELLS = { bash: bashOffers, zsh: zshOffers, fish: fishOffers };
const isAvailable = (shell: string) => spawnSync(shell, ["-c", "exit"]).status === 0;

/** Lines, and what is offered for their last word. */
const OFFERED: Readonly<Record<string, string>> = {
  dem: "demo",
  p: "perp/1",
  "demo --sc": "--scenario",
  "demo --ws": "",
  "--ws": "--ws-url",
  "perp/1 --on": "--once",
  "perp/1 --interval 1": "15m 1d 1h 1m",
  "--profile ": "testnet",
  "--interval 1m dem": "demo",
  "config p": "path print",
  "completion ": "bash fish zsh",
  "demo B": "BTC",
  "replay READM": "README.md",
};

describe.each(Object.entries(SHELLS))("completion in %s", (shell, offers) => {
  test.skipIf(!isAvailable(shell))(
    "offers commands and markets, the options of each command, and what a value can be",
    async () => {
      const words = await offers(Object.keys(OFFERED));
      expect(Object.fromEntries(Object.keys(OFFERED).map((line, i) => [line, words[i]]))).toEqual(
        OFFERED,
      );
    },
    HANGS_AFTER_MS,
  );
});

test.skipIf(!isAvailable("bash"))(
  "in bash, a name of a file with a blank is one word",
  async () => {
    const folder = folderOfTest();
    for (const name of ["my.jsonl", "my first.jsonl"]) writeFileSync(join(folder, name), "");
    const offered = run(
      "bash",
      [],
      [
        await getScript("bash"),
        `COMP_WORDS=(monitor replay ${quoted(join(folder, "my"))}); COMP_CWORD=2; _monitor`,
        `printf '%s\\n' "\${COMPREPLY[@]}" | sort`,
      ],
    );
    expect(offered).toBe(`${join(folder, "my first.jsonl")}\n${join(folder, "my.jsonl")}\n`);
  },
);

test("completion offers every command, and every option that one takes, with what it does", async () => {
  const offered = async (...words: string[]) =>
    (await runInside(["completion", "words", "--", ...words])).stdout;
  const first = await offered("");
  for (const { name, summary, options } of COMMANDS) {
    if (name !== "") expect(first).toContain(`${name}\t${summary}\n`);
    const all = await offered(name === "" ? "perp/1" : name, "-");
    for (const key of options) {
      expect(all).toContain(`--${OPTIONS[key].name}\t${OPTIONS[key].summary}\n`);
    }
  }
});

test("completion leaves the names of files to the shell", async () => {
  const { stdout } = await runInside(["completion", "words", "--", "export", "-o", ""]);
  expect(stdout).toBe(":files\n");
});
