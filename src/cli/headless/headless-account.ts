// The view of a subaccount without a screen: a line or an object a second, or one page at the end.
import { stringifyExact } from "../../protocol/exact-numbers.ts";
import type { Feed } from "../../store/feed.ts";
import type { Scales } from "../../store/scales.ts";
import type { Slice } from "../../store/slices.ts";
import { visible } from "../../terminal/visible.ts";
import { every } from "../../units/clock.ts";
import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
} from "../../view/account.ts";
import { openScales } from "../../view/scale.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import {
  AccountScaleProbes,
  type AccountScaleProbesOptions,
} from "../live/account-scale-probes.ts";
import { openRecentTrades } from "../live/recent-trades.ts";
import { printLine } from "../print-line.ts";
import type { AccountRun } from "../runs/run-account.ts";
import { type AccountSnapshot, accountViewJson } from "./account-json.ts";
import { accountLine, accountPage } from "./account-text.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession, LINE_PERIOD_MS } from "./headless-session.ts";

/** Answers the exit code: 0 when the data came, 1 when it never did. */
export async function runHeadlessAccount(context: Context, run: AccountRun): Promise<number> {
  const service = await run.findService();
  const session = new HeadlessSession(context, service);
  const trades = openRecentTrades(context, service);
  const view = new HeadlessAccount(context, session, run, { trades, recorder: service.recorder });
  try {
    const { once, for: forMs } = context.options;
    if (once) return await view.printOnce();
    return forMs === undefined ? await view.printLines() : await view.printAfter(forMs);
  } finally {
    view.stop();
    trades?.close();
    session.close();
  }
}

class HeadlessAccount {
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

  async printOnce(): Promise<number> {
    const { options, interrupt } = this.#context;
    const end = await this.#until(() => this.#isSettled, options.timeout ?? DEFAULT_TIMEOUT_MS);
    return end === "interrupted" ? interruptedExitCode(interrupt) : this.#printPage();
  }

  async printAfter(forMs: number): Promise<number> {
    const end = await this.#until(() => false, forMs);
    const code = this.#printPage();
    return end === "interrupted" ? interruptedExitCode(this.#context.interrupt) : code;
  }

  /** One line a second until the user has had enough. */
  async printLines(): Promise<number> {
    const { clock, options } = this.#context;
    const print = () => {
      const now = this.#snapshot;
      this.#session.live.shown(now.nowMs);
      const line = options.json ? this.#jsonText(now) : accountLine(now, clock.wall());
      printLine(this.#context, line);
    };
    const stop = every(clock, LINE_PERIOD_MS, print);
    try {
      await this.#until(() => false, Number.POSITIVE_INFINITY);
    } finally {
      stop();
    }
    return EXIT.done;
  }

  get #snapshot(): AccountSnapshot {
    return {
      store: this.#session.live.store,
      account: this.#account,
      scales: this.#scales,
      nowMs: this.#context.clock.now(),
      isMasked: this.#context.options.mask ?? false,
    };
  }

  #until(isMet: () => boolean, timeoutMs: number) {
    return this.#session.until(() => {
      this.#choose();
      this.#probes.follow(chosenSubaccount(this.#account));
      return isMet();
    }, timeoutMs);
  }

  /** Where the address has one subaccount, that is the one that is meant. */
  #choose(): void {
    if (this.#account.subaccountId !== undefined) return;
    const [only, ...others] = this.#catalogue.data.subaccounts;
    if (only !== undefined && others.length === 0) this.#open(String(only.subaccount_id));
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
    const { address, subaccountId } = this.#account;
    if (subaccountId === undefined) return this.#catalogue as Slice;
    const channel = accountChannel({ address, subaccountId });
    return this.#session.live.store.slice("account", channel) as Slice;
  }

  /** What is refused will never come: nothing is gained by waiting for it. */
  get #isSettled(): boolean {
    const isHere = [this.#main, this.#catalogue].every(
      ({ feed }) => feed.frames > 0 || feed.phase === "refused",
    );
    return isHere && this.#probes.hasTried;
  }

  #printPage(): number {
    const { options, stderr, clock } = this.#context;
    const now = this.#snapshot;
    this.#session.live.shown(now.nowMs);
    const text = options.json ? this.#jsonText(now) : accountPage(now, clock.wall());
    printLine(this.#context, text);
    const { feed, kind } = this.#main;
    if (feed.frames > 0) return EXIT.done;
    stderr.write(`monitor: not complete: ${kind} (${visible(this.#whyMissing(feed))})\n`);
    return EXIT.failed;
  }

  #whyMissing({ phase, reason }: Feed): string {
    const { link } = this.#session.live.store;
    if (link?.state !== "open") return `no connection: ${link?.fault?.detail ?? "none yet"}`;
    return reason === undefined ? "no data came" : `${phase}: ${reason}`;
  }

  #jsonText(snapshot: AccountSnapshot): string {
    const { meter } = this.#session;
    return stringifyExact({ ...accountViewJson(snapshot), ...(meter && { perf: meter.json() }) });
  }
}
