// A look in words, as themes are written: `bold`, `dim cyan`, `#ffaf00 on #202020`, `inverse bad`. Behind a slash, what is
// drawn instead where there are sixteen colours: `#ffaf00 / bold yellow`.
import { type ColorDepth, parseColor } from "../../terminal/cells/color.ts";
import type { Style } from "../../terminal/cells/style-table.ts";

const ATTRIBUTES = ["bold", "dim", "italic", "underline", "inverse"] as const;
const NAMES =
  /^(?:(?:black|red|green|yellow|blue|magenta|cyan|white)(?:Bright)?|gr[ae]y|#(?:[0-9a-f]{3}){1,2})$/i;

/** What words other than colours and attributes mean: roles of the theme. */
export type Roles = Readonly<Record<string, Style>>;

type Parsed = { readonly style: Style } | { readonly unknown: string };

/**
 * Reads a look: attributes, roles and at most two colours, the second one after `on`; of two looks, the one for this depth.
 * @returns the look, or the first word that means nothing, of whichever of the two.
 */
export function parseStyle(
  text: string,
  roles: Roles = {},
  depth: ColorDepth = "truecolor",
): Parsed {
  const [exact = "", ofSixteen, another] = text.split("/");
  if (another !== undefined) return { unknown: "/" };
  const looks = [exact, ...(ofSixteen === undefined ? [] : [ofSixteen])].map((look) =>
    parseWords(look, roles),
  );
  const wrong = looks.find((look) => "unknown" in look);
  const look = depth === "ansi16" ? looks.at(-1) : looks[0];
  return wrong ?? look ?? { style: {} };
}

function parseWords(text: string, roles: Roles): Parsed {
  let style: Style = {};
  let isBackground = false;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const part = isBackground ? parseBackgroundWord(word) : parseStyleWord(word, roles);
    if (word === "on" && !isBackground) isBackground = true;
    else if (part === undefined) return { unknown: word };
    else {
      style = { ...style, ...part };
      isBackground = false;
    }
  }
  return isBackground ? { unknown: "on" } : { style };
}

function parseStyleWord(word: string, roles: Roles): Style | undefined {
  const attribute = ATTRIBUTES.find((name) => name === word);
  if (attribute !== undefined) return { [attribute]: true };
  if (Object.hasOwn(roles, word)) return roles[word];
  const color = parseColorWord(word);
  return color === undefined ? undefined : { color };
}

function parseBackgroundWord(word: string): Style | undefined {
  const color = parseColorWord(word);
  return color === undefined ? undefined : { backgroundColor: color };
}

function parseColorWord(word: string): number | undefined {
  if (NAMES.test(word)) return parseColor(word);
  return /^\d{1,3}$/.test(word) && Number(word) < 256 ? Number(word) : undefined;
}
