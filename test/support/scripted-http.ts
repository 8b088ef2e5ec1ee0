// A server that answers each request with the next of some raw HTTP answers, and keeps what it was asked.
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** Raw bytes; `ending` says what happens to the connection afterwards. */
export interface ScriptedAnswer {
  readonly bytes: string | Buffer;
  readonly ending?: "keep" | "end" | "destroy";
}

/**
 * Serves until the test is over.
 * @param answers the last one is given again and again
 */
export async function serveScript(answers: readonly ScriptedAnswer[]) {
  /** Heads, in the order in which they came. */
  const requests: string[] = [];
  let last: Socket | undefined;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(data.toString("latin1"));
      last = socket;
      socket.write(answer?.bytes ?? "");
      if (answer?.ending === "end") socket.end();
      if (answer?.ending === "destroy") socket.destroySoon();
    });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    requests,
    /** Sends more on the connection of the last request. */
    send: (bytes: string) => last?.write(bytes),
  };
}

/** A whole answer with a Content-Length. */
export function httpAnswer(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): ScriptedAnswer {
  const bytes = Buffer.from(body);
  const all = {
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} Any\r\n${lines.join("")}\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head, "latin1"), bytes]) };
}
