// What earlier versions had and this one has not, with what to use instead: the answer to whoever still types it. In a config file
// such a key is ignored, and `config check` names it.
import { UsageError } from "../units/monitor-error.ts";

type Kind = "option" | "command" | "config";

/** By kind and name; empty if nothing stands in for it. */
const REMOVED: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  option: {
    ascii: "ascii = true in the config file",
    "cursor-field": "[dialect] in the config file",
    inline: "--plain, which prints lines",
    "log-level": "--log FILE, which has info and up, and --debug for the rest",
    "metrics-file": "--metrics [HOST:]PORT",
    "no-cache": "",
    "no-mouse": "mouse = false in the config file",
    palette: 'colours = "colour-blind" in the config file',
    probes: "",
    "raw-cells": "--format ndjson, whose text is exact",
    "red-up": 'rising = "red" in the config file',
    "rest-rate": "rest_rate in the config file",
    speed: "the keys _ and ; while the recording plays",
    strict: "monitor doctor, which names what is undocumented",
    svg: "--once, which prints the screen as text",
    verify: "the proof on the last line of every export",
  },
  command: {
    cache: "",
    schema: "the files in docs/schemas",
  },
  config: {
    audit: "",
    centre: "",
    fields: "[dialect]",
    keys: "",
    money_decimals: "",
    palette: 'colours = "usual" or "colour-blind"',
    red_up: 'rising = "green" or "red"',
    themes: "theme, with a built-in one",
    title: "",
    words: "[dialect]",
  },
};

/** `--svg is gone`, and what to use instead, which may be empty; undefined if there never was such a name. */
function findRemoved(kind: Kind, name: string, shown: string) {
  const names = REMOVED[kind];
  if (!Object.hasOwn(names, name)) return undefined;
  return { message: `${shown} is gone`, instead: names[name] ?? "" };
}

/** On one line. @param shown the name as the user wrote it */
export function formatRemoved(kind: Kind, name: string, shown: string): string | undefined {
  const { message, instead } = findRemoved(kind, name, shown) ?? {};
  return instead ? `${message}; instead: ${instead}` : message;
}

/** @throws {UsageError} if it is gone */
export function refuseRemoved(kind: Kind, name: string, shown: string): void {
  const { message, instead } = findRemoved(kind, name, shown) ?? {};
  if (message === undefined) return;
  throw new UsageError(message, instead ? `instead: ${instead}` : "leave it out");
}
