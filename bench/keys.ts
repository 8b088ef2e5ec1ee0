// 4: from a key to the first byte of its answer, at 10,000 updates a second; the other side is a bare client that hears the same and
// answers any key with a word.
import { inTurns, quantile, type Row, sleep } from "./measure.ts";
import {
  BUSY,
  FRAME_END,
  openBareClient,
  simulate,
  type TerminalProcess,
  watchMarket,
} from "./processes.ts";

const KEYS = 60;
/** As a person types, on average. */
const PAUSE_MS = 40;
const WARM_MS = 5000;

/** Types a key, and again what takes its answer away, which must be drawn before the next one. */
async function press(terminal: TerminalProcess, key: string, answer: RegExp, frames = 3) {
  const pause = () => sleep(PAUSE_MS * (0.5 + Math.random()));
  const shown = terminal.shows(answer);
  const startMs = performance.now();
  terminal.type(key);
  await shown;
  const takenMs = performance.now() - startMs;
  await pause();
  terminal.type(key);
  for (let frame = 0; frame < frames; frame++) await terminal.shows(FRAME_END);
  await pause();
  return takenMs;
}

export async function measure(): Promise<readonly Row[]> {
  const { ws_url: url } = await simulate(...BUSY);
  const terminal = await watchMarket(url);
  const bare = openBareClient(url);
  await sleep(WARM_MS);
  const [masking = [], freezing = [], answering = []] = await inTurns(KEYS, [
    () => press(terminal, "p", /MASKED/),
    () => press(terminal, "f", /FROZEN/),
    () => press(bare, "a", /answer/, 0),
  ]);
  const other = { name: "bare client", value: quantile(answering, 0.95) };
  const row = (key: string, times: readonly number[]): Row => ({
    what: `a key that ${key}, to the first byte of its answer at 10,000 updates/s, p95`,
    ...{ unit: "ms", ours: quantile(times, 0.95), other, goal: ["ours", "≤", 5] },
  });
  return [row("masks the screen", masking), row("freezes the screen", freezing)];
}
