// What typed letters mean of what is there. Enter does what comes first: what matches is what was surely meant.

/** How well typed text matches: the lower, the better. */
export const MATCH = { name: 0, start: 1, letters: 2, words: 3 } as const;

/**
 * How typed text matches a name or what is said of it: each of its words is the start of a word of the name, or of several
 * one behind the other (`solp` is SOL-PERP); or letters of one word of the name, in order, from its first on; or the start
 * of a word of what is said.
 * @returns for a name and what is said of it, how the word that matches worst does; undefined when one does not match
 */
export function matcher(text: string): (name: string, said: string) => number | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/);
  const typed = parts.join(" ");
  const letters = parts.map((part) => part.replace(/[^\p{L}\p{N}]/gu, ""));
  return (name, said) => {
    if (typed === name.toLowerCase()) return MATCH.name;
    let worst: number = MATCH.start;
    for (const [i, part] of parts.entries()) {
      const match = matchPart(part, letters[i] ?? "", name, said);
      if (match === undefined) return undefined;
      worst = Math.max(worst, match);
    }
    return worst;
  };
}

/** @param typed letters and digits of the part */
function matchPart(part: string, typed: string, name: string, said: string): number | undefined {
  // A key that is no letter.
  if (typed === "") return said.split(/[\s()]+/).includes(part) ? MATCH.words : undefined;
  const { words, parts } = splitWords(name);
  if (isOfStarts(typed, parts)) return MATCH.start;
  if (words.some((word) => word.startsWith(typed))) return MATCH.start;
  if (words.some((word) => hasLetters(word, typed))) return MATCH.letters;
  return splitWords(said).words.some((word) => word.startsWith(typed)) ? MATCH.words : undefined;
}

/** Words of a text in small letters, and their parts: `timeZone` is of two. */
interface Words {
  readonly words: readonly string[];
  readonly parts: readonly string[];
}

/** There are thousands of markets, and all are looked at with each letter. */
const MAX_KNOWN = 20_000;
const known = new Map<string, Words>();

function splitWords(text: string): Words {
  let found = known.get(text);
  if (found === undefined) {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const parts = words.flatMap((word) => word.split(/(?<=\p{Ll})(?=\p{Lu})/u));
    const lower = (all: readonly string[]) => all.map((each) => each.toLowerCase());
    found = { words: lower(words), parts: lower(parts) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, found);
  }
  return found;
}

/** True when text is made of starts of words, in their order. */
function isOfStarts(text: string, words: readonly string[]): boolean {
  let ends = [0];
  for (const word of words) {
    const more = ends.flatMap((end) => startsAt(text, end, word));
    if (more.length > 0) ends = [...new Set([...ends, ...more])];
  }
  return ends.includes(text.length);
}

/** Where a start of a word can end in a text, that begins at a place. */
function startsAt(text: string, from: number, word: string): readonly number[] {
  const ends: number[] = [];
  for (let n = 0; n < word.length && text[from + n] === word[n]; n++) ends.push(from + n + 1);
  return ends;
}

/** True when a word begins with the first letter of a text and has the others in their order. */
function hasLetters(word: string, text: string): boolean {
  if (word[0] !== text[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === text[at]) at++;
  return at === text.length;
}
