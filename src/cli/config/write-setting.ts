// Sets one key of the config file and leaves everything else in it as it is, comments included.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { resolveOutputPath } from "../../system/named-file.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Context } from "../context.ts";
import { checkConfig } from "./config-file.ts";
import { requireLocation } from "./config-location.ts";

const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;

/** @returns the path of the file. @throws {UsageError} if it has faults or is no file; file system errors */
export async function writeSetting(
  context: Pick<Context, "options" | "env">,
  key: string,
  value: string,
): Promise<string> {
  const { path: name } = requireLocation(context);
  const { kind, path } = resolveOutputPath(name, "a config file");
  const facts = statSync(path, { throwIfNoEntry: false });
  if (kind !== "file") throw new UsageError(`${name} is no file`);
  const text = facts === undefined ? "" : readFileSync(path, "utf8");
  const next = withSetting(text, key, value);
  const part = `${path}.${process.pid}.part`;
  mkdirSync(dirname(path), { recursive: true, mode: OWNERS_FOLDER });
  try {
    writeFileSync(part, next, { mode: facts?.mode ?? OWNER_ONLY, flag: "wx" });
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
  return name;
}

/** In the place of the value that is there, else as the first line: before any table. @throws {UsageError} if that would change more */
function withSetting(text: string, key: string, value: string): string {
  const quoted = JSON.stringify(value);
  const own = new RegExp(`^([ \\t]*${key}[ \\t]*=[ \\t]*)(?:"[^"\\n]*"|'[^'\\n]*')`, "m");
  const top = text.split(/^[ \t]*\[/m)[0] ?? "";
  const next = own.test(top)
    ? text.replace(own, (_, start) => start + quoted)
    : `${key} = ${quoted}\n${text}`;
  const [before, after] = [text, next].map((each) => checkConfig(each).config);
  const wanted = { ...before, [key]: value };
  const isOnlyThat =
    before !== undefined &&
    after !== undefined &&
    Object.keys(wanted).every(
      (each) =>
        JSON.stringify(wanted[each as keyof typeof wanted]) ===
        JSON.stringify(after[each as keyof typeof after]),
    );
  if (isOnlyThat) return next;
  throw new UsageError("the config file is written in a way that only its owner can change");
}
