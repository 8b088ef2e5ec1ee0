// The update frame of each channel kind (section 6.3).
import type { AccountUpdate } from "./account.ts";
import type { AccountsUpdate } from "./accounts.ts";
import type { BboUpdate } from "./bbo.ts";
import type { CandlesUpdate } from "./candles.ts";
import type { FundingRatesUpdate } from "./funding-rates.ts";
import type { MarkCandlesUpdate } from "./mark-candles.ts";
import type { MarketStatsUpdate } from "./market-stats.ts";
import type { MarketsUpdate } from "./markets.ts";
import type { OrderbookUpdate } from "./orderbook.ts";
import type { TradesUpdate } from "./trades.ts";

/** The update frame of each channel kind. */
export interface Updates {
  bbo: BboUpdate;
  orderbook: OrderbookUpdate;
  trades: TradesUpdate;
  candles: CandlesUpdate;
  "mark-candles": MarkCandlesUpdate;
  markets: MarketsUpdate;
  "market-stats": MarketStatsUpdate;
  "funding-rates": FundingRatesUpdate;
  accounts: AccountsUpdate;
  account: AccountUpdate;
}
