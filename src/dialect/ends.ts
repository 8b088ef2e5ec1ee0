// When does a row end? An order by its status or because nothing of it is left, a position by its status or size 0.

import type { OpenRecord } from "../wire/frames.ts";
import { fieldsOf, isZeroText, read } from "./fields.ts";
import { type Names, plainName } from "./names.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const ENDED = words(
  "filled fulfilled executed cancelled canceled rejected refused denied expired lapsed closed done complete completed finished failed " +
    "replaced superseded liquidated terminated void voided killed settled deleted removed ended dead evicted revoked deactivated aborted",
);
const STANDING = words(
  "open opened new active live working resting accepted acknowledged placed posted pending untriggered triggered partial partially " +
    "unfilled waiting queued received submitted created updated init normal amended",
);
/** Right before an end word: takes it back, or says that only a part has ended. */
const NOT_YET = words(
  "not non un no yet partial partially partly part half pending to be being pre",
);
/** Of cancelled orders, what was filled in part before is no matter. */
const CANCELLED = words("cancelled canceled");
/** A request that failed: the order stands as before. */
const REFUSED_REQUEST =
  /^(?:cancel|replace|amend|modify|edit|update)\w* (?:rejected|failed|refused|denied)$/;

/** No word of a status is longer: what a service sends may be of any length. */
const MAX_CHARACTERS = 100;

type Standing = "ended" | "stands" | undefined;

/** `PARTIALLY_FILLED`, `cancelPending` stand; `BEST_EFFORT_CANCELED`, `marginCanceled` have ended; undefined: an unknown word. */
export function standingOf(status: string): Standing {
  const tokens = status
    .slice(0, MAX_CHARACTERS)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  if (REFUSED_REQUEST.test(tokens.join(" "))) return "stands";
  const last = tokens.findLastIndex((token) => ENDED.has(token));
  const before = tokens[last - 1] ?? "";
  if (last < 0) return tokens.some((token) => STANDING.has(token)) ? "stands" : undefined;
  const isPart =
    NOT_YET.has(before) && !(CANCELLED.has(tokens[last] ?? "") && /^part/.test(before));
  return isPart ? "stands" : "ended";
}

/** A fill is an event, too: the rest may stand. */
const FILL = /fill|execut|trade/i;
const END_FLAGS = words(
  "closed isclosed cancelled canceled iscancelled iscanceled done isdone filled isfilled expired removed deleted isdeleted",
);
const STANDING_FLAGS = words("active isactive open isopen live alive");
/** Orders that close whatever the position is, and have no size of their own. */
const WHOLE_POSITION = words("closeposition ispositiontpsl");

function standingOfRow(row: OpenRecord, names: Names): Standing {
  const fields = fieldsOf(row);
  const { status, event } = names.fields;
  const own = names.ends;
  const texts = (from: readonly string[]) => from.map((name) => fields.get(name) ?? "");
  const events = texts(event).filter((text) => !FILL.test(text));
  const standings = [...texts(status), ...events].map((text) =>
    own.includes(plainName(text)) ? "ended" : standingOf(text),
  );
  if (standings.includes("ended")) return "ended";
  return standings.includes("stands") ? "stands" : standingOfFlags(fields);
}

function standingOfFlags(fields: ReadonlyMap<string, string>): Standing {
  for (const [name, text] of fields) {
    const standing = standingOfFlag(name, text);
    if (standing !== undefined) return standing;
  }
  return undefined;
}

function standingOfFlag(name: string, text: string): Standing {
  const isTrue = text === "true";
  if (!isTrue && text !== "false") return undefined;
  if (END_FLAGS.has(name)) return isTrue ? "ended" : "stands";
  if (STANDING_FLAGS.has(name)) return isTrue ? "stands" : "ended";
  return isTrue && WHOLE_POSITION.has(name) ? "stands" : undefined;
}

/** Undefined if neither its status nor its size can be read. */
export function hasOrderEnded(row: OpenRecord, names: Names): boolean | undefined {
  const standing = standingOfRow(row, names);
  // A status counts more than a size: some orders have none of their own.
  if (standing !== undefined) return standing === "ended";
  const fields = fieldsOf(row);
  const sizes = [...names.fields.remainingSize, ...names.fields.orderSize]
    .map((name) => isZeroText(fields.get(name) ?? ""))
    .filter((isZero) => isZero !== undefined);
  return sizes.length === 0 ? undefined : sizes.includes(true);
}

/** The same of a position. */
export function hasPositionEnded(row: OpenRecord, names: Names): boolean | undefined {
  const size = read(row, "positionSize", names);
  const isFlat = size === undefined ? undefined : isZeroText(size);
  return isFlat === true || standingOfRow(row, names) === "ended" ? true : isFlat;
}
