// The view of a subaccount without a screen.

import type { Context } from "../args/context.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { Upkeep } from "../live/upkeep.ts";
import {
  accountChannel,
  accountsChannel,
  chosenSubaccount,
  type Subaccount,
} from "../select/account.ts";
import { openScales } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Scale } from "../units/scale.ts";
import { type AccountSnapshot, accountViewJson } from "./account-json.ts";
import { accountLine, accountPage } from "./account-text.ts";
import {
  type HeadlessSnapshot,
  type HeadlessView,
  printView,
  wordMissing,
} from "./headless-forms.ts";

export interface AccountRun {
  readonly findService: () => Promise<Service>;
  readonly account: Subaccount;
  readonly knownScales: Readonly<Record<string, Scale>>;
}

/**
 * Prints the subaccount in the form that is asked for.
 * @returns the exit code: 0 when the data came, 1 when it never did
 * @throws {ServiceError} when the first connection cannot be made
 */
export async function printAccount(context: Context, run: AccountRun): Promise<number> {
  const service = await run.findService();
  const session = new HeadlessSession(context, service);
  const scales = openScales(session.live.store, run.knownScales);
  const upkeep = new Upkeep(context, service, session.live, scales, () => session.check());
  try {
    return await printView(
      context,
      session,
      getView(context, session, run.account, scales, upkeep),
    );
  } finally {
    upkeep.stop();
    session.close();
  }
}

function getView(
  { clock, options }: Context,
  { live: { store, stream } }: HeadlessSession,
  account: Subaccount,
  scales: Scales,
  upkeep: Upkeep,
): HeadlessView {
  const catalogue = () => store.slice("accounts", accountsChannel(account.address));
  const slice = () => store.slice("account", accountChannel(account));
  stream.subscribe(accountsChannel(account.address));
  // The list of markets may say what ticks and lots are worth; the view is complete without it.
  stream.subscribe("markets");
  stream.subscribe(accountChannel(account));
  return {
    follow: () => upkeep.follow(account),
    isSettled: () =>
      isAnswered(slice().feed) && isAnswered(catalogue().feed) && upkeep.hasMeasuredAccount,
    snapshot: () =>
      accountForms({
        ...{ store, account, scales, nowMs: clock.now(), wallMs: clock.wall() },
        isMasked: options.mask ?? false,
      }),
  };
}

/** A subaccount, or the catalogue of an address, as it is at one moment. */
export function accountForms(now: AccountSnapshot): HeadlessSnapshot {
  const { store, account, nowMs } = now;
  const chosen = chosenSubaccount(account);
  const { kind, feed } =
    chosen === undefined
      ? store.slice("accounts", accountsChannel(account.address))
      : store.slice("account", accountChannel(chosen));
  return {
    nowMs,
    line: () => accountLine(now),
    page: () => accountPage(now),
    json: () => accountViewJson(now),
    missing: () => (feed.frames > 0 ? [] : [wordMissing(kind, feed, store.link)]),
  };
}
