// Programs of others that some tests need: where one is not installed, its tests are skipped.
import { spawnSync } from "node:child_process";

export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}
