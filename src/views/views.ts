// The views, in the order of their tabs.
import type { View } from "../screen/pane.ts";
import { ACCOUNT } from "./account.ts";
import { ALERTS } from "./alerts.ts";
import { FUNDING } from "./funding.ts";
import { LINK } from "./link.ts";
import { MARKET } from "./market/market.ts";
import { MARKETS } from "./markets.ts";

export const VIEWS: readonly View[] = [MARKET, ACCOUNT, MARKETS, FUNDING, ALERTS, LINK];
