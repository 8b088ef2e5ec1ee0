// Where a listing ends. A short page is no end: services filter, look back only so far, or cut a page. The end is shown by several
// requests that all stop at the last row with room for more, by probes below it that find nothing, and by two questions that a
// service which looks back only so far answers otherwise than one that does not.
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import { MAX_CURSOR, SEARCH } from "./cursors.ts";
import { isFound, type Look, unproven, type Verdict } from "./look.ts";
import type { Pager } from "./pager.ts";

const WITNESSES = 3;
/**
 * Where the end is asked for again: shares of a page above the last row, then distances above the lowest cursor so far, that one
 * twice: few cursors may lead to the last transaction, and pages may be cut by chance.
 */
const SHARES = [0.1, 0.25, 0.5];
const ABOVE = [0n, 0n, 1n, 2n, 4n, 8n];
/** Distances of probes in quarters of the span of the known rows. */
const PROBES = [1n, 4n, 16n, 64n];
/** A service that looks back W hides what follows a quiet stretch. Growth by half finds it if the stretch is no longer than 3 W. */
const DENSE_PROBES = 64;

/** What goes on after the last known row after all, or what is known about the end. */
export async function findEnd<T extends ListedRecord>(pager: Pager<T>): Promise<Look<T> | Verdict> {
  const { known, state, source, overlap } = pager;
  const end = formatIsoMs(known.last?.timestamp_ms ?? 0);
  const needed = Math.min(WITNESSES, known.count);
  const witnesses = await findWitnesses(pager, needed);
  if (!Array.isArray(witnesses)) return witnesses;
  if (witnesses.length < needed)
    return unproven(`nothing shows what follows ${end}: one transaction may be larger than a page`);
  const edge = edgeOf(pager);
  const [below, isLimited] = await Promise.all([
    lookAt(pager, probes(edge)),
    looksBackOnlySoFar(pager, witnesses),
  ]);
  const dense = isLimited ? await lookAt(pager, denseProbes(edge)) : [];
  const looks = [...below, ...dense];
  const found = await findNext(pager, looks);
  if (found !== undefined) return found;
  const last = witnesses.filter((look) => pager.isLast(look)).length;
  const empty = looks.filter(({ side }) => side === "empty").length;
  if (empty === 0) return unproven(`no cursor leads below ${end}`);
  if (isLimited && last < needed) return unproven(`pages come short, and end before ${end}`);
  if (!state.isNamed) return unproven(`no row names ${source.listing.name}`);
  const how = isLimited ? " of a service that looks back only so far" : "";
  const gone = last < witnesses.length ? "; the oldest rows expired while it was read" : "";
  const nothing = `nothing older in ${empty} ${empty === 1 ? "probe" : "probes"}${how}${gone}`;
  return { isComplete: true, why: `${overlap}; ${nothing}` };
}

/**
 * Answers that stop although there was room for more, or what one of them shows instead. They may stop before the last known row: a
 * listing may lose its oldest rows while it is read.
 */
async function findWitnesses<T extends ListedRecord>(
  pager: Pager<T>,
  needed: number,
): Promise<Look<T>[] | Look<T> | Verdict> {
  const { known, lowest, state } = pager;
  const places = SHARES.map((share) => known.count - 1 - Math.round(share * state.longest));
  const near = [
    known.count < MAX_PAGE_LIMIT ? [undefined] : [],
    lowest === undefined ? [] : [lowest],
    places.filter((at) => at >= known.start).flatMap((at) => pager.cursorOf(at) ?? []),
  ].flat();
  const far = ABOVE.flatMap((distance) => (lowest === undefined ? [] : [lowest + distance]));
  const witnesses: Look<T>[] = [];
  for (const cursors of [near, far]) {
    if (witnesses.length >= needed) break;
    const looks = await lookAt(pager, cursors);
    const goesOn = await findNext(pager, looks);
    if (goesOn !== undefined) return goesOn;
    witnesses.push(...looks.filter((look) => pager.isStop(look)));
  }
  return witnesses;
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

/** The answer that goes on, or joins what was found further down; the verdict when rows were found that no page joins. */
async function findNext<T extends ListedRecord>(
  pager: Pager<T>,
  looks: readonly Look<T>[],
): Promise<Look<T> | Verdict | undefined> {
  const next = looks.find((look) => pager.isNext(look));
  if (next !== undefined) return next;
  if (pager.hasChanged) return unproven("the listing changed while it was read");
  const found = looks.find(isFound);
  if (found === undefined) return undefined;
  const bracket = { low: found.cursor ?? 0n, high: pager.lowest ?? MAX_CURSOR };
  const joined = await pager.between(bracket, pager.known.pinPosition, MAX_PAGE_LIMIT);
  if (joined !== undefined && pager.isNext(joined)) return joined;
  const [older, end] = [found.rows[0], pager.known.last].map((row) =>
    formatIsoMs(row?.timestamp_ms ?? 0),
  );
  return unproven(
    `there are rows of ${older}, and no page shows what lies between them and ${end}`,
  );
}

/** The last row's place as a cursor, and the cursors that the known rows take. */
interface Edge {
  readonly cursor: bigint;
  readonly span: bigint;
}

function edgeOf<T extends ListedRecord>(pager: Pager<T>): Edge {
  const { known, lowest = MAX_CURSOR } = pager;
  const [first = 0n, end = 0n] = [known.start, known.count - 1].map((at) => pager.cursorOf(at));
  const span = first > end ? first - end : BigInt(MAX_PAGE_LIMIT);
  return { cursor: pager.cursor === SEARCH ? lowest : end, span };
}

/** Eight: just below the last row, at growing distances, at a half and a quarter of the cursor, and at the very bottom. */
function probes({ cursor, span }: Edge): readonly bigint[] {
  const far = PROBES.map((distance) => cursor - (span * distance) / 4n);
  // An index that stands in no field may begin with 0.
  return [...new Set([cursor - 1n, ...far, cursor / 2n, cursor / 4n, 0n])].filter(
    (each) => each >= 0n,
  );
}

function denseProbes({ cursor, span }: Edge): readonly bigint[] {
  const cursors: bigint[] = [];
  let far = span / 2n + 1n;
  while (far < cursor && cursors.length < DENSE_PROBES) {
    cursors.push(cursor - far);
    far += far / 2n + 1n;
  }
  return cursors;
}

/** Whether the service looks at so many rows or so far back, and filters then. */
async function looksBackOnlySoFar<T extends ListedRecord>(
  pager: Pager<T>,
  witnesses: readonly Look<T>[],
): Promise<boolean> {
  const isLosing = witnesses.some((look) => !pager.isLast(look));
  const most = witnesses.reduce((a, b) => (b.rows.length > a.rows.length ? b : a));
  const [far, again] = await Promise.all([
    pager.look(farAbove(pager), 1),
    pager.look(most.cursor, Math.min(MAX_PAGE_LIMIT, most.rows.length + 1)),
  ]);
  const { shortest, longest } = pager.state;
  const seesNothing = far.side === "empty" || far.side === "below";
  // Where rows expire, some more may have since.
  const least = isLosing ? most.rows.length / 2 : most.rows.length;
  return shortest < longest || seesNothing || again.rows.length < least;
}

/** From here, who looks back only so far sees nothing. */
function farAbove<T extends ListedRecord>({ cursor, source, state }: Pager<T>): bigint {
  const { cursorFields } = source.listing;
  const values = state.top.filter((_, i) => cursor === SEARCH || cursorFields[i] === cursor);
  const top = values.map(BigInt).reduce((a, b) => (a > b ? a : b), 1n);
  return top > MAX_CURSOR / 4n ? MAX_CURSOR : top * 4n;
}
