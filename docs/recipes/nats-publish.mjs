// Frames of `monitor tail` into a stream of NATS, in order and none twice:
//   monitor tail trades/perp/1 bbo/perp/1 --events | node nats-publish.mjs
// A line is sent again until the server has acknowledged that it is stored; its id keeps it from being stored twice.
import { createInterface } from "node:readline";
import { connect } from "nats";

const { NATS_URL = "nats://127.0.0.1:4222" } = process.env;
const STREAM = "MONITOR";
const SECOND_NS = 1_000_000_000;

const connection = await connect({
  servers: NATS_URL,
  waitOnFirstConnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
});
await untilDone(async () => {
  const manager = await connection.jetstreamManager();
  await manager.streams.add({
    name: STREAM,
    subjects: ["monitor.>"],
    max_age: 7 * 86_400 * SECOND_NS,
    duplicate_window: 120 * SECOND_NS,
  });
});
const stream = connection.jetstream();
const run = `${Date.now()}-${process.pid}`;
let number = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const { event, channel = "none" } = JSON.parse(line);
  const subject =
    event === undefined ? `monitor.frames.${channel.replaceAll("/", ".")}` : "monitor.events";
  const msgID = `${run}-${++number}`;
  await untilDone(() => stream.publish(subject, line, { msgID, timeout: 2000 }));
}
await connection.drain();
process.stderr.write(`${number} lines stored\n`);

async function untilDone(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      process.stderr.write(`trying again: ${error.message}\n`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
