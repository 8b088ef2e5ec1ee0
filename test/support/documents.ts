// The documents of the repository.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function readDocument(path: string): string {
  return readFileSync(`${ROOT}${path}`, "utf8");
}
