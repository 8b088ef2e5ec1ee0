// What the tests of exports share: a folder, a foreign service, the program, and an independent reader of CSV.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { cells, iso } from "./csv-rows.ts";
import { ForeignListings, type ForeignListingsOptions } from "./foreign-listings.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { runInside } from "./monitor-inside.ts";
import { runMonitor } from "./monitor-process.ts";
import { folderOfTest } from "./temporary-folder.ts";

export type Records = readonly Readonly<Record<string, unknown>>[];

/** A folder and services that last for one test. Call it once at the top of a test file. */
export function exportRig() {
  let folder = "";
  let services: ForeignListings[] = [];
  beforeEach(() => {
    folder = folderOfTest();
  });
  afterEach(() => {
    for (const service of services) service.close();
    services = [];
  });
  return {
    get folder() {
      return folder;
    },
    fileOf: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
    async start(options: Partial<ForeignListingsOptions> = {}): Promise<ForeignListings> {
      const service = await ForeignListings.start(options);
      services.push(service);
      return service;
    },
  };
}

/** Runs `monitor export …` in this process, without its pauses; words are separated by single spaces. */
export function monitor(words: string, { baseUrl }: { readonly baseUrl: string }) {
  return runHurried([...`export ${words}`.trim().split(" "), "--base-url", baseUrl]);
}

/** Runs `monitor …` in this process, without its pauses. */
export function runHurried(args: readonly string[]) {
  return runInside(args, new AbortController().signal, hurriedClock);
}

/** The same as a process of its own, as its user runs it. */
export function monitorProcess(words: string, { baseUrl }: { readonly baseUrl: string }) {
  return runMonitor([...`export ${words}`.split(" "), "--base-url", baseUrl]);
}

/** Runs an export and ends it by a signal when the service has seen so many requests. */
export function endAt(
  listings: ForeignListings,
  request: number,
  words: string,
  signal: NodeJS.Signals,
) {
  return runMonitor([...`export ${words}`.split(" "), "--base-url", listings.baseUrl], {
    onStart: (kill) => {
      listings.onRequest = (count) => {
        if (count === request) kill(signal);
      };
    },
  });
}

/** Trades of a ledger as the rows of their file. */
export const asTrades = (records: Records): Record<string, string>[] =>
  records.map((record) => ({ ...cells(record), time: iso(record.timestamp_ms) }));
