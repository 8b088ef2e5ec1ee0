// Examines the stream: subscribes to the channels of one market, waits for evidence, then sends three unusual commands.
import type { Context } from "../args/context.ts";
import { Waiter } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { openSession, type Session } from "../live/session.ts";
import {
  type AccountChoice,
  accountChannel,
  chosenSubaccount,
  getChannels,
} from "../select/account.ts";
import { type Market, marketChannels } from "../select/market.ts";
import { ACCOUNT_LISTS } from "../state/account.ts";
import type { AccountList } from "../state/account-list.ts";
import { Store } from "../state/store.ts";
import type { OpenSocket } from "../stream/socket.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import { parseChannel } from "../wire/channels.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";
import { type Answer, ChannelNotes, WireNotes } from "./wire-notes.ts";

const CONNECT_MS = 12_000;
/** Channels that sent nothing by then are reported; also the maximum wait for evidence of the interpretations. */
const OBSERVE_MS = 12_000;
/** More would not finish within a minute. */
const MAX_OBSERVE_MS = 30_000;
const ANSWER_MS = 3000;
/** How long lists of an account are observed before a snapshot is requested once more. */
const LISTS_MS = 6000;
/** For one audit by snapshot, on a separate connection. */
const AUDIT_MS = 8000;
/** Share of the observation time after which a hello is no longer awaited. */
const HELLO_SHARE = 0.5;
/** A market that almost certainly does not exist; its id is the largest that the document allows. */
const NO_MARKET = "2147483647";

/** What the stream sent and replied while it was observed. Times are monotonic milliseconds. */
export interface StreamExam {
  readonly notes: WireNotes;
  readonly store: Store;
  /** As of the end of the observation. */
  readonly link: Link;
  readonly book: string;
  readonly bbo: string;
  /** Replies to a duplicate subscribe, to a subscribe to a market that does not exist, and to an unsubscribe. */
  readonly duplicate: Answer | undefined;
  readonly missing: Answer | undefined;
  readonly unsubscribed: Answer | undefined;
  readonly nowMs: number;
  /** Connections and commands of the audit by snapshot. */
  readonly auditRequests: number;
}

/**
 * Observes the stream for at most --timeout, less if it has seen enough; ends on interruption.
 * @throws {UsageError} when the address is invalid
 */
export async function examineStream(
  context: Context,
  service: Service,
  market: Market,
  account: AccountChoice | undefined,
): Promise<StreamExam> {
  const { clock } = context;
  const observeMs = Math.min(context.options.timeout ?? OBSERVE_MS, MAX_OBSERVE_MS);
  const notes = new WireNotes(clock);
  const { bbo, orderbook: book } = marketChannels(market, "1m");
  const channels = listChannels(market, account);
  for (const channel of channels) {
    const parts = parseChannel(channel);
    if (parts !== undefined) notes.channels.set(channel, new ChannelNotes(parts.kind));
  }
  const waiter = new Waiter(clock, context.interrupt);
  const openSocket = createWsSocket({ ...service, clock });
  let auditRequests = 0;
  const countedSocket: OpenSocket = (handlers) => {
    auditRequests++;
    const socket = openSocket(handlers);
    const send = (message: string) => {
      auditRequests++;
      socket.send(message);
    };
    return { ...socket, send };
  };
  const live = openSession({
    openSocket: notes.sockets(openSocket),
    auditSocket: countedSocket,
    onAudit: () => waiter.check(),
    store: new Store(),
    log: context.log,
    clock,
    random: context.random,
    onEvent: (event: StreamEvent) => {
      notes.event(event);
      waiter.check();
    },
  });
  const until: Waiter["until"] = (isMet, timeoutMs) => waiter.until(isMet, timeoutMs);
  const { stream, store } = live;
  const answerMs = Math.min(ANSWER_MS, observeMs);
  const ask = async (type: "subscribe" | "unsubscribe", channel: string) => {
    if (stream.link.state !== "open") return undefined;
    const sinceMs = clock.now();
    notes.ask(type, channel);
    await until(() => notes.answerOf(channel, sinceMs) !== undefined, answerMs);
    return notes.answerOf(channel, sinceMs);
  };
  try {
    for (const channel of channels) stream.subscribe(channel);
    await until(() => /open|waiting/.test(stream.link.state), CONNECT_MS);
    if (stream.link.state === "open") {
      const isHelloOver = () => clock.now() - (notes.openedAtMs ?? 0) > observeMs * HELLO_SHARE;
      const hasHello = () => notes.helloAtMs !== undefined || isHelloOver();
      await until(() => hasHello() && isEnough(notes, store, book), observeMs);
      const chosen = account && chosenSubaccount(account);
      if (chosen !== undefined) {
        const times = { watchMs: Math.min(LISTS_MS, observeMs), answerMs };
        await readLists(live, accountChannel(chosen), until, times);
      }
      live.auditor?.runNow();
      await until(() => live.auditor?.isIdle ?? true, Math.min(AUDIT_MS, observeMs));
    }
    const { link } = stream;
    return {
      notes,
      store,
      link,
      book,
      bbo,
      duplicate: await ask("subscribe", bbo),
      missing: await ask("subscribe", `orderbook/${market.type}/${NO_MARKET}`),
      unsubscribed: await ask("unsubscribe", bbo),
      nowMs: clock.now(),
      auditRequests,
    };
  } finally {
    live.close();
  }
}

/** Account channels only if an account is given: they are private. */
function listChannels(market: Market, account: AccountChoice | undefined): readonly string[] {
  const channels: readonly (string | undefined)[] = Object.values(marketChannels(market, "1m"));
  const own = account === undefined ? [] : getChannels(account);
  return [...channels, ...own].filter((channel) => channel !== undefined);
}

/**
 * Observes how the lists of an account are to be interpreted. Rows missing from the newest list decide it as soon as a new
 * snapshot arrives: if they are missing there too, they were closed, and the list was complete.
 */
async function readLists(
  { store, stream }: Pick<Session, "store" | "stream">,
  channel: string,
  until: Waiter["until"],
  { watchMs, answerMs }: { readonly watchMs: number; readonly answerMs: number },
): Promise<void> {
  const slice = () => store.slice("account", channel);
  const some = (isSo: (list: AccountList) => boolean) =>
    ACCOUNT_LISTS.some((name) => isSo(slice().data.lists[name]));
  const isRead = () => some(({ isDecided }) => isDecided);
  if (slice().feed.phase !== "receiving") return;
  await until(isRead, watchMs);
  if (isRead() || !some(({ splitSinceMs }) => splitSinceMs !== undefined)) return;
  stream.resync(channel, "how its lists are to be read is not known");
  await until(() => isRead() || slice().feed.phase === "receiving", answerMs);
}

/**
 * True once every channel has sent something or was refused, a pong has arrived, and the interpretation of the book is decided.
 */
function isEnough(notes: WireNotes, store: Store, book: string): boolean {
  const all = [...notes.channels.values()];
  const hasAnswers = all.every(({ frames, refusal }) => frames > 0 || refusal !== undefined);
  const books = notes.channels.get(book);
  if (!hasAnswers || notes.pongs === 0) return false;
  if (books?.refusal !== undefined) return true;
  const { isDecided, confirmedAtMs } = store.slice("orderbook", book).data;
  return isDecided && confirmedAtMs !== undefined && (books?.frames ?? 0) > 10;
}
