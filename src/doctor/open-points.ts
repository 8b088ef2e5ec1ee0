// Every point that the interface document leaves open ("not shown"), with what was seen of it here.

import { count, type Finding, type Knowledge, type OpenPoint } from "./finding.ts";
import type { Asked, RestExam } from "./rest.ts";
import type { StreamExam } from "./stream.ts";
import type { AccountRecords, ChannelNotes } from "./wire-notes.ts";

/** All that was seen. */
export interface Evidence {
  readonly stream: StreamExam;
  readonly rest: RestExam | undefined;
  readonly findings: readonly Finding[];
}

type Seen = readonly [known: Knowledge, seen: string];
interface Row {
  readonly section: string;
  readonly point: string;
  look(evidence: Evidence): Seen;
}

const NEVER: Seen = ["unknown", "cannot be seen from outside"];
const NOT_SEEN: Seen = ["unknown", "nothing was seen of it"];
const NO_ACCOUNT: Seen = [
  "unknown",
  "not looked at: accounts are private; give one with --account ADDRESS/ID",
];

const ROWS: readonly Row[] = [
  { section: "2.3", point: "fields of Market", look: fieldsOf("markets") },
  {
    section: "2.3",
    point: "fields of MarginTier",
    look: (evidence) => {
      const lists = notesOf(evidence, "markets")?.fields.lists ?? "";
      return lists === "" ? NOT_SEEN : ["inferred", `in lists of Market: ${lists}`];
    },
  },
  { section: "2.3", point: "fields of MarketStats", look: fieldsOf("market-stats") },
  { section: "2.3", point: "fields of FundingRate", look: fieldsOf("funding-rates") },
  { section: "2.3", point: "fields of Subaccount", look: accountFieldsOf("account") },
  { section: "2.3", point: "fields of Balance", look: accountFieldsOf("balances") },
  { section: "2.3", point: "fields of Position", look: accountFieldsOf("positions") },
  { section: "2.3", point: "fields of Order", look: accountFieldsOf("orders") },
  { section: "2.3", point: "fields of Fill", look: accountFieldsOf("fills") },
  { section: "2.3", point: "fields of FundingPayment", look: accountFieldsOf("funding_payments") },
  {
    section: "2.5",
    point: "words of market_type",
    look: ({ rest }) => words(rest?.trades, ({ market_type }) => [market_type]),
  },
  {
    section: "2.5",
    point: "words of liquidation_type",
    look: ({ rest }) => words(rest?.liquidations, ({ liquidation_type }) => [liquidation_type]),
  },
  {
    section: "2.5",
    point: "words of bucket",
    look: ({ rest }) => words(rest?.liquidations, ({ bucket }) => [bucket]),
  },
  {
    section: "2.5",
    point: "words of scope",
    look: ({ rest }) => words(rest?.liquidations, ({ scope }) => [scope]),
  },
  {
    section: "2.5",
    point: "words of side",
    look: ({ rest }) =>
      words(rest?.liquidations, ({ positions }) => positions.map(({ side }) => side)),
  },
  {
    section: "2.5",
    point: "words of margin_mode",
    look: ({ rest }) =>
      words(rest?.liquidations, ({ positions }) => positions.map(({ margin_mode }) => margin_mode)),
  },
  { section: "3", point: "status of a subaccount: transitions", look: transitions },
  {
    section: "4.5",
    point: "meaning of before, next cursor",
    look: finding("rest.cursor"),
  },
  { section: "4.5", point: "status codes of REST", look: statusCodes },
  { section: "4.5", point: "prefix of the REST paths", look: finding("rest.prefix") },
  { section: "5", point: "authentication", look: authentication },
  { section: "6.1", point: "moment of hello", look: finding("stream.hello") },
  { section: "6.2", point: "acknowledgement of a subscribe", look: acknowledgement },
  {
    section: "6.3",
    point: "order book: whole or changes",
    look: finding("reading.book", "verified"),
  },
  { section: "6.3", point: "rule for missed updates", look: finding("reading.sequence") },
  {
    section: "6.3",
    point: "null in sequences",
    look: finding("reading.null"),
  },
  { section: "6.3", point: "what a first trades frame holds", look: firstOf("trades", "trades") },
  { section: "6.3", point: "what the candles of a frame are", look: firstOf("candles", "candles") },
  {
    section: "6.3",
    point: "what timestamp_ns stands for",
    look: finding("stream.clock", "unknown"),
  },
  { section: "7", point: "condition of 404", look: finding("stream.missing") },
  { section: "7", point: "error answers of REST", look: finding("rest.missing") },
  { section: "8", point: "rate limits", look: () => ["unknown", "not provoked"] },
  { section: "8", point: "most subscriptions of a connection", look: subscriptions },
  {
    section: "8",
    point: "a missed keep-alive",
    look: () => ["unknown", "not provoked: a ping goes out every 10 s"],
  },
  { section: "9", point: "deprecation and compatibility", look: () => NEVER },
];

export function openPoints(evidence: Evidence): readonly OpenPoint[] {
  return ROWS.map(({ section, point, look }) => {
    const [known, seen] = look(evidence);
    return { section, point, known, seen };
  });
}

function notesOf({ stream }: Evidence, kind: ChannelNotes["kind"]): ChannelNotes | undefined {
  return [...stream.notes.channels.values()].find((notes) => notes.kind === kind);
}

function fieldsOf(kind: ChannelNotes["kind"]): Row["look"] {
  return (evidence) => {
    const { fields } = notesOf(evidence, kind) ?? {};
    if (fields === undefined || fields.records === 0) return NOT_SEEN;
    return ["inferred", `${fields} (${count(fields.records, "record")})`];
  };
}

function accountFieldsOf(name: AccountRecords): Row["look"] {
  return (evidence) => {
    const notes = notesOf(evidence, "account");
    if (notes === undefined) return NO_ACCOUNT;
    const fields = notes.accountFields[name];
    if (fields.records === 0) return NOT_SEEN;
    return ["inferred", `${fields} (${count(fields.records, "record")})`];
  };
}

function transitions({ stream: { store, notes } }: Evidence): Seen {
  const channel = [...notes.channels].find(([, { kind }]) => kind === "accounts")?.[0];
  if (channel === undefined) return NO_ACCOUNT;
  const { subaccounts, changes } = store.slice("accounts", channel).data;
  if (subaccounts.length === 0) return NOT_SEEN;
  const words = [...new Set(subaccounts.map(({ status }) => status))].sort().join(", ");
  const seen = [...changes.values()].map(({ from, to }) => `${from} to ${to}`);
  if (seen.length === 0) return ["unknown", `statuses are ${words}; none changed meanwhile`];
  return ["inferred", `statuses are ${words}; seen: ${[...new Set(seen)].join(", ")}`];
}

/** The fact of a finding; known for sure only where something independent says the same. */
function finding(id: string, whenOk: Knowledge = "inferred"): Row["look"] {
  return ({ findings }) => {
    const found = findings.find((each) => each.id === id);
    if (found === undefined || found.verdict === "unknown")
      return ["unknown", found?.fact ?? "nothing was seen of it"];
    return [found.verdict === "ok" ? whenOk : "inferred", found.fact];
  };
}

function words<T>(asked: Asked<T> | undefined, pick: (record: T) => readonly string[]): Seen {
  const seen = new Set((asked?.records ?? []).flatMap(pick));
  return seen.size === 0 ? NOT_SEEN : ["inferred", [...seen].sort().join(", ")];
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
  const { refusal, frames = 0 } = notesOf({ stream, rest, findings: [] }, "account") ?? {};
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

function firstOf(kind: ChannelNotes["kind"], noun: string): Row["look"] {
  return (evidence) => {
    const notes = notesOf(evidence, kind);
    if (notes === undefined || notes.frames === 0) return NOT_SEEN;
    const later = notes.frames > 1 ? `, later ones up to ${notes.mostItems}` : "";
    return ["inferred", `the first frame had ${notes.firstItems} ${noun}${later}`];
  };
}

function subscriptions({ stream: { notes } }: Evidence): Seen {
  const held = [...notes.channels.values()].filter(({ frames }) => frames > 0).length;
  return held === 0 ? NOT_SEEN : ["unknown", `${held} at once were no problem`];
}
