// Accounts of composed services, held against what is there.
import { ACCOUNT_LISTS, ACCOUNT_LOGS, type AccountState } from "../../src/state/account.ts";
import type { ComposedStream } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { checkKeys, type Finding } from "./truth-check.ts";
import { type LookedAt, showsLosses, type Watched, watchService } from "./watch-service.ts";

type Truth = ChannelTruth & { kind: "account" };

function listFindings({ state, keyOf, keysOf }: LookedAt, data: AccountState, truth: Truth) {
  return ACCOUNT_LISTS.flatMap((list): Finding[] => {
    const { rows, inQuestion, isReceived, missing } = data.lists[list];
    if (!isReceived) return [];
    const isMarked = (at: number) => rows[at] !== undefined && inQuestion.has(rows[at]);
    const shown = { list, keys: rows.map(keyOf), state, isMarked };
    const found = checkKeys(shown, keysOf(truth.lists[list]), keysOf(truth.zero));
    // The list says itself that an audit has found more.
    return missing > 0 ? found.filter(({ kind }) => kind !== "missing") : found;
  });
}

/** What came since the first frame is there; of what is older, as much as the service repeats. */
function logFindings({ state, keyOf, keysOf }: LookedAt, data: AccountState, truth: Truth) {
  return ACCOUNT_LOGS.flatMap((list): Finding[] => {
    const { rows, mayMiss } = data.logs[list];
    const all = keysOf(truth.lists[list]).reverse();
    let inQuestion: ReadonlySet<object> | undefined;
    const isMarked = (at: number) => {
      inQuestion ??= data.logs[list].inQuestion;
      return rows[at] !== undefined && inQuestion.has(rows[at]);
    };
    const shown = { list, keys: rows.map(keyOf), state, isMarked };
    const found = checkKeys(shown, all.slice(0, rows.length), mayMiss ? all : []);
    return mayMiss ? found.filter(({ kind }) => kind !== "missing") : found;
  });
}

/** What is untrue of an account, and is not marked. */
export function accountFindings(at: LookedAt): readonly Finding[] {
  const { store, channel, truth } = at;
  if (truth.kind !== "account") return [];
  const { data } = store.slice("account", channel);
  const found = [...listFindings(at, data, truth), ...logFindings(at, data, truth)];
  return found.filter(({ isInQuestion }) => !isInQuestion);
}

/** Services with an account, of which a lost frame can be known. */
export function hasAccount(composed: ComposedStream): boolean {
  return composed.facts.account !== undefined && showsLosses(composed);
}

/** @param seed of the client's own chance */
export function watchAccount(composed: ComposedStream, seed: number): Watched {
  const channel = composed.facts.account?.channel ?? "";
  return watchService(composed, seed, {
    channels: [channel],
    isMarked(store) {
      const { lists } = store.slice("account", channel).data;
      return ACCOUNT_LISTS.some((list) => lists[list].inQuestion.size > 0);
    },
    find: accountFindings,
  });
}
