// The other side of an export: the same pages one after the other, of which it reads nothing but where the next one begins.
import { Agent, get } from "node:http";

const [, , url = ""] = process.argv;
const agent = new Agent({ keepAlive: true });

function read(before: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const page = `${url}?limit=1000${before === undefined ? "" : `&before=${before}`}`;
    get(page, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    }).on("error", reject);
  });
}

let before: string | undefined;
do {
  const page = await read(before);
  before = /"trade_id":"(\d+)"/.exec(page.slice(page.lastIndexOf("{")))?.[1];
} while (before !== undefined);
agent.destroy();
