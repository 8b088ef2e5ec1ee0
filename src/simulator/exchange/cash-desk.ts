// Money that moves without a trade: deposits, funding, insurance. All of it must run inside a transaction.
import type { Account } from "../accounts/account.ts";
import type { Exchange } from "./exchange.ts";

/** Brings quote currency into an account, or out of it with a negative amount. Never throws. */
export function deposit(exchange: Exchange, account: Account, atoms: bigint): void {
  exchange.touch(account);
  account.quoteAtoms += atoms;
  exchange.treasury.depositedAtoms += atoms;
  account.noteCash({ index: exchange.index, kind: "deposit", market: 0, atoms, lots: 0 });
}

/** Brings base currency of a spot market into an account. Nothing happens for no lots. Never throws. */
export function depositLots(
  exchange: Exchange,
  account: Account,
  market: number,
  lots: number,
): void {
  const holding = account.holdings[market];
  if (holding === undefined || lots === 0) return;
  exchange.touch(account);
  holding.lots += lots;
  const { depositedLots } = exchange.treasury;
  depositedLots[market] = (depositedLots[market] ?? 0) + lots;
  account.noteCash({ index: exchange.index, kind: "deposit", market, atoms: 0n, lots });
}

/** Pays funding to an account (from it: negative) for its position in a market. Never throws. */
export function payFunding(
  exchange: Exchange,
  account: Account,
  market: number,
  atoms: bigint,
): void {
  const position = account.positions[market];
  if (position === undefined) return;
  exchange.touch(account);
  position.fundingAtoms += atoms;
  account.quoteAtoms += atoms;
  exchange.treasury.fundingResidueAtoms -= atoms;
  account.noteCash({ index: exchange.index, kind: "funding", market, atoms, lots: 0 });
}

/** Pays the debt of an account that has nothing left. Never throws. */
export function coverDebt(exchange: Exchange, account: Account): void {
  const atoms = -account.quoteAtoms;
  exchange.touch(account);
  account.quoteAtoms = 0n;
  exchange.treasury.insuranceAtoms -= atoms;
  account.noteCash({ index: exchange.index, kind: "insurance", market: 0, atoms, lots: 0 });
}
