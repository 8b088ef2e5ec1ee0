// An export in a process of its own, which reports its peak RSS after a page, in bytes.
import { createClient, exportToDisk } from "./export-all.ts";

const [port = 0, rows = 0] = process.argv.slice(2).map(Number);
const client = createClient(port);
let peak = 0;
await exportToDisk(client, rows, () => {
  peak = Math.max(peak, process.memoryUsage.rss());
});
await client.close();
await new Promise((resolve) => process.send?.(peak, resolve));
process.exit(0);
