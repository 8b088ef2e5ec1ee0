// The view of a subaccount without a screen.

import type { Context } from "../args/context.ts";
import {
  AccountScaleProbes,
  type AccountScaleProbesOptions,
} from "../live/account-scale-probes.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import { openRecentTrades } from "../live/recent-trades.ts";
import type { Service } from "../live/service.ts";
import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
} from "../select/account.ts";
import { openScales } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
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
  readonly account: AccountChoice;
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
  const trades = openRecentTrades(context, service);
  const view = new HeadlessAccount(context, session, run, { trades, recorder: service.recorder });
  try {
    return await printView(context, session, view);
  } finally {
    view.stop();
    trades?.close();
    session.close();
  }
}

class HeadlessAccount implements HeadlessView {
  readonly #context: Context;
  readonly #session: HeadlessSession;
  readonly #scales: Scales;
  readonly #probes: AccountScaleProbes;
  #account: AccountChoice;

  constructor(
    context: Context,
    session: HeadlessSession,
    { account, knownScales }: AccountRun,
    listings: Pick<AccountScaleProbesOptions, "trades" | "recorder">,
  ) {
    const { store, stream } = session.live;
    this.#context = context;
    this.#session = session;
    this.#account = account;
    this.#scales = openScales(store, knownScales);
    this.#probes = new AccountScaleProbes({
      ...{ store, stream, scales: this.#scales, clock: context.clock, ...listings },
      onHeard: () => session.check(),
    });
    stream.subscribe(accountsChannel(account.address));
    // The list of markets may say what ticks and lots are worth; the view is complete without it.
    stream.subscribe("markets");
    this.#open(account.subaccountId);
  }

  stop(): void {
    this.#probes.stop();
  }

  /** Where the address has one subaccount, that is the one that is meant. */
  follow(): void {
    if (this.#account.subaccountId === undefined) {
      const [only, ...others] = this.#catalogue.data.subaccounts;
      if (only !== undefined && others.length === 0) this.#open(String(only.subaccount_id));
    }
    this.#probes.follow(chosenSubaccount(this.#account));
  }

  isSettled(): boolean {
    const isHere = [this.#main, this.#catalogue].every(({ feed }) => isAnswered(feed));
    return isHere && this.#probes.hasTried;
  }

  snapshot(): HeadlessSnapshot {
    const { clock, options } = this.#context;
    const { store } = this.#session.live;
    const now: AccountSnapshot = {
      store,
      account: this.#account,
      scales: this.#scales,
      nowMs: clock.now(),
      isMasked: options.mask ?? false,
    };
    const { kind, feed } = this.#main;
    return {
      nowMs: now.nowMs,
      line: () => accountLine(now, clock.wall()),
      page: () => accountPage(now, clock.wall()),
      json: () => accountViewJson(now),
      missing: () => (feed.frames > 0 ? [] : [wordMissing(kind, feed, store.link)]),
    };
  }

  #open(subaccountId: string | undefined): void {
    if (subaccountId === undefined) return;
    this.#account = { ...this.#account, subaccountId };
    const { address } = this.#account;
    this.#session.live.stream.subscribe(accountChannel({ address, subaccountId }));
  }

  get #catalogue() {
    return this.#session.live.store.slice("accounts", accountsChannel(this.#account.address));
  }

  /** What the command is about: the subaccount, or the catalogue while none is chosen. */
  get #main(): Slice {
    const chosen = chosenSubaccount(this.#account);
    if (chosen === undefined) return this.#catalogue as Slice;
    return this.#session.live.store.slice("account", accountChannel(chosen)) as Slice;
  }
}
