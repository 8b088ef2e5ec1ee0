// The owner's housekeeping: every few minutes a delegation is prolonged or a leverage changed, so that
// the slow lists of an account change too.
import type { Random } from "../../units/random.ts";
import type { Account, Catalogue } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Actor } from "../exchange/schedule.ts";

const US_PER_S = 1_000_000;
const PROLONG_US = 30 * 86_400 * US_PER_S;
/** The delegation that is prolonged: the first, which has an end and a name. */
const PROLONGED = 0;
const LEVERAGES: readonly number[] = [3, 5, 8, 10, 20];

/** Changes one thing each time that it acts. */
export class Housekeeper implements Actor {
  readonly #exchange: Exchange;
  readonly #catalogue: Catalogue;
  readonly #account: Account;
  readonly #random: Random;

  constructor(exchange: Exchange, catalogue: Catalogue, account: Account, random: Random) {
    this.#exchange = exchange;
    this.#catalogue = catalogue;
    this.#account = account;
    this.#random = random;
  }

  act(nowUs: number): number {
    if (this.#random() < 0.5) this.#prolong(nowUs);
    else this.#changeLeverage();
    return (40 + 80 * this.#random()) * US_PER_S;
  }

  #prolong(nowUs: number): void {
    const { delegations } = this.#catalogue;
    const delegation = delegations[PROLONGED];
    if (delegation === undefined) return;
    delegations[PROLONGED] = { ...delegation, expiresAtUs: nowUs + PROLONG_US };
    this.#exchange.touch();
    this.#catalogue.sequence = this.#exchange.index;
    this.#catalogue.changed = PROLONGED;
  }

  #changeLeverage(): void {
    const perps = this.#exchange.markets.filter(({ isPerp }) => isPerp);
    const market = perps[Math.floor(this.#random() * perps.length)];
    const leverage = LEVERAGES[Math.floor(this.#random() * LEVERAGES.length)];
    if (market === undefined || leverage === undefined) return;
    this.#account.leverages[market.index] = leverage;
    this.#exchange.touch(this.#account);
    const { changes } = this.#account;
    if (changes === undefined) return;
    changes.leverages.add(market.index);
    changes.hasSummary = true;
    if ((this.#account.positions[market.index]?.lots ?? 0) !== 0) {
      changes.positions.add(market.index);
    }
  }
}
