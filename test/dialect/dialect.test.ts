// What is assumed, learned, pinned and contradicted; and what was learned in an earlier run.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  contradict,
  createDialect,
  learn,
  POINTS,
  uphold,
  VALUES,
} from "../../src/dialect/dialect.ts";
import { readLearned, writeLearned } from "../../src/dialect/learned-file.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const DAY = "2026-11-27";
const URL = "wss://service.example/v1/ws";

describe("a dialect", () => {
  it("assumes the first value of each point", () => {
    const dialect = createDialect();
    for (const point of POINTS)
      expect(dialect[point]).toEqual({ value: VALUES[point][0], source: "assumed" });
  });

  it("takes what the config pins before what was learned before what is assumed", () => {
    const learned = { book: { value: "snapshots", source: "learned", learned: DAY } } as const;
    const dialect = createDialect(
      { ...learned, chain: { value: "none", source: "learned" } },
      {
        book: "changes",
        nullPrevious: "no such value",
      },
    );
    expect(dialect.book).toEqual({ value: "changes", source: "configured" });
    expect(dialect.chain).toMatchObject({ value: "none", source: "learned" });
    expect(dialect.nullPrevious).toEqual({ value: "nothing", source: "assumed" });
  });

  it("does not learn what is pinned, nor what it knows", () => {
    const dialect = createDialect({}, { book: "changes" });
    expect(learn(dialect, "book", "snapshots", DAY)).toBe(false);
    expect(learn(dialect, "chain", "none", DAY)).toBe(true);
    expect(learn(dialect, "chain", "none", DAY)).toBe(false);
    expect(dialect.chain).toEqual({ value: "none", source: "learned", learned: DAY });
  });

  it("keeps its value while it is contradicted, and its source for afterwards", () => {
    const dialect = createDialect();
    learn(dialect, "book", "snapshots", DAY);
    contradict(dialect, "book");
    contradict(dialect, "book");
    expect(dialect.book).toMatchObject({ value: "snapshots", source: "contradicted" });
    uphold(dialect, "book");
    expect(dialect.book).toEqual({ value: "snapshots", source: "learned", learned: DAY });
    uphold(dialect, "book");
    expect(dialect.book.source).toBe("learned");
  });
});

describe("what was learned", () => {
  const file = () => join(folderOfTest(), "monitor", "dialect.json");

  it("is known in the next run, for its service alone", () => {
    const path = file();
    const dialect = createDialect();
    learn(dialect, "book", "snapshots", DAY);
    learn(dialect, "lists.orders", "whole", DAY);
    writeLearned(path, URL, dialect);
    writeLearned(path, "ws://other/v1/ws", createDialect());
    expect(readLearned(path, URL)).toEqual({
      book: { value: "snapshots", source: "learned", learned: DAY },
      "lists.orders": { value: "whole", source: "learned", learned: DAY },
    });
    expect(readLearned(path, "ws://other/v1/ws")).toEqual({});
    expect(JSON.parse(readFileSync(path, "utf8"))[URL]).toEqual({
      book: { value: "snapshots", learned: DAY },
      "lists.orders": { value: "whole", learned: DAY },
    });
    expect(readdirSync(join(path, ".."))).toEqual(["dialect.json"]);
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[1]"],
    ["another form", `{"${URL}":7}`],
    [
      "points and values that are unknown",
      `{"${URL}":{"book":{"value":"x"},"colour":{"value":"a"},"chain":9}}`,
    ],
    [
      "names of an object's own",
      `{"${URL}":{"constructor":{"value":"x"},"__proto__":{"value":"y"}}}`,
    ],
  ])("is ignored where the file holds %s", (_, text) => {
    const path = file();
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    expect(readLearned(path, URL)).toEqual({});
    const dialect = createDialect();
    learn(dialect, "chain", "none", DAY);
    writeLearned(path, URL, dialect);
    expect(readLearned(path, URL)).toMatchObject({ chain: { value: "none" } });
  });

  it("is no matter where nothing can be written", () => {
    const path = join(file(), "under", "a", "file");
    mkdirSync(join(path, "..", "..", "..", ".."), { recursive: true });
    writeFileSync(join(path, "..", "..", ".."), "a file");
    expect(() => writeLearned(path, URL, createDialect())).not.toThrow();
    expect(readLearned(path, URL)).toEqual({});
  });
});
