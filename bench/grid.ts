// P9: a grid of nine markets compared with the dashboard of one: decoding, folding and painting for each frame of the screen.
import { gridView } from "../src/screen/views/grid/grid.tsx";
import { paintHeader } from "../src/screen/views/market/header.ts";
import { runBench } from "./harness/bench.ts";
import { CHAIN, cpuOf, Desk } from "./harness/desk.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";

const CELLS = 9;
const COLUMNS = 120;
const LINES = 40;
const MINUTE_MS = 60_000;
const PAST = 240;
const LEVELS = 25;
const FRAME_MS = 1000 / 60;

class GridDesk extends Desk {
  constructor() {
    const watchlist = Array.from({ length: CELLS }, (_, i) => ({
      type: "perp" as const,
      id: `${i + 1}`,
    }));
    super([COLUMNS, LINES], PAST * MINUTE_MS, { watchlist });
    for (let id = 1; id <= CELLS; id++) {
      for (let minute = 0; minute < PAST; minute++) this.candle(id, minute, minute);
      this.trade(id, 0);
    }
    this.dashboard.modelOf(gridView).layoutFor(COLUMNS, LINES);
  }

  candle(id: number, minute: number, n: number): void {
    const [open, close] = [97_000 + (minute % 37), 97_000 + ((n * 7) % 41)];
    const prices = { open: `${open}.5`, high: "97050.25", low: "96990.75", close: `${close}.25` };
    const volumes = { volume_base: "1.5", volume_quote: "145500", trades: 12 };
    const candles = [{ open_time_ms: minute * MINUTE_MS, ...prices, ...volumes }];
    this.update(`candles/perp/${id}/1m`, { candles });
  }

  trade(id: number, n: number): void {
    const price_ticks = `${9_700_000 + ((n * 13) % 997)}`;
    const trade = { timestamp_ns: `${n + 1}`, price_ticks, size_base_lots: "5" };
    this.update(`trades/perp/${id}`, {
      ...CHAIN,
      trades: [{ ...trade, taker_is_bid: n % 2 > 0 }],
    });
  }

  book(id: number, n: number): void {
    const side = (sign: number) =>
      Array.from({ length: LEVELS }, (_, i) => ({
        price_ticks: `${9_700_000 + sign * (i + 1 + (n % 5))}`,
        size_base_lots: `${10 + ((i * n) % 90)}`,
      }));
    const [bids, asks] = [side(-1), side(1)];
    this.update(`orderbook/perp/${id}`, { ...CHAIN, orderbook: { bids, asks } });
    this.update(`bbo/perp/${id}`, { bbo: { bid: bids[0], ask: asks[0] } });
  }

  one(n: number): void {
    this.nowMs += FRAME_MS;
    this.candle(1, PAST - 1, n);
    this.trade(1, n);
    this.book(1, n);
    this.paintMarket();
    paintHeader(this.surface, this.market, this.theme);
  }

  nine(n: number): void {
    this.nowMs += FRAME_MS;
    for (let id = 1; id <= CELLS; id++) {
      this.candle(id, PAST - 1, n);
      this.trade(id, n);
    }
    this.surface.clear();
    for (const pane of this.dashboard.modelOf(gridView).panes) {
      this.paint<unknown>(pane, Math.floor(COLUMNS / 3), Math.floor(LINES / 3));
    }
  }
}

async function measure(effort: Effort): Promise<Figure[]> {
  const desk = new GridDesk();
  const frames = effort.pick(200, 2);
  let n = 1;
  const ways = [cpuOf(frames, () => desk.nine(n++)), cpuOf(frames, () => desk.one(n++))];
  const [nine = [], one = []] = await measureInTurns(ways, effort.pick(21, 1));
  return [
    {
      id: "P9",
      what: "grid of nine markets: CPU of a frame, with all it is of",
      unit: "ms",
      ours: median(nine),
      other: { name: "one market", value: median(one) },
      ratio: medianRatio(nine, one),
      goal: atMost("ratio", 2),
    },
  ];
}

await runBench(measure);
