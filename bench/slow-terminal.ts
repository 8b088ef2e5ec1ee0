// S6: event loop lag with a terminal that reads 200 KB a second, compared with one that reads everything at once.
import { runBench } from "./harness/bench.ts";
import { atMost } from "./harness/figure.ts";
import { sleep, startWatchedMonitor } from "./harness/watched-monitor.ts";

const SLOW_BYTES_PER_SECOND = 200 * 1024;

async function measureLag(ms: number, bytesPerSecond?: number) {
  // A large screen produces more than such a terminal reads.
  const size = { columns: 200, rows: 60 };
  const slow = bytesPerSecond === undefined ? {} : { bytesPerSecond };
  const monitor = await startWatchedMonitor({ ...size, ...slow, measuresLag: true });
  await sleep(ms / 4);
  await monitor.probe();
  await sleep(ms);
  const probed = await monitor.probe();
  await monitor.end();
  return probed;
}

await runBench(async (effort) => {
  const ms = effort.pick(10_000, 80);
  const slow = await measureLag(ms, SLOW_BYTES_PER_SECOND);
  const quick = await measureLag(ms);
  return [
    {
      id: "S6",
      what: "loop lag with a terminal of 200 KB/s, p99",
      unit: "ms",
      ours: slow.lagP99,
      other: { name: "quick terminal", value: quick.lagP99 },
      goal: atMost("ours", 5),
    },
  ];
});
