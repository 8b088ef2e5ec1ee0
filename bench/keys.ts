// 4: from a key to the first byte of its answer, at 10,000 updates a second; the other side is a bare client that hears the same and
// answers any key with a word.
import { inTurns, quantile, type Row, sleep } from "./measure.ts";
import { openBareClient, simulate, type TerminalProcess, watchMarket } from "./processes.ts";

const KEYS = 100;
/** As a person types, on average. */
const PAUSE_MS = 40;
const WARM_MS = 5000;

/** @param back takes the answer away again */
async function press(terminal: TerminalProcess, key: string, answer: RegExp, back: string) {
  const pause = () => sleep(PAUSE_MS * (0.5 + Math.random()));
  const shown = terminal.shows(answer);
  const startMs = performance.now();
  terminal.type(key);
  await shown;
  const takenMs = performance.now() - startMs;
  await pause();
  terminal.type(back);
  await pause();
  return takenMs;
}

export async function measure(): Promise<readonly Row[]> {
  const exchange = await simulate("--scenario", "busy");
  const terminal = await watchMarket(exchange.ws_url, []);
  const bare = openBareClient(exchange.ws_url);
  try {
    await sleep(WARM_MS);
    const [masking = [], freezing = [], answering = []] = await inTurns(KEYS, [
      () => press(terminal, "p", /MASKED/, "p"),
      () => press(terminal, "f", /FROZEN/, "f"),
      () => press(bare, "a", /answer/, "a"),
    ]);
    const other = { name: "bare client", value: quantile(answering, 0.95) };
    const row = (what: string, times: readonly number[]): Row => ({
      what: `${what}, to the first byte of its answer at 10,000 updates/s, p95`,
      ...{ unit: "ms", ours: quantile(times, 0.95), other, goal: ["ours", "≤", 5] },
    });
    return [row("a key that masks the screen", masking), row("one that freezes it", freezing)];
  } finally {
    await Promise.all([terminal.end(), bare.end()]);
    exchange.close();
  }
}
