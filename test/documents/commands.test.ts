// Every command in README.md and in the documents runs as it stands there, against one simulated exchange, and prints
// what stands there where that is fixed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { codeBlocks, documentPaths, ROOT, readDocument } from "../support/documents.ts";
import { simulateForFile } from "../support/simulate-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const hasJq = spawnSync("jq", ["--version"]).status === 0;
const folder = folderOfFile();
const blocks = documentPaths()
  .flatMap(codeBlocks)
  .filter(({ language }) => language === "sh");
const { scripts } = JSON.parse(readDocument("package.json")) as { scripts: Record<string, string> };

/** Commands that go on until they are told to end. */
const ENDLESS = /^monitor (?:simulate|(?:account|perp\/1)(?!.* --(?:once|for|ws-url)))/;

/** What they find depends on how much the machine lets through in a set time: that they tell it is enough here. */
const TIMED = /^monitor (?:doctor|record|replay)/;

const announced = simulateForFile("--history", "1000");
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${ROOT}bin/monitor.js' "$@"\n`;
  writeFileSync(join(bin, "monitor"), program);
  chmodSync(join(bin, "monitor"), 0o755);
  const { ws_url, base_url, account } = announced();
  env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    MONITOR_WS_URL: ws_url,
    MONITOR_BASE_URL: base_url,
    ADDRESS: account.address,
    OWNER: account.owner,
    SUBACCOUNT_ID: String(account.subaccount_id),
  };
});

/** Runs one line in a folder; what goes on is told to end once it has printed something. */
async function run(line: string, cwd: string): Promise<{ code: number; output: string }> {
  const isEndless = ENDLESS.test(line);
  const patient = line.replace(/^(monitor (?:perp|account) .*--once)/, "$1 --timeout 50s");
  const command = isEndless ? `exec ${line.replace(/--port [0-9]+/, "--port 0")}` : patient;
  const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (data: Buffer) => {
    output += data;
    if (isEndless) child.kill("SIGTERM");
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const [code] = await once(child, "close");
  return { code, output };
}

/** The command of a line, and the exit code that its comment announces. */
function readLine(line: string): { command: string; code: number } {
  const [command = "", comment = ""] = line.split(/\s+# /);
  return { command, code: Number(/ends with ([0-9]+)/.exec(comment)?.[1] ?? 0) };
}

/** What several documents look at, once for all of them. */
const LOOK = /^(monitor perp\/1 --once --json)(?: \| (jq .*))?$/;
let look: ReturnType<typeof run> | undefined;

async function runOrLook(line: string, cwd: string): ReturnType<typeof run> {
  const [, command, rest] = LOOK.exec(line) ?? [];
  if (command === undefined) return run(line, cwd);
  look ??= run(command, folder);
  const looked = await look;
  if (rest === undefined || looked.code !== 0) return looked;
  writeFileSync(join(cwd, "look.json"), looked.output);
  return run(`${rest} < look.json`, cwd);
}

/** Without jq, what is handed to it is looked at all the same. */
function withoutJq(command: string): string {
  if (hasJq) return command;
  return command.startsWith("jq ") ? "true" : command.replace(/ \| jq .*$/, "");
}

/** Runs one line of a block, or checks what it names where running it would be the test itself. */
async function runLine(line: string, cwd: string): Promise<string> {
  const { command, code } = readLine(line);
  const script = /^npm (?:run )?([a-z]+)/.exec(command)?.[1];
  if (script !== undefined) {
    expect(scripts).toHaveProperty(script);
    return "";
  }
  const done = command.startsWith("export ")
    ? { code: 0, output: "" }
    : await runOrLook(withoutJq(command), cwd);
  if (!TIMED.test(command)) expect(done.code, `${command}\n${done.output}`).toBe(code);
  else expect(done.output).not.toBe("");
  return done.output;
}

// Several processes, one after the other, in each.
describe.concurrent("commands of the documents", () => {
  test.each(blocks)("$document, line $line", async ({ lines, output, document, line: at }) => {
    const cwd = join(folder, `${document.replaceAll("/", "-")}-${at}`);
    mkdirSync(cwd);
    let printed = "";
    for (const line of lines) printed += await runLine(line, cwd);
    if (output !== undefined) expect(printed).toBe(output);
  });

  test("are there, and use what the environment has", () => {
    const all = blocks.flatMap(({ lines }) => lines);
    expect(all.filter((line) => line.startsWith("monitor ")).length).toBeGreaterThan(20);
    const exported = all.filter((line) => line.startsWith("export "));
    const names = exported.flatMap((line) => [...line.matchAll(/ ([A-Z_]+)=/g)]);
    for (const [, name = ""] of names) expect(env).toHaveProperty(name);
  });
});
