// Runs `monitor export …` and `monitor statement …` inside the process of the test, without pauses.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ListingOptions, serveListing } from "./composed-listing.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { runInside } from "./monitor-inside.ts";
import { folderOfTest } from "./temporary-folder.ts";

interface Service {
  readonly baseUrl: string;
}

/** Words are separated by single spaces. */
export function monitor(words: string, { baseUrl }: Service, interrupt?: AbortSignal) {
  return runInside([...words.split(" "), "--base-url", baseUrl], interrupt, hurriedClock);
}

/** A listing, and exports of it into a folder of the test. @param usual name of the file where a run says none */
export async function startExport(options: Partial<ListingOptions>, usual: string) {
  const listing = await serveListing(options);
  const folder = folderOfTest();
  const fileOf = (name: string) => join(folder, name);
  return {
    listing,
    folder,
    fileOf,
    read: (name: string) => readFileSync(fileOf(name), "utf8"),
    run: (words = "", name = usual) =>
      monitor(`export ${listing.words} -o ${fileOf(name)} ${words}`.trim(), listing),
  };
}

/** What a line has besides its record. */
const DERIVED = ["time", "role", "side", "fee_quote"];

/** The records of an NDJSON export. */
export function recordsOf(path: string): readonly object[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    for (const name of DERIVED) delete record[name];
    return record;
  });
}
