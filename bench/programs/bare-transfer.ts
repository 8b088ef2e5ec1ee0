// The other side of an export: the same pages one after the other, of which it reads nothing but where the next one begins.
import { argv } from "node:process";

const [, , url = ""] = argv;
let before: string | undefined;
do {
  const cursor: string = before === undefined ? "" : `&before=${before}`;
  const page = await (await fetch(`${url}?limit=1000${cursor}`)).text();
  before = /"trade_id":"(\d+)"/.exec(page.slice(page.lastIndexOf("{")))?.[1];
} while (before !== undefined);
