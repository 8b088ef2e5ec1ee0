// Where the fills of statements persist: a folder of its own beside the rest that persists, which only its owner can read.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder } from "../config/data-folder.ts";
import { disk } from "../export/disk.ts";
import { makeOwnersFolder } from "../system/own-file.ts";
import { processes } from "../system/processes.ts";
import { type FillsFolder, OWN_NAME } from "./fills.ts";

const NAME = "fills";

export async function fillsPath(): Promise<string> {
  return join(await dataFolder(), NAME);
}

/** Makes it. @returns why it cannot be had, as text */
export async function openFillsFolder(): Promise<FillsFolder | string> {
  const path = await fillsPath();
  try {
    makeOwnersFolder(path);
    return { path, files: disk, processes };
  } catch (error) {
    return `fills are not persisted: ${(error as Error).message}`;
  }
}

/** Removes what statements have made there, and nothing else. @returns how many files */
export async function clearFills(): Promise<number> {
  const path = await fillsPath();
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const own = names.filter((name) => OWN_NAME.test(name));
  for (const name of own) await rm(join(path, name), { force: true });
  return own.length;
}
