// Every point that the interface document leaves open ("not shown"), with what was observed here.

import { count, type Finding, type Knowledge, type OpenPoint } from "./report.ts";
import type { Asked, RestExam } from "./rest.ts";
import type { StreamExam } from "./stream.ts";
import type { AccountRecords, ChannelNotes, FieldProfile } from "./wire-notes.ts";

export interface Evidence {
  readonly stream: StreamExam;
  readonly rest: RestExam | undefined;
  readonly findings: readonly Finding[];
}

type Seen = readonly [known: Knowledge, seen: string];
type Look = (evidence: Evidence) => Seen;

const NOT_SEEN: Seen = ["unknown", "nothing was seen of it"];
const NO_ACCOUNT: Seen = [
  "unknown",
  "not looked at: accounts are private; give one with --account ADDRESS/ID",
];

/** Section of the interface document, what it leaves open, and a function that returns what was observed. */
const ROWS: readonly (readonly [section: string, point: string, look: Look])[] = [
  ["2.3", "fields of Market", lookAtFields("markets")],
  ["2.3", "fields of MarginTier", marginTiers],
  ["2.3", "fields of MarketStats", lookAtFields("market-stats")],
  ["2.3", "fields of FundingRate", lookAtFields("funding-rates")],
  ["2.3", "fields of Subaccount", lookAtAccountFields("account")],
  ["2.3", "fields of Balance", lookAtAccountFields("balances")],
  ["2.3", "fields of Position", lookAtAccountFields("positions")],
  ["2.3", "fields of Order", lookAtAccountFields("orders")],
  ["2.3", "fields of Fill", lookAtAccountFields("fills")],
  ["2.3", "fields of FundingPayment", lookAtAccountFields("funding_payments")],
  ["2.5", "words of market_type", textOf("trades", (row) => [row.market_type])],
  ["2.5", "words of liquidation_type", textOf("liquidations", (row) => [row.liquidation_type])],
  ["2.5", "words of bucket", textOf("liquidations", (row) => [row.bucket])],
  ["2.5", "words of scope", textOf("liquidations", (row) => [row.scope])],
  ["2.5", "words of side", formatPosition(({ side }) => side)],
  ["2.5", "words of margin_mode", formatPosition(({ margin_mode }) => margin_mode)],
  ["3", "status of a subaccount: transitions", transitions],
  ["4.5", "meaning of before, next cursor", finding("rest.cursor")],
  ["4.5", "status codes of REST", statusCodes],
  ["4.5", "prefix of the REST paths", finding("rest.prefix")],
  ["5", "authentication", authentication],
  ["6.1", "moment of hello", finding("stream.hello")],
  ["6.2", "acknowledgement of a subscribe", acknowledgement],
  ["6.3", "order book: whole or changes", finding("reading.book", "verified")],
  ["6.3", "rule for missed updates", finding("reading.sequence")],
  ["6.3", "null in sequences", finding("reading.null")],
  ["6.3", "what a first trades frame holds", lookAtFirst("trades", "trades")],
  ["6.3", "what the candles of a frame are", lookAtFirst("candles", "candles")],
  ["6.3", "what timestamp_ns stands for", finding("stream.clock", "unknown")],
  ["7", "condition of 404", finding("stream.missing")],
  ["7", "error answers of REST", finding("rest.missing")],
  ["8", "rate limits", unknown("not provoked")],
  ["8", "most subscriptions of a connection", subscriptions],
  ["8", "a missed keep-alive", unknown("not provoked: a ping goes out every 10 s")],
  ["9", "deprecation and compatibility", unknown("cannot be seen from outside")],
];

export function openPoints(evidence: Evidence): readonly OpenPoint[] {
  return ROWS.map(([section, point, look]) => {
    const [known, seen] = look(evidence);
    return { section, point, known, seen };
  });
}

function unknown(why: string): Look {
  return () => ["unknown", why];
}

function marginTiers(evidence: Evidence): Seen {
  const lists = getNotes(evidence, "markets")?.fields.lists ?? "";
  return lists === "" ? NOT_SEEN : ["inferred", `in lists of Market: ${lists}`];
}

function getNotes({ stream }: Evidence, kind: ChannelNotes["kind"]): ChannelNotes | undefined {
  return [...stream.notes.channels.values()].find((notes) => notes.kind === kind);
}

function lookAtFields(kind: ChannelNotes["kind"]): Look {
  return (evidence) => {
    const notes = getNotes(evidence, kind);
    return notes === undefined ? NOT_SEEN : fieldsSeen(notes.fields);
  };
}

function fieldsSeen(fields: FieldProfile): Seen {
  if (fields.records === 0) return NOT_SEEN;
  return ["inferred", `${fields} (${count(fields.records, "record")})`];
}

function lookAtAccountFields(name: AccountRecords): Look {
  return (evidence) => {
    const notes = getNotes(evidence, "account");
    return notes === undefined ? NO_ACCOUNT : fieldsSeen(notes.accountFields[name]);
  };
}

function transitions({ stream: { store, notes } }: Evidence): Seen {
  const channel = [...notes.channels].find(([, { kind }]) => kind === "accounts")?.[0];
  if (channel === undefined) return NO_ACCOUNT;
  const { subaccounts, changes } = store.slice("accounts", channel).data;
  if (subaccounts.length === 0) return NOT_SEEN;
  const words = [...new Set(subaccounts.map(({ status }) => status))].sort().join(", ");
  const observed = [...changes.values()].map(({ from, to }) => `${from} to ${to}`);
  if (observed.length === 0) return ["unknown", `statuses are ${words}; none changed meanwhile`];
  return ["inferred", `statuses are ${words}; seen: ${[...new Set(observed)].join(", ")}`];
}

/** The fact of a finding. @param whenOk how well an `ok` is known */
function finding(id: string, whenOk: Knowledge = "inferred"): Look {
  return ({ findings }) => {
    const found = findings.find((each) => each.id === id);
    if (found === undefined || found.verdict === "unknown")
      return ["unknown", found?.fact ?? "nothing was seen of it"];
    return [found.verdict === "ok" ? whenOk : "inferred", found.fact];
  };
}

type Listing = "trades" | "liquidations";
type RecordOf<L extends Listing> = NonNullable<NonNullable<RestExam[L]>["records"]>[number];

function textOf<L extends Listing>(
  listing: L,
  pick: (record: RecordOf<L>) => readonly string[],
): Look {
  return ({ rest }) => {
    const records = (rest?.[listing]?.records ?? []) as readonly RecordOf<L>[];
    const seen = new Set(records.flatMap(pick));
    return seen.size === 0 ? NOT_SEEN : ["inferred", [...seen].sort().join(", ")];
  };
}

function formatPosition(
  pick: (position: RecordOf<"liquidations">["positions"][number]) => string,
): Look {
  return textOf("liquidations", ({ positions }) => positions.map(pick));
}

function statusCodes({ rest }: Evidence): Seen {
  const asked: readonly (readonly [string, Asked<unknown> | undefined])[] = [
    ["a page", rest?.trades],
    ["no such market", rest?.missing],
    ["too large a page", rest?.tooMany],
  ];
  const seen = asked.flatMap(([what, each]) =>
    each?.status === undefined ? [] : [`${what} ${each.status}`],
  );
  return seen.length === 0 ? NOT_SEEN : ["inferred", seen.join(", ")];
}

function authentication({ stream, rest }: Evidence): Seen {
  const isRefused =
    stream.link.fault?.code === "unauthorized" || [401, 403].includes(rest?.trades.status ?? 0);
  if (isRefused) return ["inferred", "the service wants to know who asks: see --header"];
  if (stream.notes.openedAtMs === undefined) return NOT_SEEN;
  const { refusal, frames = 0 } = getNotes({ stream, rest, findings: [] }, "account") ?? {};
  const account =
    refusal !== undefined
      ? `; the account is refused, ${refusal}`
      : frames > 0
        ? ", nor for the account"
        : "";
  return ["inferred", `not needed for market data, with the headers that were given${account}`];
}

function acknowledgement({ stream: { notes, duplicate } }: Evidence): Seen {
  const first = [...notes.channels.values()].filter(({ frames }) => frames > 0);
  if (first.length === 0) return NOT_SEEN;
  const second =
    duplicate?.code === 409
      ? "; a second subscribe is answered by 409, which confirms the first"
      : "";
  return ["inferred", `none: ${first.length} channels began with their first update${second}`];
}

function lookAtFirst(kind: ChannelNotes["kind"], noun: string): Look {
  return (evidence) => {
    const notes = getNotes(evidence, kind);
    if (notes === undefined || notes.frames === 0) return NOT_SEEN;
    const later = notes.frames > 1 ? `, later ones up to ${notes.mostItems}` : "";
    return ["inferred", `the first frame had ${notes.firstItems} ${noun}${later}`];
  };
}

function subscriptions({ stream: { notes } }: Evidence): Seen {
  const active = [...notes.channels.values()].filter(({ frames }) => frames > 0).length;
  return active === 0 ? NOT_SEEN : ["unknown", `${active} at once were no problem`];
}
