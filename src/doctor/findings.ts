// The doctor's checks of the service: one row each, with its id and a function from observations to a verdict.

import { lookup } from "node:dns/promises";
import { connect } from "node:tls";
import type { Context } from "../args/context.ts";
import type { Config } from "../config/config-file.ts";
import { holdsHeaders } from "../config/config-location.ts";
import { formatAudits } from "../select/interpretations.ts";
import { ACCOUNT_LISTS, AccountState } from "../state/account.ts";
import { NO_AUDITS } from "../state/audits.ts";
import type { StreamCounts } from "../state/feed.ts";
import { type ColorDepth, colorDepth } from "../terminal/cells/color.ts";
import { getLocale, lacksUtf8, terminalTraits } from "../terminal/session/terminal-traits.ts";
import { DAY_MS } from "../units/time.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import { count, type Finding, ms, type Verdict } from "./report.ts";
import type { Asked, RestExam } from "./rest.ts";
import type { StreamExam } from "./stream.ts";
import type { Answer, ChannelNotes } from "./wire-notes.ts";

type Seen = readonly [verdict: Verdict, fact: string];
type Checks<E> = Readonly<Record<string, (exam: E) => Seen>>;

/** Beyond this, lag or a wrong clock is likely. */
const MAX_SKEW_MS = 2000;

const BOOKS = {
  whole: "every frame is the whole book",
  changes: "snapshots are whole, other frames change them",
} as const;

const LISTS = {
  rows: "later lists hold what has changed",
  markets: "later lists hold all there is of the markets that they name",
  whole: "later lists hold all there is",
} as const;

/** The only check that works without an open connection. */
const UPGRADE: Checks<StreamExam> = {
  "stream.upgrade": ({ notes: { openedAtMs, startedAtMs = 0 }, link }) =>
    openedAtMs === undefined
      ? ["fail", link.fault?.detail ?? "no answer to the handshake"]
      : ["ok", `WebSocket after ${ms(openedAtMs - startedAtMs)}`],
};

const LINK: Checks<StreamExam> = {
  "stream.hello"({ notes: { helloAtMs, openedAtMs = 0, firstCommandAtMs } }) {
    if (helloAtMs === undefined) return ["warn", "was not received while watching"];
    const after = `${ms(helloAtMs - openedAtMs)} after the connection`;
    return firstCommandAtMs === undefined || helloAtMs <= firstCommandAtMs
      ? ["ok", `${after}, before any command`]
      : ["warn", `${after}, later than the first command`];
  },
  "stream.version"({ link: { protocolVersion } }) {
    if (protocolVersion === undefined) return ["unknown", "no hello"];
    return protocolVersion === PROTOCOL_VERSION
      ? ["ok", `${protocolVersion}`]
      : ["warn", `${protocolVersion}, not ${PROTOCOL_VERSION}: data may be misread`];
  },
  "stream.keepalive"({ notes: { keepaliveTimeoutMs } }) {
    if (keepaliveTimeoutMs === undefined) return ["unknown", "no hello"];
    const fact = `a frame every ${keepaliveTimeoutMs} ms at least`;
    return okIf(keepaliveTimeoutMs === KEEPALIVE_TIMEOUT_MS, fact);
  },
  "stream.ping": ({ link: { roundTripMs } }) =>
    roundTripMs === undefined
      ? ["fail", "no pong received"]
      : ["ok", `round trip ${ms(roundTripMs)}`],
  "stream.clock"({ link: { skewMs } }) {
    if (skewMs === undefined) return ["unknown", "no stamp to compare with"];
    const fact = `our clock less the service's stamps: ${Math.round(skewMs)} ms`;
    return okIf(Math.abs(skewMs) <= MAX_SKEW_MS, fact);
  },
};

/** Only while the connection is open. */
const ANSWERS: Checks<StreamExam> = {
  "stream.duplicate": ({ duplicate }) =>
    okIf(
      duplicate?.code === ERROR_CODES.duplicateSubscription,
      `a second subscribe: ${answerText(duplicate)}`,
    ),
  "stream.missing": ({ missing }) =>
    okIf(
      missing?.code === ERROR_CODES.unknownResource,
      `a market that does not exist: ${answerText(missing)}`,
    ),
  "stream.unsubscribe": ({ unsubscribed }) =>
    okIf(unsubscribed?.type === "unsubscribed", `an unsubscribe: ${answerText(unsubscribed)}`),
};

/** How the points that the interface leaves open are interpreted for this service, and on what evidence. */
const READINGS: Checks<StreamExam> = {
  "reading.sequence": (exam) => sequenceSeen(selectChained(exam), exam.store.counts),
  "reading.null"(exam) {
    const all = selectChained(exam);
    if (all.length === 0) return ["unknown", "no frame with a sequence received"];
    const firsts = all.map(({ kind, firstPrevious }) => `${kind} ${firstPrevious}`).join(", ");
    const later = sum(all, (notes) => notes.nullPrevious);
    const unnumbered = sum(all, (notes) => notes.nullSequence);
    const fact = `previous of first frames: ${firsts}; null in ${later} later; sequence null in ${unnumbered}`;
    return okIf(unnumbered === 0, fact);
  },
  "reading.book"({ store, book, notes }) {
    const { frames = 0 } = notes.channels.get(book) ?? {};
    const {
      interpretation: name,
      isDecided,
      judged,
      suspect,
    } = store.slice("orderbook", book).data;
    if (frames < 2) return ["unknown", `${count(frames, "frame")}: too few to tell`];
    if (suspect !== undefined) return ["warn", `${BOOKS[name]}: suspect, ${suspect}`];
    if (!isDecided) return ["unknown", `assumed: ${BOOKS[name]}`];
    return ["ok", `${BOOKS[name]}: inferred, ${count(judged, "observation")}`];
  },
  "reading.witness"({ store, book, bbo, nowMs, notes }) {
    const { confirmedAtMs, isInconsistent, hasBook } = store.slice("orderbook", book).data;
    const hasQuotes = (notes.channels.get(bbo)?.frames ?? 0) > 0;
    if (!hasBook || !hasQuotes) return ["unknown", "no book, or no best bid and offer"];
    if (isInconsistent) return ["fail", "the best bid and offer disagree with the book"];
    if (confirmedAtMs === undefined) {
      return ["unknown", "the best bid and offer have not confirmed the book yet"];
    }
    const age = ((nowMs - confirmedAtMs) / 1000).toFixed(1);
    return ["ok", `the best bid and offer agreed with the book ${age} s ago`];
  },
};

/** Whether a second subscription agrees with the state folded from the first. */
const AUDIT: Checks<StreamExam> = {
  "reading.audit"({ store, nowMs }) {
    const channels = store.slices.filter(({ channel }) => store.audits.of(channel) !== NO_AUDITS);
    if (channels.length === 0) return ["unknown", "no second subscription was made"];
    // Reports are shared with others, so no addresses.
    const items = channels.map(({ channel, kind }) => {
      const name = kind === "account" ? kind : channel;
      return `${name} ${formatAudits(store.audits.of(channel), nowMs)}`;
    });
    const results = channels.flatMap(({ channel }) => store.audits.of(channel).last ?? []);
    if (results.length < channels.length) return ["unknown", items.join("; ")];
    const isSame = results.every(({ differences }) => differences.length === 0);
    return okIf(isSame, items.join("; "));
  },
};

/** The only checks of the listings that do not need a page. */
const PAGE: Checks<RestExam> = {
  "rest.prefix"({ prefix, elsewhere, trades: { status, records } }) {
    if (prefix !== undefined) {
      return ["fail", `nothing at --base-url, but under it at ${prefix}: add that to it`];
    }
    if (records !== undefined) return ["ok", "the listings are where --base-url says"];
    if (status !== 404) return ["unknown", "no page received"];
    const also = elsewhere === "status 404" ? ", also under /v1" : `, and under /v1 ${elsewhere}`;
    const where = elsewhere === undefined ? "404" : `404${also}`;
    return ["fail", `${where}: --base-url leads to no listings, or the market has none`];
  },
  "rest.trades": ({ trades }) => listingSeen(trades),
};

const LISTINGS: Checks<RestExam> = {
  "rest.order"({ trades: { records = [] } }) {
    if (records.length < 2) {
      return ["unknown", `${count(records.length, "record")}: too few to tell`];
    }
    const wrong = records.filter(
      (each, i) => i > 0 && each.timestamp_ms > (records[i - 1]?.timestamp_ms ?? 0),
    ).length;
    return wrong === 0
      ? ["ok", `newest first, by timestamp_ms of ${records.length} records`]
      : ["fail", `${wrong} of ${records.length} records are newer than the one before`];
  },
  "rest.cursor"({ cursor }) {
    if (cursor.length === 0) {
      return ["unknown", "no record stands alone in its time and transaction"];
    }
    const fitting = cursor.filter(({ fits }) => fits).map(({ field }) => field);
    if (fitting.length > 0) return ["ok", `before goes by ${fitting.join(", or by ")}`];
    const tried = cursor.map(({ field, seen }) => `${field} brings ${seen}`).join(", ");
    return ["warn", `no field of the records is the cursor (${tried}): export searches`];
  },
  "rest.liquidations": ({ liquidations }) => listingSeen(liquidations),
  "rest.fills": ({ fills }) => listingSeen(fills),
  "rest.missing": ({ missing }) => statusSeen("a market that does not exist", missing),
  "rest.limit": ({ tooMany }) => statusSeen("a page larger than allowed", tooMany),
};

function okIf(isOk: boolean, fact: string): Seen {
  return [isOk ? "ok" : "warn", fact];
}

function found<E>(checks: Checks<E>, exam: E): Finding[] {
  return Object.entries(checks).map(([id, look]) => finding(id, look(exam)));
}

function finding(id: string, [verdict, fact]: Seen): Finding {
  return { id, verdict, fact };
}

export function streamFindings(exam: StreamExam): readonly Finding[] {
  if (exam.notes.openedAtMs === undefined) return found(UPGRADE, exam);
  const channels = [...exam.notes.channels.values()];
  const accounts = exam.store.slices.flatMap(({ data }) =>
    data instanceof AccountState ? [data] : [],
  );
  return [
    ...found(UPGRADE, exam),
    ...found(LINK, exam),
    ...channels.map((notes) => finding(`channel.${notes.kind}`, channelSeen(notes))),
    ...(exam.link.state === "open" ? found(ANSWERS, exam) : []),
    ...found(READINGS, exam),
    ...accounts.map((account) => finding("reading.lists", listsSeen(account))),
    ...found(AUDIT, exam),
  ];
}

/** @param exam undefined if the address of the listings is not known */
export function restFindings(exam: RestExam | undefined): readonly Finding[] {
  if (exam === undefined)
    return [finding("rest.address", ["unknown", "not looked at: no --base-url"])];
  const hasPage = exam.trades.records !== undefined;
  return [...found(PAGE, exam), ...(hasPage ? found(LISTINGS, exam) : [])];
}

function answerText(answer: Answer | undefined): string {
  if (answer === undefined) return "nothing answered";
  return answer.type === "error" ? `error ${answer.code}: ${answer.message}` : answer.type;
}

function channelSeen(notes: ChannelNotes): Seen {
  const { frames, refusal, firstAtMs = 0, askedAtMs = 0, rejected, rejection } = notes;
  if (refusal !== undefined) return ["warn", `refused, ${refusal}`];
  if (rejected > 0) {
    const { path = "", detail = "" } = rejection ?? {};
    return ["fail", `${count(rejected, "frame")} of another form, first: ${path}: ${detail}`];
  }
  if (frames === 0) return ["unknown", "no frame received while watching"];
  const fact = `first frame after ${ms(firstAtMs - askedAtMs)}, ${count(frames, "frame")}`;
  if (notes.drifts === 0) return ["ok", `${fact}, all as described`];
  const { path = "", detail = "" } = notes.drift ?? {};
  const example =
    notes.drift === undefined ? "" : `, first: ${path === "" ? "" : `${path}: `}${detail}`;
  return ["warn", `${fact}, ${notes.drifts} with more than is described${example}`];
}

function selectChained({ notes }: StreamExam): readonly ChannelNotes[] {
  return [...notes.channels.values()].filter(({ firstPrevious }) => firstPrevious);
}

function sum<T>(all: readonly T[], pick: (notes: T) => number): number {
  return all.reduce((total, notes) => total + pick(notes), 0);
}

/** What `previous_sequence` refers to, by the observed frames and by the stream's findings per channel kind. */
function sequenceSeen(
  all: readonly Pick<ChannelNotes, "follows" | "breaks">[],
  { numbering }: Pick<StreamCounts, "numbering">,
): Seen {
  const blind = Object.entries(numbering).filter(([, { previous }]) => previous !== "frame");
  if (blind.length > 0) {
    const items = blind.map(([kind, { previous, frames }]) => {
      const what =
        previous === "nothing" ? "is always null" : "counts the transactions of the service";
      return `${kind}: previous ${what} (${frames} frames)`;
    });
    return ["warn", `${items.join("; ")}: missed frames cannot be seen by it`];
  }
  const follows = sum(all, (notes) => notes.follows);
  const breaks = sum(all, (notes) => notes.breaks);
  if (follows + breaks === 0) return ["unknown", "no frame named the one before it"];
  const fact = `previous names the frame before on its channel in ${follows} of ${follows + breaks}`;
  return okIf(breaks === 0, fact);
}

/** How later lists of an account are interpreted, as far as that is decided. */
export function listsSeen({ lists }: Pick<AccountState, "lists">): Seen {
  const names = ACCOUNT_LISTS.filter((name) => lists[name].isReceived);
  if (names.length === 0) return ["unknown", "no list of the account received"];
  const items = names.map((name) => {
    const { isDecided, interpretation } = lists[name];
    return `${name} ${isDecided ? "inferred" : "assumed"}: ${LISTS[interpretation]}`;
  });
  const isSome = names.some((name) => lists[name].isDecided);
  return [isSome ? "ok" : "unknown", items.join("; ")];
}

function listingSeen(asked: Asked<unknown> | undefined): Seen {
  if (asked === undefined) return ["unknown", "not looked at: no owner's address in the trades"];
  const { records, problem, tookMs } = asked;
  if (records === undefined) return ["fail", problem ?? "no page received"];
  return ["ok", `${count(records.length, "record")} in ${ms(tookMs)}, all as described`];
}

function statusSeen(what: string, asked: Asked<unknown> | undefined): Seen {
  const status = asked?.status;
  if (status === undefined) return ["unknown", `${what}: ${asked?.problem ?? "not looked at"}`];
  const page = asked?.records === undefined ? "" : `, ${count(asked.records.length, "record")}`;
  return okIf(status < 500, `${what}: status ${status}${page}`);
}

// Checks of this machine, its terminal and settings, and of the network path to the service.

const TLS_TIMEOUT_MS = 10_000;
/** A smaller terminal shows a single pane. */
const SMALL = { columns: 80, rows: 24 };
const SOON_DAYS = 14;

/** The config file, which is already read. `mode` is undefined if there is none. */
export function configFinding({
  config,
  path,
  mode,
}: {
  readonly config: Config;
  readonly path: string;
  readonly mode: { readonly digits: string; readonly isOpen: boolean } | undefined;
}): Finding {
  const id = "config.file";
  if (mode === undefined) return finding(id, ["ok", `none at ${path}, and none is needed`]);
  return mode.isOpen && holdsHeaders(config)
    ? finding(id, ["warn", `${path} holds headers and has mode ${mode.digits}: chmod 600 it`])
    : finding(id, ["ok", `${path}, mode ${mode.digits}`]);
}

/** Name resolution and certificate of one address. */
export async function networkFindings(
  context: Context,
  option: string,
  url: string,
): Promise<readonly Finding[]> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isSecure = protocol === "wss:" || protocol === "https:";
  const startedAt = context.clock.now();
  const at = (name: string, seen: Seen) => finding(`network.${option}.${name}`, seen);
  const hosts = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error);
  if (hosts instanceof Error)
    return [at("name", ["fail", `${host}: ${hosts.code ?? hosts.message}`])];
  const addresses = hosts.map(({ address }) => address);
  const took = ms(context.clock.now() - startedAt);
  const name = at("name", ["ok", `${host} is ${addresses.join(", ")}, found in ${took}`]);
  if (isSecure) return [name, at("tls", await tlsSeen(context, host, Number(port || 443)))];
  const isLocal = addresses.every((address) => address === "::1" || address.startsWith("127."));
  const fact = isLocal
    ? "not encrypted, and does not leave this machine"
    : "not encrypted: anybody on the way can read and change it";
  return [name, at("tls", okIf(isLocal, fact))];
}

function tlsSeen({ clock }: Context, host: string, port: number): Promise<Seen> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, rejectUnauthorized: true });
    const end = (...seen: Seen) => {
      cancel();
      socket.destroy();
      resolve(seen);
    };
    const cancel = clock.after(TLS_TIMEOUT_MS, () => end("fail", "no handshake in time"));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end("fail", error.code ?? error.message),
    );
    socket.once("secureConnect", () => {
      const { valid_to, issuer } = socket.getPeerCertificate();
      const days = Math.floor((Date.parse(valid_to) - clock.wall()) / DAY_MS);
      const fact = `${socket.getProtocol() ?? "TLS"}, certificate by ${issuer?.O ?? issuer?.CN ?? "?"}, ${days} days left`;
      end(days < SOON_DAYS ? "warn" : "ok", fact);
    });
  });
}

const TERMINAL: Checks<Context> = {
  "terminal.size"({ stdout: { columns = 0, rows = 0 } }) {
    const isSmall = columns < SMALL.columns || rows < SMALL.rows;
    return okIf(!isSmall, `${columns}x${rows}${isSmall ? ": some panes will not fit" : ""}`);
  },
  "terminal.colors"({ env, options }) {
    const depth = colorDepth(env, options.noColor ?? false);
    const fact = `${depth} (TERM ${env.TERM || "not set"}, COLORTERM ${env.COLORTERM || "not set"})`;
    const chosenBy = [
      options.noColor ? "--no-color" : "",
      ...(["NO_COLOR", "FORCE_COLOR"] as const).filter((name) => env[name]),
    ].find(Boolean);
    if (chosenBy !== undefined) return ["ok", `${fact}: ${chosenBy} asks for that`];
    const advice = depth === "none" ? "" : colorAdvice(depth, env);
    return okIf(depth !== "none" && depth !== "ansi16", fact + advice);
  },
  "terminal.text"({ env }) {
    const locale = getLocale(env);
    if (locale === "") return ["unknown", "the locale is not set: UTF-8 is written all the same"];
    return lacksUtf8(env)
      ? [
          "warn",
          `the locale ${locale} is not UTF-8: ASCII is drawn; LC_ALL=C.UTF-8 brings the rest`,
        ]
      : ["ok", `UTF-8 (${locale})`];
  },
  "terminal.clipboard"({ env }) {
    const { clipboardAdvice } = terminalTraits(env);
    const fact = "sent by OSC 52, which no terminal confirms";
    return clipboardAdvice === "" ? ["unknown", fact] : ["warn", `${fact}: ${clipboardAdvice}`];
  },
  "terminal.sync": () => [
    "unknown",
    "synchronised output is asked for in each frame; terminals that lack it pass over it",
  ],
};

export function terminalFindings(context: Context): readonly Finding[] {
  if (context.stdout.isTTY) return found(TERMINAL, context);
  return [finding("terminal.screen", ["unknown", "standard output is no terminal"])];
}

function colorAdvice(depth: ColorDepth, { TERM = "", TMUX }: Context["env"]): string {
  if (depth === "truecolor") return "";
  const name = TMUX ? "tmux" : TERM.startsWith("screen") ? "screen" : "xterm";
  const more = depth === "ansi16" ? `TERM=${name}-256color or ` : "";
  const tmux = TMUX ? ", and `set -as terminal-features ',*:RGB'` in tmux" : "";
  return `: a terminal that has more says so by ${more}COLORTERM=truecolor${tmux}`;
}
