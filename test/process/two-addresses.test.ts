// A name with two addresses, where nobody listens: what is said has the reason and both.
import dns from "node:dns";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runInsideSettled } from "../support/monitor-inside.ts";

const OWNER = `0x${"cd".repeat(20)}`;
const BOTH = [
  { address: "127.0.0.1", family: 4 },
  { address: "127.0.0.2", family: 4 },
];

beforeEach(() => {
  vi.spyOn(dns, "lookup").mockImplementation(((...given: unknown[]) => {
    const callback = given.at(-1) as (error: null, found: typeof BOTH) => void;
    process.nextTick(callback, null, BOTH);
  }) as typeof dns.lookup);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  "perp/1 --once --timeout 500ms",
  "tail bbo/perp/1 --for 500ms",
  "watch perp/1 --alert offline --give-up 500ms",
  "export trades 1",
  `statement ${OWNER} 0`,
  "doctor --timeout 500ms",
])("monitor %s", async (words) => {
  const where = ["--ws-url", "ws://localhost:9/v1/ws", "--base-url", "http://localhost:9"];
  const { code, stdout, stderr } = await runInsideSettled([...words.split(" "), ...where]);
  const refused = "nobody listens at 127.0.0.1:9; nobody listens at 127.0.0.2:9";
  expect(stdout + stderr).toContain(refused);
  expect(code).toBe(1);
});
