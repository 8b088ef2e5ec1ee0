// monitor cache path|clear: the fills cached between statements.
import { type Context, EXIT } from "../args/context.ts";
import { formatFileError } from "../export/files.ts";
import { clearFills, fillsPath } from "../statement/fills.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";

/** @throws {UsageError} on an unknown action; {MonitorError} when a file cannot be removed */
export async function run({ args: [word = ""], stdout }: Context): Promise<number> {
  if (word === "path") stdout.write(`${visible(await fillsPath())}\n`);
  else if (word === "clear") {
    const count = await clearFills().catch(async (error) => {
      throw formatFileError(error, await fillsPath());
    });
    stdout.write(`${count} ${count === 1 ? "file" : "files"} removed\n`);
  } else throw new UsageError(`not an action of cache: ${word}`, "expected: path or clear");
  return EXIT.done;
}
