// Damage to messages, made at random from a seed: each kind of it by name, so that a test can say what it tried.
import type { Random } from "../../src/units/random.ts";
import { words } from "../support/words.ts";
import { readFixtureFile } from "./fixture.ts";
import { anyChannel, below, type Fields, oneOf, payloadMakers } from "./wire-messages.ts";

type Holder = Record<string | number, unknown>;

/** One value inside a message: the object or list that holds it, and its key there. */
interface Place {
  readonly holder: Holder;
  readonly key: string;
}

function placesIn(value: unknown, places: Place[] = []): readonly Place[] {
  if (typeof value !== "object" || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push({ holder: value as Holder, key });
    placesIn((value as Holder)[key], places);
  }
  return places;
}

const valueAt = ({ holder, key }: Place): unknown => holder[key];

/** Some place in the message whose value is fitting; undefined when there is none. */
function somePlace(
  random: Random,
  message: unknown,
  isFitting: (value: unknown) => boolean = () => true,
): Place | undefined {
  const places = placesIn(message).filter((place) => isFitting(valueAt(place)));
  return places.length === 0 ? undefined : oneOf(random, places);
}

const isObject = (value: unknown): value is Holder =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types = readFixtureFile("values") as Readonly<
  Record<string, Readonly<Record<string, unknown[]>>>
>;
const texts = Object.values(types)
  .flatMap(({ good = [], bad = [] }) => [...good, ...bad])
  .filter((value) => typeof value === "string");
const kinds = readFixtureFile("channels") as Readonly<Record<string, { readonly bad: string[] }>>;
const badNames = Object.values(kinds).flatMap(({ bad }) => bad);
const numbers = [
  ...[-1, -0.5, 0, 0.5, 1, 1.5, 2, 200, 404, 1e300],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53],
];
const others: readonly unknown[] = [null, true, false, 0, 1, "", "1", [], {}, [null], { "": null }];
const extras = ["", ...words("extra __proto__ constructor 0 length sequence name channel")];

function set(place: Place | undefined, value: unknown): void {
  if (place !== undefined) place.holder[place.key] = value;
}

function add(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function spoil(random: Random, text: string): string {
  const at = below(random, text.length + 1);
  const added = oneOf(random, ["", "-", "+", ".", " ", "\n", "e5", "٣", "/", "0", "1", "x", "l"]);
  return text.slice(0, at) + added + text.slice(at + below(random, 2));
}

function swapPayload(random: Random, message: unknown): void {
  if (!isObject(message)) return;
  for (const key of Object.keys(message)) {
    if (!["type", "channel", "timestamp_ns"].includes(key)) delete message[key];
  }
  Object.assign(message, oneOf(random, Object.values(payloadMakers))(random));
}

function resize(random: Random, list: unknown[]): void {
  const length = oneOf(random, [0, 1, 2, 3, 200, 201]);
  const [first = {}] = list;
  while (list.length < length) list.push(first);
  list.length = length;
}

/** Damage to the parsed message, in place. Some of it leaves the message as the document allows it. */
const damages: Readonly<Record<string, (random: Random, message: unknown) => void>> = {
  "drop a field": (random, message) => {
    const place = somePlace(random, message);
    if (Array.isArray(place?.holder)) place.holder.splice(Number(place.key), 1);
    else if (place !== undefined) delete place.holder[place.key];
  },
  "change a type": (random, message) => set(somePlace(random, message), oneOf(random, others)),
  "put null": (random, message) => set(somePlace(random, message), null),
  "add a field": (random, message) => {
    const place = somePlace(random, { message }, isObject);
    if (place === undefined) return;
    add(valueAt(place) as Holder, oneOf(random, extras), oneOf(random, others));
  },
  "put bad text": (random, message) =>
    set(
      somePlace(random, message, (value) => typeof value === "string"),
      oneOf(random, texts),
    ),
  "spoil text": (random, message) => {
    const place = somePlace(random, message, (value) => typeof value === "string");
    if (place !== undefined) set(place, spoil(random, String(valueAt(place))));
  },
  "put another number": (random, message) =>
    set(
      somePlace(random, message, (value) => typeof value === "number"),
      oneOf(random, numbers),
    ),
  "change a list's length": (random, message) => {
    const place = somePlace(random, { message }, Array.isArray);
    if (place !== undefined) resize(random, valueAt(place) as unknown[]);
  },
  "name another channel": (random, message) => {
    if (isObject(message)) message.channel = anyChannel(random);
  },
  "name no channel": (random, message) => {
    if (isObject(message)) message.channel = oneOf(random, badNames);
  },
  "name another type": (random, message) => {
    const all = ["hello", "update", "unsubscribed", "error", "subscribe", "Update", "", null];
    if (isObject(message)) message.type = oneOf(random, all);
  },
  "swap the payload": swapPayload,
};

const signs = '{}[]",:\\-+.0123456789eEnul tf\u0000\n\u0663\ud800';

/** Damage to the text of a message. */
const textDamages: Readonly<Record<string, (random: Random, text: string) => string>> = {
  "cut the text": (random, text) => text.slice(0, below(random, text.length)),
  "change a character": (random, text) => {
    const at = below(random, text.length);
    return `${text.slice(0, at)}${signs[below(random, signs.length)]}${text.slice(at + 1)}`;
  },
  "repeat a part": (random, text) => {
    const at = below(random, text.length);
    const end = at + below(random, 12);
    return text.slice(0, end) + text.slice(at);
  },
  "overflow a number": (random, text) =>
    text.replace(/\d+(?=[,}\]])/, oneOf(random, ["1e400", "-1e400", "NaN"])),
  "random characters": (random) =>
    Array.from({ length: below(random, 40) }, () => signs[below(random, signs.length)]).join(""),
};

/** The names of all damage. */
export const damageNames: readonly string[] = [
  ...Object.keys(damages),
  ...Object.keys(textDamages),
];

/** The text of a message after one kind of damage. */
export function damage(name: string, random: Random, message: Fields | Fields[]): string {
  damages[name]?.(random, message);
  const text = JSON.stringify(message);
  return textDamages[name]?.(random, text) ?? text;
}
