import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNERS_FOLDER = 0o700;

/**
 * Makes a folder that only its owner can read, and those above it that are missing. Not Node's recursive way: that never ends where
 * a folder that is there answers ENOENT to a new one, as those of an automounter and /proc do.
 * @throws what the system says
 */
export function makeOwnersFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path && !isFolder(parent)) makeOwnersFolder(parent);
  try {
    mkdirSync(path, { mode: OWNERS_FOLDER });
  } catch (error) {
    // Another run may have made it at this moment.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
