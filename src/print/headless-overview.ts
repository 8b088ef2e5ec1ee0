// The overview of one or several addresses without a screen: all their subaccounts.
import type { Context } from "../args/context.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { accountsChannel } from "../select/account.ts";
import { maskText } from "../select/mask.ts";
import {
  compareDanger,
  type NamedAccount,
  OverviewEntries,
  OverviewRows,
  OverviewSubscriptions,
} from "../select/overview.ts";
import { isAnswered } from "../state/feed.ts";
import type { Slice } from "../state/slices.ts";
import { every } from "../units/clock.ts";
import { type HeadlessView, printView, wordMissing } from "./headless-forms.ts";
import { overviewJson } from "./overview-json.ts";
import { overviewLine, overviewPage } from "./overview-text.ts";

export interface OverviewRun {
  readonly findService: () => Promise<Service>;
  readonly accounts: readonly NamedAccount[];
}

/** How often is looked whether the next subaccount is due, where nothing comes. */
const LOOK_EVERY_MS = 250;

/**
 * Prints all subaccounts in the form that is asked for.
 * @returns the exit code: 0 when catalogues and subaccounts came, 1 when one of them never did
 * @throws {ServiceError} when the first connection cannot be made
 */
export async function printOverview(context: Context, run: OverviewRun): Promise<number> {
  const session = new HeadlessSession(context, await run.findService());
  const stop = every(context.clock, LOOK_EVERY_MS, () => session.check());
  try {
    return await printView(context, session, createView(context, session, run.accounts));
  } finally {
    stop();
    session.close();
  }
}

function createView(
  { clock, options }: Context,
  { live: { store, stream } }: HeadlessSession,
  accounts: readonly NamedAccount[],
): HeadlessView {
  const list = new OverviewEntries();
  const rows = new OverviewRows();
  const subscriptions = new OverviewSubscriptions(options.max);
  const catalogues = [...new Set(accounts.map(({ address }) => accountsChannel(address)))];
  for (const channel of catalogues) stream.subscribe(channel);
  const slices = () => catalogues.map((channel) => store.slice("accounts", channel) as Slice);
  return {
    follow() {
      while (subscriptions.advance(list.select(store, accounts), store, clock.now())) {
        const channel = subscriptions.channels.at(-1);
        if (channel !== undefined) stream.subscribe(channel);
      }
    },
    isSettled: () =>
      slices().every(({ feed }) => isAnswered(feed)) && subscriptions.isSettled(store, clock.now()),
    snapshot() {
      const nowMs = clock.now();
      const all = rows.select(list.select(store, accounts), store, nowMs);
      const shown = { store, accounts, nowMs, isMasked: options.mask ?? false };
      const opened = subscriptions.channels.map((each) => store.slice("account", each) as Slice);
      const missing = [...slices(), ...opened].flatMap(({ channel, feed }) => {
        if (feed.frames > 0) return [];
        const words = wordMissing(channel, feed, store.link);
        return [shown.isMasked ? maskText(words, undefined) : words];
      });
      const danger = { ...shown, rows: all.toSorted(compareDanger) };
      return {
        nowMs,
        line: () => overviewLine(danger, clock.wall()),
        page: () => overviewPage(danger, missing),
        json: () => overviewJson({ ...shown, rows: all }),
        missing: () => missing,
      };
    },
  };
}
