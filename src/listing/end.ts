// Where a listing ends. A short page is no end: services filter, look back only so far, or cut a page. The end is shown by several
// requests that all stop among the known rows with room for more, by probes below them that find nothing, and by two questions that
// a service which looks back only so far answers otherwise than one that does not: the end of such a one cannot be shown.
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import { MAX_CURSOR, SEARCH } from "./cursors.ts";
import { isFound, type Look, unproven, type Verdict } from "./look.ts";
import type { Pager } from "./pager.ts";

const WITNESSES = 3;
/** Where the end is asked for again: shares of a page above the last row, and distances above the lowest cursor so far. */
const SHARES = [0.1, 0.25, 0.5];
const ABOVE = [0n, 1n, 4n];
/** Distances of probes in quarters of the span of the known rows. */
const PROBES = [1n, 4n, 16n, 64n];

/** What goes on after the last known row after all, or what is known about the end. */
export async function findEnd<T extends ListedRecord>(pager: Pager<T>): Promise<Look<T> | Verdict> {
  const { known, lowest, state, source, overlap } = pager;
  const end = formatIsoMs(known.last?.timestamp_ms ?? 0);
  const again = await lookAt(pager, [
    ...(known.count < MAX_PAGE_LIMIT ? [undefined] : []),
    ...(lowest === undefined ? [] : ABOVE.map((distance) => lowest + distance)),
    ...SHARES.map((share) => known.kept.length - 1 - Math.round(share * state.longest))
      .filter((at) => at >= 0)
      .flatMap((at) => pager.cursorOf(at) ?? []),
  ]);
  const goesOn = again.find((look) => pager.isNext(look));
  if (goesOn !== undefined) return goesOn;
  const witnesses = again.filter((look) => pager.isStop(look));
  if (witnesses.length < Math.min(WITNESSES, known.count))
    return unproven(`nothing shows what follows ${end}: one transaction may be larger than a page`);
  const [far, isLimited] = await Promise.all([
    lookAt(pager, probes(pager)),
    looksBackOnlySoFar(pager, witnesses),
  ]);
  const below = [...far, ...(await lookBetween(pager, far))];
  const next = below.find((look) => pager.isNext(look));
  if (next !== undefined) return next;
  const empty = below.filter(({ side }) => side === "empty").length;
  if (pager.hasChanged) return unproven("the listing changed while it was read");
  if (below.some(isFound)) return unproven(`there are older rows, but none that follows ${end}`);
  if (empty === 0) return unproven(`no cursor leads below ${end}`);
  if (isLimited) return unproven(`the service looks back only so far from ${end}`);
  if (!state.isNamed) return unproven(`no row names ${source.listing.name}`);
  const nothing = `nothing older in ${empty} ${empty === 1 ? "probe" : "probes"}`;
  return { isComplete: true, why: `${overlap}; ${nothing}` };
}

/** A listing without rows, as far as cursors of every magnitude show. */
export async function findNothing<T extends ListedRecord>(pager: Pager<T>): Promise<Verdict> {
  const cursors = [62n, 53n, 46n, 41n, 36n, 31n, 20n, 10n].map((bits) => 2n ** bits);
  const looks = await lookAt(pager, cursors);
  return looks.every(({ rows }) => rows.length === 0)
    ? { isComplete: true, why: `nothing is listed; nothing in ${cursors.length} probes` }
    : unproven("nothing is listed without a cursor, but with one");
}

function lookAt<T extends ListedRecord>(
  pager: Pager<T>,
  cursors: readonly (bigint | undefined)[],
): Promise<readonly Look<T>[]> {
  return Promise.all(cursors.map((cursor) => pager.look(cursor, MAX_PAGE_LIMIT)));
}

/** Eight: just below the last row, at growing distances, at a half and a quarter of the cursor, and at the very bottom. */
function probes<T extends ListedRecord>(pager: Pager<T>): readonly bigint[] {
  const { known, cursor, lowest = MAX_CURSOR } = pager;
  const [first = 0n, last = 0n] = [0, known.kept.length - 1].map((at) => pager.cursorOf(at));
  const span = first > last ? first - last : BigInt(MAX_PAGE_LIMIT);
  const end = cursor === SEARCH ? lowest : last;
  const far = PROBES.map((distance) => end - (span * distance) / 4n);
  // An index that stands in no field may begin with 0.
  return [...new Set([end - 1n, ...far, end / 2n, end / 4n, 0n])].filter((each) => each >= 0n);
}

/** Where no field is the cursor: from the lowest one that shows the last row down to the highest below which there is nothing. */
async function lookBetween<T extends ListedRecord>(
  pager: Pager<T>,
  far: readonly Look<T>[],
): Promise<readonly Look<T>[]> {
  const empty = far.flatMap(({ side, cursor = 0n }) => (side === "empty" ? [cursor] : []));
  let low = empty.reduce((a, b) => (b > a ? b : a), -1n);
  let high = pager.cursor === SEARCH ? (pager.lowest ?? low) : low;
  const looks: Look<T>[] = [];
  while (high - low > 1n && !looks.some(isFound) && !far.some(isFound)) {
    const cursor = (low + high) >> 1n;
    const look = await pager.look(cursor, MAX_PAGE_LIMIT);
    looks.push(look);
    if (look.side === "empty") low = cursor;
    else high = cursor;
  }
  return looks;
}

/** Whether the service looks at so many rows or so far back, and filters then. */
async function looksBackOnlySoFar<T extends ListedRecord>(
  pager: Pager<T>,
  witnesses: readonly Look<T>[],
): Promise<boolean> {
  const most = witnesses.reduce((a, b) => (b.rows.length > a.rows.length ? b : a));
  const highest = BigInt(pager.state.highest ?? 1);
  const [far, again] = await Promise.all([
    // From far above, who looks back only so far sees nothing.
    pager.look(highest > MAX_CURSOR / 4n ? MAX_CURSOR : highest * 4n, 1),
    pager.look(most.cursor, Math.min(MAX_PAGE_LIMIT, most.rows.length + 1)),
  ]);
  const { shortest, longest } = pager.state;
  const isCut = shortest + pager.spare < longest;
  const seesNothing = far.side === "empty" || far.side === "below";
  // Where rows expire, some more may have since.
  return isCut || seesNothing || again.rows.length < most.rows.length / 2;
}
