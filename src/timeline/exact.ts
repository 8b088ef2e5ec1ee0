// Plain data as JSON without loss: Maps, Sets, bigints and numbers that JSON does not have. Fields that are undefined are left out.
import { isObject, type Json } from "../wire/json.ts";

/** Objects with one of these names as their only one are not what they seem. */
const TAGS = { map: "$map", set: "$set", bigint: "$bigint", number: "$number", object: "$object" };

export function toExact(value: unknown): Json {
  if (typeof value === "bigint") return { [TAGS.bigint]: `${value}` };
  if (typeof value === "number")
    return Number.isFinite(value) ? value : { [TAGS.number]: `${value}` };
  if (Array.isArray(value)) return value.map(toExact);
  if (value instanceof Map) return { [TAGS.map]: [...value].map(toExact) };
  if (value instanceof Set) return { [TAGS.set]: [...value].map(toExact) };
  if (typeof value !== "object" || value === null) return (value ?? null) as Json;
  const members = Object.entries(value).filter(([, part]) => part !== undefined);
  // A service may name a field so.
  if (members.some(([name]) => name.startsWith("$"))) return { [TAGS.object]: toExact(members) };
  return Object.fromEntries(members.map(([name, part]) => [name, toExact(part)]));
}

export function fromExact(value: Json): unknown {
  if (Array.isArray(value)) return value.map(fromExact);
  if (!isObject(value)) return value;
  const [tag = "", ...others] = Object.keys(value);
  const content = value[tag];
  if (others.length > 0 || content === undefined || !tag.startsWith("$"))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fromExact(part)]));
  if (tag === TAGS.bigint) return BigInt(content as string);
  if (tag === TAGS.number) return Number(content);
  const parts = fromExact(content) as readonly unknown[];
  if (tag === TAGS.set) return new Set(parts);
  if (tag === TAGS.map) return new Map(parts as [unknown, unknown][]);
  return Object.fromEntries(parts as [string, unknown][]);
}
