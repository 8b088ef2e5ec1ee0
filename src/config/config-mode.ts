// A config file that holds headers is for its owner only.
import { stat } from "node:fs/promises";
import type { Config } from "./config-file.ts";

const OTHERS = 0o077;

/** True when headers are in it, for all or for a profile. Never throws. */
export function holdsHeaders({ headers = {}, profiles = {} }: Config): boolean {
  const all = [headers, ...Object.values(profiles).map((profile) => profile.headers ?? {})];
  return all.some((each) => Object.keys(each).length > 0);
}

/**
 * The mode of a file in octal digits, and whether others can read or change it.
 * @throws what the file system throws: no such file
 */
export async function modeOf(path: string): Promise<{ digits: string; isOpen: boolean }> {
  const { mode } = await stat(path);
  const digits = (mode & 0o777).toString(8).padStart(3, "0");
  return { digits, isOpen: (mode & OTHERS) !== 0 };
}
