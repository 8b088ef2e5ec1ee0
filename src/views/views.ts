// The views, in the order of their tabs.
import type { View } from "../screen/pane.ts";
import { ACCOUNT } from "./account.ts";
import { ALERTS } from "./alerts.ts";
import { FILLS } from "./fills.ts";
import { FUNDING } from "./funding.ts";
import { LINK } from "./link.ts";
import { LIQUIDATIONS } from "./liquidations.ts";
import { MARKET } from "./market/market.ts";
import { MARKETS } from "./markets.ts";
import { TRADES } from "./trades.ts";

export const VIEWS: readonly View[] = [
  MARKET,
  ACCOUNT,
  MARKETS,
  FUNDING,
  TRADES,
  LIQUIDATIONS,
  FILLS,
  ALERTS,
  LINK,
];
