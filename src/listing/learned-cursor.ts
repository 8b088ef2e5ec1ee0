// How `before` is found at a service, learned in earlier runs: a small file of what was learned, by service and point.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeOwnersFolder } from "../system/own-file.ts";
import { formatIsoMs } from "../units/time.ts";
import { getMembers, parseJson } from "../wire/json.ts";
import type { Listing } from "./listing.ts";

type Kind = Listing<never>["kind"];

export interface LearnedCursors {
  /** A field, or `search`; undefined: the likeliest field is tried first. */
  of(kind: Kind): string | undefined;
  learn(kind: Kind, cursor: string): void;
}

/** @param service its address. Without a file, or where it cannot be read or written, nothing is learned. */
export function openLearnedCursors(
  path: string | undefined,
  service: string,
  wall: () => number,
): LearnedCursors {
  const read = () => {
    try {
      return path === undefined ? {} : getMembers(parseJson(readFileSync(path, "utf8")));
    } catch {
      return {};
    }
  };
  const pointOf = (kind: Kind) => `cursor.${kind}`;
  const of = (kind: Kind) => {
    const { value } = getMembers(getMembers(read()[service])[pointOf(kind)]);
    return typeof value === "string" ? value : undefined;
  };
  return {
    of,
    learn(kind, cursor) {
      if (path === undefined || of(kind) === cursor) return;
      const all = read();
      const point = { value: cursor, learned: formatIsoMs(wall()).slice(0, 10) };
      const points = { ...getMembers(all[service]), [pointOf(kind)]: point };
      try {
        makeOwnersFolder(dirname(path));
        const ours = `${path}.${process.pid}`;
        writeFileSync(ours, `${JSON.stringify({ ...all, [service]: points })}\n`, { mode: 0o600 });
        renameSync(ours, path);
      } catch {
        // Learned again in the next run.
      }
    },
  };
}
