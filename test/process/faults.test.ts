// A fault of ours that nothing catches, in a program that draws no screen: it is reported as any other error, and ends it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const SECRET = "canary-7f3a91";
/** Put into the program as it starts: they happen when it has printed something. */
const FAULTS = {
  exception: "throw error;",
  rejection: "Promise.reject(error);",
} as const;

let service: Awaited<ReturnType<typeof startMarketService>>;
const folder = folderOfFile();

beforeAll(async () => {
  service = await startMarketService({});
  for (const [name, happens] of Object.entries(FAULTS)) {
    writeFileSync(
      join(folder, `${name}.mjs`),
      `const write = process.stdout.write;
       process.stdout.write = function (...words) {
         process.stdout.write = write;
         const error = new Error("a\\u001b[2Jb ${SECRET}\\nc");
         setImmediate(() => { ${happens} });
         return write.apply(this, words);
       };`,
    );
  }
});
afterAll(() => service.close());

test.concurrent.each<[fault: keyof typeof FAULTS, words: string]>([
  ["exception", "tail bbo/perp/1"],
  ["rejection", "tail bbo/perp/1"],
  ["exception", "perp/1 --json"],
])(
  "an %s ends monitor %s with 1 and one line, without a secret or an escape",
  async (fault, words) => {
    const args = [...words.split(" "), "--ws-url", service.wsUrl, "--header", `X-Key: ${SECRET}`];
    const { code, stdout, stderr } = await runMonitor(args, {
      env: { NODE_OPTIONS: `--import ${join(folder, `${fault}.mjs`)}` },
    });
    expect(stderr).toContain("a\\x1b[2Jb [hidden]\\nc\n");
    expect(stderr.split("\n")).toHaveLength(3);
    expect(code).toBe(1);
    expect(stdout).not.toBe("");
  },
);
