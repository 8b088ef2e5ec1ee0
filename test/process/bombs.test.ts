// Answers that are small on the way and huge once they are unpacked: what they cost the program is bounded.
import { createServer } from "node:http";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { listen } from "../support/listen.ts";
import { runMonitor } from "../support/monitor-process.ts";

const MIB = 1024 * 1024;
/** What 8 MiB of text may cost beside themselves; some 11 MiB in all were measured. */
const MAX_GROWTH_MIB = 40;
/** The most memory that the process has had since it began, as Linux counts it. */
const TELL_PEAK =
  "import fs from 'node:fs';process.on('exit',()=>console.error(/VmHWM.*/.exec(fs.readFileSync('/proc/self/status','utf8'))[0]))";

interface Answer {
  readonly body: Buffer;
  readonly encoding?: string;
}

/** Asks a service that gives that answer for trades, once; what was said, and the most memory that it took, MiB. */
async function ask({ body, encoding }: Answer) {
  const server = createServer((_, response) => {
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    response.setHeader("content-type", "application/json").end(body);
  });
  const port = await listen(server);
  const args = ["trades", "1", "--once", "--base-url", `http://127.0.0.1:${port}`];
  const { stderr } = await runMonitor(args, {
    env: { NODE_OPTIONS: `--import "data:text/javascript,${TELL_PEAK}"` },
  });
  server.close();
  return { stderr, peak: Number(/VmHWM:\s+(\d+) kB/.exec(stderr)?.[1]) / 1024 };
}

/** A GiB, member by member. */
const gzip = () => Buffer.concat(Array(1024).fill(gzipSync(Buffer.alloc(MIB, " "))));
const brotli = () =>
  brotliCompressSync(Buffer.alloc(64 * MIB, " "), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  });

const refused = ask({ body: Buffer.from('{"error":"no"}') });

test.runIf(process.platform === "linux").concurrent.each<[encoding: string, bomb: () => Buffer]>([
  ["gzip", gzip],
  ["br", brotli],
])(
  "an answer as %s that unpacks without end takes no more than what may be read of it",
  async (encoding, bomb) => {
    const { stderr, peak } = await ask({ body: bomb(), encoding });
    expect(stderr).toContain("the answer is larger than 8 MiB");
    expect(peak - (await refused).peak).toBeLessThan(MAX_GROWTH_MIB);
  },
);
