// One run of one bench, in a process of its own.
import type { Row } from "./measure.ts";

const [name = ""] = process.argv.slice(2);
const { measure } = (await import(new URL(`./${name}.mjs`, import.meta.url).href)) as {
  measure(): Promise<readonly Row[]>;
};
const rows = await measure();
await new Promise((resolve) => process.send?.(rows, resolve));
process.exit(0);
