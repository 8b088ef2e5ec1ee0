import { binance } from "./binance.ts";
import { drift } from "./drift.ts";
import { dydx } from "./dydx.ts";
import { hyperliquid } from "./hyperliquid.ts";
import { lighter } from "./lighter.ts";
import { paradex } from "./paradex.ts";
import { phoenix } from "./phoenix.ts";
import type { Style } from "./style.ts";
import { vertex } from "./vertex.ts";

export const STYLES: readonly Style[] = [
  lighter,
  hyperliquid,
  dydx,
  binance,
  paradex,
  drift,
  vertex,
  phoenix,
];
