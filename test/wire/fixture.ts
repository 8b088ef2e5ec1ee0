// Reads test/fixtures (see the README there): whole messages, and cases made from them by one change.
import { readdirSync, readFileSync } from "node:fs";

/** One message of a fixture, and where its fault is when it has one. */
export interface FixtureCase {
  readonly name: string;
  /** The message as sent. */
  readonly text: string;
  readonly path: string;
  readonly reason: string;
}

interface Fixture {
  /** Path within test/fixtures without its ending: `frames/bbo`. */
  readonly file: string;
  readonly good: readonly FixtureCase[];
  readonly bad: readonly FixtureCase[];
  readonly newer: readonly FixtureCase[];
  /** A case for each required field that is missing. */
  readonly missing: readonly FixtureCase[];
  /** A case for each optional field that is missing. */
  readonly without: readonly FixtureCase[];
  /** Cases for each field with each good, and each bad, value of its type. */
  readonly goodValues: readonly FixtureCase[];
  readonly badValues: readonly FixtureCase[];
}

interface Written {
  readonly name: string;
  readonly message?: unknown;
  readonly text?: string;
  readonly at?: string;
  readonly value?: unknown;
  readonly drop?: string;
  readonly repeat?: string;
  readonly times?: number;
  readonly path?: string;
  readonly reason?: string;
}

interface WrittenFixture {
  readonly good: readonly Written[];
  readonly fields: Readonly<Record<string, string>>;
  readonly optional?: readonly string[];
  readonly bad: readonly Written[];
  readonly newer: readonly Written[];
}

interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const root = new URL("../fixtures/", import.meta.url);

/** A fixture file as it is written; the caller says what it holds. */
export function readFixtureFile(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`${file}.json`, root), "utf8"));
}

/** Names of the fixtures in a folder: `frames/bbo` and so on. */
export function fixturesIn(folder: string): readonly string[] {
  return readdirSync(new URL(folder, root))
    .map((name) => `${folder}/${name.replace(/\.json$/, "")}`)
    .sort();
}

const keysOf = (path: string): readonly string[] =>
  path === "" ? [] : path.replace(/^\[/, "").replaceAll("]", "").split(/[.[]/);

type Holder = Record<string, unknown>;

/** The object that holds the last part of the path. */
function holderOf(message: unknown, keys: readonly string[]): Holder {
  return keys.slice(0, -1).reduce((value, key) => (value as Holder)[key], message) as Holder;
}

function put(message: unknown, path: string, value: unknown): unknown {
  const keys = keysOf(path);
  const last = keys.at(-1);
  if (last === undefined) return value;
  const own = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holderOf(message, keys), last, own);
  return message;
}

function take(message: unknown, path: string): unknown {
  return keysOf(path).reduce((value, key) => (value as Holder)[key], message);
}

function drop(message: unknown, path: string): unknown {
  const keys = keysOf(path);
  delete holderOf(message, keys)[keys.at(-1) ?? ""];
  return message;
}

function repeat(message: unknown, path: string, times: number): unknown {
  const [first] = take(message, path) as unknown[];
  return put(
    message,
    path,
    Array.from({ length: times }, () => first),
  );
}

function made(written: Written, base: unknown): unknown {
  const message = structuredClone(base);
  if (written.message !== undefined) return written.message;
  if (written.at !== undefined) return put(message, written.at, written.value);
  if (written.drop !== undefined) return drop(message, written.drop);
  if (written.repeat !== undefined) return repeat(message, written.repeat, written.times ?? 0);
  throw new Error(`the case "${written.name}" changes nothing`);
}

function caseOf(written: Written, base: unknown): FixtureCase {
  return {
    name: written.name,
    text: written.text ?? JSON.stringify(made(written, base)),
    path: written.path ?? written.at ?? written.drop ?? written.repeat ?? "",
    reason: written.reason ?? "wrong-shape",
  };
}

export function readFixture(file: string): Fixture {
  const { good, fields, optional = [], bad, newer } = readFixtureFile(file) as WrittenFixture;
  const base = good[0]?.message;
  const cases = (written: readonly Written[]) => written.map((one) => caseOf(one, base));
  const types = readFixtureFile("values") as Readonly<Record<string, Values>>;
  const valuesOf = (which: keyof Values) =>
    Object.entries(fields).flatMap(([at, type]) =>
      (types[type]?.[which] ?? []).map((value) => {
        return { name: `${at} = ${JSON.stringify(value)}`, at, value };
      }),
    );
  const dropping = (path: string): Written => ({ name: `no ${path}`, drop: path });
  const required = Object.keys(fields).filter((at) => !optional.includes(at) && !at.endsWith("]"));
  return {
    file,
    good: cases(good),
    bad: cases(bad),
    newer: cases(newer),
    missing: cases(required.map(dropping)),
    without: cases(optional.map(dropping)),
    goodValues: cases(valuesOf("good")),
    badValues: cases(valuesOf("bad")),
  };
}
