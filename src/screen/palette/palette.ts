// The palette: a line that finds commands, markets, views and keys by a few letters.
import type { Surface } from "../../terminal/cells/surface.ts";
import { cutSentence, cutText, textWidth } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { Dashboard } from "../dashboard.ts";
import { actionsIn, formatKey } from "../keymap.ts";
import type { Action, KEYS } from "../keys.ts";
import { CARET, endOfText, paintTyped, TextField } from "../text-field.ts";
import type { Theme } from "../theme/theme.ts";
import type { Typing } from "../views/view.ts";
import { PALETTE_COMMANDS, type PaletteCommand } from "./commands.ts";

const MAX_SUGGESTIONS = 8;
const MAX_HISTORY = 50;

interface Suggestion {
  readonly text: string;
  readonly description: string;
  /** Enter performs this instead of running the text. */
  readonly action?: Action;
}

export class Palette implements Typing {
  readonly #dashboard: Dashboard;
  #field: TextField | undefined;
  /** Lines run, including earlier runs of the program; newest first. */
  history: readonly string[];
  /** The suggestion that the user has moved to. Enter runs it, even after new data have moved it. */
  #chosen: Suggestion | undefined;
  /** Why the last line could not be run; may be empty. */
  message = "";

  constructor(dashboard: Dashboard, history: readonly string[] = []) {
    this.#dashboard = dashboard;
    this.history = history;
  }

  get isOpen(): boolean {
    return this.#field !== undefined;
  }

  get text(): string {
    return this.#field?.text ?? "";
  }

  masked(text: string): string {
    return this.#dashboard.shown.masked(text);
  }

  /** @param text what is typed already */
  open(text = ""): void {
    this.message = "";
    this.#type(text);
  }

  close(): void {
    this.#field = undefined;
    this.#dashboard.notify();
  }

  key(name: string): boolean {
    if (name === "ctrl+c") return false;
    const move = MOVES[name];
    if (move !== undefined) this.#move(move);
    else if (name === "tab") this.#take();
    else if (name === "backspace" && this.text === "") this.close();
    else this.#field?.key(name);
    return true;
  }

  paste(text: string): void {
    this.#field?.paste(text);
  }

  /** Best first; lines of the history while nothing is typed. */
  get suggestions(): readonly Suggestion[] {
    const text = this.text.trimStart();
    const command = parseCommand(text);
    if (command !== undefined && /\s/.test(text)) {
      const rest = text.slice(command.name.length).trimStart();
      const dashboard = this.#dashboard;
      const values = (command.complete?.(dashboard) ?? []).map((value) => ({
        text: `${command.name} ${value}`,
        // Planned only when drawn: there may be a thousand markets.
        get description() {
          const plan = command.plan(dashboard, value);
          return "fault" in plan ? command.description : plan.description;
        },
      }));
      return search(values, rest, (each) => each.text.slice(command.name.length + 1));
    }
    if (text.trim() === "") {
      const before = this.history.map((line) => ({ text: line, description: "typed before" }));
      const all = [...before.slice(0, MAX_SUGGESTIONS / 2), ...this.#everything()];
      return all.slice(0, MAX_SUGGESTIONS);
    }
    const descriptionOf = ({ description }: Suggestion) => description;
    return search(this.#everything(), text, (each) => each.text, descriptionOf);
  }

  /** Where the chosen suggestion stands, at first the best; -1 when data have changed and it is none any more. */
  get selected(): number {
    const chosen = this.#chosen;
    if (chosen === undefined) return 0;
    return this.suggestions.findIndex(
      ({ text, action }) => text === chosen.text && action === chosen.action,
    );
  }

  #everything(): readonly Suggestion[] {
    const dashboard = this.#dashboard;
    const markets = PALETTE_COMMANDS.find(({ name }) => name === "market");
    return [
      ...PALETTE_COMMANDS.map(({ name, usage, description }) => ({
        text: name,
        description: `${usage} ${description}`,
      })),
      ...dashboard.views.map(({ name, title }) => ({ text: `view ${name}`, description: title })),
      ...(markets?.complete?.(dashboard) ?? []).map((name) => ({
        text: `market ${name}`,
        description: "show this market",
      })),
      ...dashboard.shown.store.slices.map(({ channel }) => ({
        text: `channel ${channel}`,
        description: "its state, faults and interpretation",
      })),
      ...actionsIn(dashboard.viewContexts).flatMap((binding) => {
        const { description } = dashboard.useOf(binding);
        const isOfView = dashboard.views.some(({ action }) => action === binding.action);
        return description === "" || isOfView ? [] : [suggestAction(binding, description)];
      }),
    ];
  }

  #type(text: string): void {
    const reset = () => {
      this.#chosen = undefined;
      this.#dashboard.notify();
    };
    const onChange = () => {
      this.message = "";
      reset();
    };
    const onEnd = (isAccepted: boolean) => (isAccepted ? this.#run() : this.close());
    this.#field = new TextField({ text, onChange, onEnd });
    reset();
  }

  #move(steps: number): void {
    const { suggestions, selected } = this;
    const count = suggestions.length;
    if (count === 0) return;
    const isFirstMove = this.#chosen === undefined;
    this.#chosen = suggestions[isFirstMove ? 0 : (Math.max(0, selected) + steps + count) % count];
    this.#dashboard.notify();
  }

  /** Tab: puts the suggestion into the line, ready for an argument. */
  #take(): void {
    const chosen = this.#meant;
    if (chosen === undefined) return;
    const needsArgument = PALETTE_COMMANDS.some(({ name }) => name === chosen.text);
    this.#type(needsArgument ? `${chosen.text} ` : chosen.text);
  }

  get #meant(): Suggestion | undefined {
    return this.#chosen ?? this.suggestions[0];
  }

  /** What Enter runs: the line, or the suggestion that the user has moved to. */
  get #entered(): Entered {
    const line = this.text.trim();
    const chosen = this.#meant;
    const isLine = this.#chosen === undefined && parseCommand(line) !== undefined;
    if (!isLine && chosen === undefined) return { text: line };
    if (!isLine && chosen?.action !== undefined) return { text: line, action: chosen.action };
    const text = isLine ? line : (chosen?.text ?? "");
    const command = parseCommand(text);
    return { text, command, argument: text.slice(command?.name.length ?? 0).trim() };
  }

  /** What Enter will do, or why it cannot yet; may be empty. */
  get preview(): string {
    const { command, argument = "" } = this.#entered;
    if (command === undefined || argument === "") return "";
    const plan = command.plan(this.#dashboard, argument);
    return "fault" in plan ? plan.fault : `Enter: ${plan.description}`;
  }

  #run(): void {
    const { text, action, command, argument = "" } = this.#entered;
    if (action !== undefined) {
      this.close();
      this.#dashboard.perform(action);
    } else if (command !== undefined && argument !== "") this.#runCommand(command, argument);
    else if (command !== undefined) this.#type(`${command.name} `);
    else if (text === "") this.close();
    else this.#fail(`nothing is called ${text}`);
  }

  #runCommand(command: PaletteCommand, argument: string): void {
    const plan = command.plan(this.#dashboard, argument);
    if ("fault" in plan) {
      this.#fail(plan.fault);
      return;
    }
    plan.run();
    const line = `${command.name} ${argument}`;
    this.history = [line, ...this.history.filter((each) => each !== line)].slice(0, MAX_HISTORY);
    this.close();
  }

  #fail(message: string): void {
    this.message = message;
    this.#dashboard.notify();
  }
}

function suggestAction({ action, keys }: (typeof KEYS)[number], description: string): Suggestion {
  const [text = "", more = ""] = description.split(/: (.*)/);
  const shown = keys.length === 0 ? "" : `(${keys.map(formatKey).join(" ")})`;
  return { text, description: [more, shown].filter(Boolean).join(" "), action };
}

interface Entered {
  readonly text: string;
  readonly action?: Action;
  readonly command?: PaletteCommand | undefined;
  readonly argument?: string;
}

const MOVES: Readonly<Record<string, number>> = { down: 1, up: -1, "ctrl+n": 1, "ctrl+p": -1 };

function parseCommand(text: string): PaletteCommand | undefined {
  const [first = ""] = text.split(/\s/);
  return PALETTE_COMMANDS.find(({ name }) => name === first);
}

function search(
  all: readonly Suggestion[],
  text: string,
  nameOf: (suggestion: Suggestion) => string,
  descriptionOf: (suggestion: Suggestion) => string = () => "",
): readonly Suggestion[] {
  if (text.trim() === "") return all.slice(0, MAX_SUGGESTIONS);
  const match = matcher(text);
  const found: Suggestion[][] = Object.values(MATCH).map(() => []);
  for (const each of all) {
    const rank = match(nameOf(each), descriptionOf(each));
    if (rank !== undefined) found[rank]?.push(each);
  }
  return found.flat().slice(0, MAX_SUGGESTIONS);
}

const GAP = 3;
const MIN_VIEW_ROWS = 4;

export function paletteRows({ isOpen }: Palette, rows: number): number {
  if (!isOpen) return 0;
  return Math.max(1, Math.min(MAX_SUGGESTIONS + 1, rows - MIN_VIEW_ROWS));
}

export function paintPalette(surface: Surface, palette: Palette, theme: Theme): void {
  const { suggestions, selected, text, message } = palette;
  const room = surface.height - 1;
  const first = Math.max(0, Math.min(selected - room + 1, suggestions.length - room));
  const shown = suggestions.slice(first, first + room);
  const safe = (each: string) => visible(palette.masked(each));
  const width = Math.max(0, ...shown.map((each) => textWidth(safe(each.text))));
  const top = room - shown.length;
  for (const [i, suggestion] of shown.entries()) {
    const isSelected = first + i === selected;
    const style = isSelected ? theme.selection : theme.text;
    if (isSelected) surface.fill(0, top + i, surface.width, 1, style);
    surface.text(0, top + i, isSelected ? "▸ " : "  ", style);
    surface.text(2, top + i, cutText(safe(suggestion.text), surface.width - 2), style);
    const x = 2 + width + GAP;
    const description = cutSentence(safe(suggestion.description), Math.max(0, surface.width - x));
    surface.text(x, top + i, description, isSelected ? style : theme.dim);
  }
  surface.text(0, room, ":", theme.key);
  const typed = surface.text(2, room, endOfText(safe(text), surface.width - 4), theme.strong);
  paintTyped(surface, 2 + typed, room, CARET, theme.key);
  const line = safe(message === "" ? palette.preview : message);
  const rest = cutSentence(line, Math.max(0, surface.width - typed - 6));
  surface.text(5 + typed, room, rest, message === "" ? theme.dim : theme.bad);
}

const MATCH = { name: 0, start: 1, letters: 2, words: 3 } as const;

/**
 * Matches typed text with a name or its description. Each typed word must be the start of a word of the name, or of several
 * in a row (`solp` is SOL-PERP); or letters of one word of the name, in order, including its first; or the start of a word
 * of the description.
 * @returns the match of the worst word; undefined if one does not match
 */
function matcher(text: string): (name: string, description: string) => number | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/);
  const typed = parts.join(" ");
  const letters = parts.map((part) => part.replace(/[^\p{L}\p{N}]/gu, ""));
  return (name, description) => {
    if (typed === name.toLowerCase()) return MATCH.name;
    let worst: number = MATCH.start;
    for (const [i, part] of parts.entries()) {
      const match = matchPart(part, letters[i] ?? "", name, description);
      if (match === undefined) return undefined;
      worst = Math.max(worst, match);
    }
    return worst;
  };
}

/** @param typed letters and digits of the part */
function matchPart(
  part: string,
  typed: string,
  name: string,
  description: string,
): number | undefined {
  // A key that is punctuation.
  if (typed === "") return description.split(/[\s()]+/).includes(part) ? MATCH.words : undefined;
  const { words, parts } = splitWords(name);
  if (isOfStarts(typed, parts)) return MATCH.start;
  if (words.some((word) => word.startsWith(typed))) return MATCH.start;
  if (words.some((word) => hasLetters(word, typed))) return MATCH.letters;
  const isDescribed = splitWords(description).words.some((word) => word.startsWith(typed));
  return isDescribed ? MATCH.words : undefined;
}

/** Lower-case words of a text, and their parts: `timeZone` has two. */
interface Words {
  readonly words: readonly string[];
  readonly parts: readonly string[];
}

/** Bounds the cache: there may be thousands of markets, all searched at each letter. */
const MAX_KNOWN = 20_000;
const known = new Map<string, Words>();

function splitWords(text: string): Words {
  let split = known.get(text);
  if (split === undefined) {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const parts = words.flatMap((word) => word.split(/(?<=\p{Ll})(?=\p{Lu})/u));
    const lower = (all: readonly string[]) => all.map((each) => each.toLowerCase());
    split = { words: lower(words), parts: lower(parts) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, split);
  }
  return split;
}

function isOfStarts(text: string, words: readonly string[]): boolean {
  let ends = [0];
  for (const word of words) {
    const more = ends.flatMap((end) => startsAt(text, end, word));
    if (more.length > 0) ends = [...new Set([...ends, ...more])];
  }
  return ends.includes(text.length);
}

/** Indices where a prefix of the word that starts at `from` can end. */
function startsAt(text: string, from: number, word: string): readonly number[] {
  const ends: number[] = [];
  for (let n = 0; n < word.length && text[from + n] === word[n]; n++) ends.push(from + n + 1);
  return ends;
}

/** True if the word starts with the first letter of the text and contains the others in order. */
function hasLetters(word: string, text: string): boolean {
  if (word[0] !== text[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === text[at]) at++;
  return at === text.length;
}
