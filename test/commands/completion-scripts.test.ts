// Completion in real shells, as far as they are there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/args/commands.ts";
import { OPTIONS } from "../../src/args/options.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../../src/commands/completion.ts";

/** A monitor that knows one market and one profile. */
const MONITOR: Readonly<Record<string, string>> = {
  bash: 'monitor() { case "$2" in markets) echo "BTC perp/1";; profiles) echo testnet;; esac; }',
  zsh: "monitor() { case $2 in markets) print -l BTC perp/1;; profiles) print testnet;; esac }",
  fish: "function monitor; switch $argv[2]; case markets; printf 'BTC\\nperp/1\\n'; case profiles; echo testnet; end; end",
};

/** Far longer than a shell takes on any machine. */
const HANGS_AFTER_MS = 120_000;

function run(shell: string, options: readonly string[], lines: readonly string[]): string {
  const script = lines.join("\n");
  const { stdout, stderr } = spawnSync(shell, [...options, "-c", script], {
    encoding: "utf8",
    timeout: HANGS_AFTER_MS,
  });
  expect(stderr).toBe("");
  return stdout;
}

/** What bash offers for the last word of each line. */
function bashOffers(lines: readonly string[]): string[] {
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
  return answers(run("bash", [], [MONITOR.bash ?? "", bashCompletion(), ...asked]));
}

function fishOffers(lines: readonly string[]): string[] {
  const asked = lines.flatMap((line) => [`complete -C 'monitor ${line}'`, `echo ${END}`]);
  return answers(run("fish", ["--no-config"], [MONITOR.fish ?? "", fishCompletion(), ...asked]));
}

/**
 * An interactive zsh on a terminal of its own, where each line is typed with a Tab behind it; what is offered goes to
 * a file.
 */
function zshOffers(lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "monitor-zsh-"));
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
  writeFileSync(script, zshCompletion());
  try {
    run(
      "zsh",
      ["-f"],
      [
        "zmodload zsh/zpty; zpty z zsh -f -i",
        typed(`PROMPT=; ${MONITOR.zsh}; autoload -Uz compinit; compinit -D -u; source ${script}`),
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
  } finally {
    rmSync(folder, { recursive: true });
  }
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
const isThere = (shell: string) => spawnSync(shell, ["-c", "exit"]).status === 0;

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
};

describe.each(Object.entries(SHELLS))("completion in %s", (shell, offers) => {
  test.skipIf(!isThere(shell))(
    "offers commands and markets, the options of each command, and what a value can be",
    () => {
      const words = offers(Object.keys(OFFERED));
      expect(Object.fromEntries(Object.keys(OFFERED).map((line, i) => [line, words[i]]))).toEqual(
        OFFERED,
      );
    },
  );
});

describe.each([
  ["bash", bashCompletion, "--"],
  ["zsh", zshCompletion, "--"],
  ["fish", fishCompletion, "-l "],
])("completion for %s", (_, script, dashes) => {
  test("names every command and every option that one takes", () => {
    const text = script();
    for (const { name, options } of COMMANDS) {
      expect(text).toContain(name);
      for (const key of options) expect(text).toContain(`${dashes}${OPTIONS[key].name}`);
    }
  });

  test("asks the program itself for markets and profiles", () => {
    expect(script()).toContain("monitor completion markets");
    expect(script()).toContain("monitor completion profiles");
  });
});
