// A service of which each channel sends the frames that a test has written, letter by letter. Anything else is unknown.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** Text of the payload fields of each frame of a channel, without the braces around them. */
export type Script = Readonly<Record<string, readonly string[]>>;

const CHAINED = /^(?:account|markets|market-stats|funding-rates|orderbook|trades)/;

/** Starts it; `commands` are what clients have sent. */
export async function startScriptedStream(script: Script) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/v1/ws" });
  await once(server, "listening");
  const commands: string[] = [];
  server.on("connection", (peer) => {
    peer.send('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
    peer.on("message", (data) => {
      commands.push(String(data));
      for (const frame of answersTo(String(data), script)) peer.send(frame);
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    wsUrl: `ws://127.0.0.1:${port}`,
    commands,
    async close() {
      for (const peer of server.clients) peer.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

function answersTo(command: string, script: Script): readonly string[] {
  const { type, channel } = JSON.parse(command) as { type: string; channel: string };
  const head = `"channel":${JSON.stringify(channel)},"timestamp_ns":"1800000000000000000"`;
  if (type === "unsubscribe") return [`{"type":"unsubscribed",${head}}`];
  const payloads = script[channel];
  if (payloads === undefined) {
    return [`{"type":"error",${head},"code":404,"message":"no such\\u001b[2J thing"}`];
  }
  return payloads.map((payload, i) => {
    const previous = i === 0 ? "null" : `"${i}"`;
    const chain = `"previous_sequence":${previous},"sequence":"${i + 1}",`;
    return `{"type":"update",${head},${CHAINED.test(channel) ? chain : ""}${payload}}`;
  });
}
