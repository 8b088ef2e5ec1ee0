// What SIGKILL leaves of a run inside the process of its test: the folder as it was at that moment, and a lock whose holder
// is gone. What the run does afterwards, because its code goes on, is undone.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hurriedClock } from "./hurried-clock.ts";
import { type Returned, runInside } from "./monitor-inside.ts";

interface Killing {
  /** All that the run writes is in it. */
  readonly folder: string;
  /** Hands over what kills the run; it is called at most once. */
  readonly onStart: (kill: () => void) => void;
}

/** Runs `monitor …`. @returns undefined when it was killed */
export async function runKilledInside(
  args: readonly string[],
  { folder, onStart }: Killing,
): Promise<Returned | undefined> {
  const end = new AbortController();
  let left: ReadonlyMap<string, Buffer> | undefined;
  onStart(() => {
    left = filesOf(folder);
    end.abort("SIGKILL");
  });
  const returned = await runInside(args, end.signal, hurriedClock);
  if (left === undefined) return returned;
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const [name, bytes] of left) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
  return undefined;
}

/** A journal is read before the file that it is of: that one may grow meanwhile. */
function filesOf(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder).sort((a, b) => b.length - a.length);
  const files = new Map<string, Buffer>();
  for (const name of names) {
    try {
      const bytes = readFileSync(join(folder, name));
      files.set(name, /\.lock(?:\.taking)?$/.test(name) ? ofNobody(bytes) : bytes);
    } catch (error) {
      // Renamed or removed between the two looks at it: then it had not been there any more.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return files;
}

function ofNobody(lock: Buffer): Buffer {
  return Buffer.from(lock.toString().replace(/"started":"[^"]*"/, '"started":"never"'));
}
