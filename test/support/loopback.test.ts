// Waiting for what is on its way is not held up by what other tests have left behind.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";
import { settleLoopback, watchLoopback } from "./loopback.ts";

test("a connection that lost its other end is no longer waited for once another watch begins", async () => {
  watchLoopback();
  const held: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => held.push(socket.pause()));
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
    server.close();
  });
  const port = await listen(server);
  const client = connect(port, "127.0.0.1");
  await once(client, "connect");
  client.end("never read");
  client.destroy();
  await once(client, "close");
  await expect(settleLoopback()).rejects.toThrow("never calm");
  watchLoopback();
  await settleLoopback();
});
