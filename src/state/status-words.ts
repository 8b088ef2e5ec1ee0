// Status words: does the order or position stand, or has it ended? One table; compound words of any spelling are split first.

/** Meaning of a status; `unsure`: some services use the word for standing rows, others for ended ones. */
export type Standing = "ended" | "stands" | "unsure";

const ENDED = new Set(
  (
    "filled fulfilled executed cancelled canceled rejected refused denied expired lapsed closed done complete completed " +
    "finished failed replaced superseded liquidated terminated void voided killed settled deleted removed ended dead " +
    "evicted purged revoked withdrawn aborted annulled nullified busted invalid invalidated exhausted"
  ).split(" "),
);
const STANDING = new Set(
  (
    "open opened new active live working resting accepted acknowledged placed posted pending untriggered triggered " +
    "partial partially unfilled waiting queued received submitted booked held created untouched armed normal amended"
  ).split(" "),
);
/** Compounds written as one word: `selftradecancelled`. */
const WRITTEN_TOGETHER = /^(.+?)(?:cancell?ed|filled|rejected|expired|liquidated)$/;
const TAKEN_BACK = /^(?:un|non?|not|part|partial|partially|half|semi|pre)$/;
/** Up to two words before an end word: negates it, or makes it future. */
const NOT_YET = new Set(
  "not non un never no yet to be being pending awaiting will if until unless before semi".split(
    " ",
  ),
);
/** Only part of it is filled and the rest stands. Not for `cancelled`: the cancelled part may be all that was left. */
const IN_PART = new Set("partial partially partly part half".split(" "));
const OF_PARTS = new Set(
  "filled executed closed completed complete settled liquidated done".split(" "),
);
/** A refused request to change an order: the order stands as before. */
const REFUSED_ACTION =
  /^(?:order )?(?:cancel|cancellation|cancelling|replace|amend|amendment|modify|modification|edit|update|change)(?: request)? (?:rejected|failed|expired|refused|denied|aborted|void|voided|invalid)$/;
/** Words that services use for both. */
const UNSURE =
  /\b(?:best effort|done for day|scheduled cancel|(?:partial|partially|partly|part) cancell?ed|matched|traded|stopped)\b/;

/** Parses statuses, with a cache. */
export class StatusWords {
  readonly #known = new Map<string, Standing | undefined>();
  readonly #flags = new Map<string, Standing | undefined>();

  /** For a boolean field: `closed: true`, `active: false`. Undefined if its name means neither. */
  standingOfFlag(name: string, isTrue: boolean): Standing | undefined {
    const standing = this.#flagOf(name);
    if (standing === undefined) return undefined;
    return (standing === "ended") === isTrue ? "ended" : "stands";
  }

  /** What the field means when true. */
  #flagOf(name: string): Standing | undefined {
    if (this.#flags.has(name)) return this.#flags.get(name);
    const text = splitTokens(name)
      .filter((token) => token !== "is" && token !== "has" && token !== "been")
      .join(" ");
    const standing = END_FLAGS.has(text)
      ? "ended"
      : STANDING_FLAGS.has(text)
        ? "stands"
        : undefined;
    if (this.#flags.size < MAX_KNOWN) this.#flags.set(name, standing);
    return standing;
  }

  standingOf(status: string): Standing | undefined {
    if (this.#known.has(status)) return this.#known.get(status);
    const standing = read(splitTokens(status));
    // Bounded: a service could keep sending new words.
    if (this.#known.size < MAX_KNOWN) this.#known.set(status, standing);
    return standing;
  }
}

/** Names of boolean fields. */
const END_FLAGS = new Set(
  "closed cancelled canceled done finished completed filled expired ended over dead terminated inactive removed deleted".split(
    " ",
  ),
);
const STANDING_FLAGS = new Set("active open live alive working standing resting".split(" "));

const MAX_KNOWN = 500;
const MAX_LENGTH = 200;

/** `reduceOnlyCanceled`, `REDUCE_ONLY_CANCELED` and `reduce-only canceled` give the same three tokens. */
function splitTokens(text: string): readonly string[] {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== "");
}

function read(tokens: readonly string[]): Standing | undefined {
  const text = tokens.join(" ");
  if (REFUSED_ACTION.test(text)) return "stands";
  if (UNSURE.test(text)) return "unsure";
  const last = tokens.findLastIndex((token) => isEnd(token) !== undefined);
  const token = tokens[last];
  if (token === undefined) return tokens.some((each) => STANDING.has(each)) ? "stands" : undefined;
  if (isEnd(token) === false) return "stands";
  const isBefore = tokens.slice(Math.max(0, last - 2), last).some((each) => NOT_YET.has(each));
  const beside = [tokens[last - 1], tokens[last + 1]];
  const isPart = OF_PARTS.has(token) && beside.some((each) => each && IN_PART.has(each));
  return isBefore || isPart ? "stands" : "ended";
}

/** False for `unfilled`, undefined for a word that does not describe an end. */
function isEnd(token: string): boolean | undefined {
  if (ENDED.has(token)) return true;
  const [, before] = WRITTEN_TOGETHER.exec(token) ?? [];
  return before === undefined ? undefined : !TAKEN_BACK.test(before);
}
