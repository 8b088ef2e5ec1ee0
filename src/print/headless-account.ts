// The view of a subaccount without a screen.

import type { Context } from "../args/context.ts";
import { openBackgroundListings } from "../live/background-listings.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import { AccountScaleProbes } from "../live/scale-probe.ts";
import type { Service } from "../live/service.ts";
import { accountChannel, accountsChannel, type Subaccount } from "../select/account.ts";
import { openScales } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Scale } from "../units/scale.ts";
import { type AccountSnapshot, accountViewJson } from "./account-json.ts";
import { accountLine, accountPage } from "./account-text.ts";
import { type HeadlessView, printView, wordMissing } from "./headless-forms.ts";

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
  const { clock } = context;
  const service = await run.findService();
  const session = new HeadlessSession(context, service);
  const { store, stream } = session.live;
  const trades = openBackgroundListings(context, service);
  const scales = openScales(store, run.knownScales);
  const { recorder } = service;
  const probes = new AccountScaleProbes({
    ...{ store, stream, scales, clock, trades, recorder },
    onReceived: () => session.check(),
  });
  try {
    return await printView(
      context,
      session,
      getView(context, session, run.account, scales, probes),
    );
  } finally {
    probes.stop();
    trades?.close();
    session.close();
  }
}

function getView(
  { clock, options }: Context,
  { live: { store, stream } }: HeadlessSession,
  account: Subaccount,
  scales: Scales,
  probes: AccountScaleProbes,
): HeadlessView {
  const catalogue = () => store.slice("accounts", accountsChannel(account.address));
  const slice = () => store.slice("account", accountChannel(account));
  stream.subscribe(accountsChannel(account.address));
  // The list of markets may say what ticks and lots are worth; the view is complete without it.
  stream.subscribe("markets");
  stream.subscribe(accountChannel(account));
  return {
    follow: () => probes.follow(account),
    isSettled: () => isAnswered(slice().feed) && isAnswered(catalogue().feed) && probes.hasTried,
    snapshot() {
      const nowMs = clock.now();
      const now: AccountSnapshot = {
        ...{ store, account, scales, nowMs },
        isMasked: options.mask ?? false,
      };
      const { kind, feed } = slice();
      return {
        nowMs,
        line: () => accountLine(now, clock.wall()),
        page: () => accountPage(now, clock.wall()),
        json: () => accountViewJson(now),
        missing: () => (feed.frames > 0 ? [] : [wordMissing(kind, feed, store.link)]),
      };
    },
  };
}
