// A second reader: what nats-publish.mjs has stored, from the first line on and on with what comes, one a line.
//   node nats-read.mjs | jq -c .trades
// It goes on where a reader of the same name has stopped: a line is acknowledged once it has been written.
import { connect } from "nats";

const {
  NATS_URL = "nats://127.0.0.1:4222",
  READER = "reader",
  SUBJECT = "monitor.>",
} = process.env;
const STREAM = "MONITOR";

const connection = await connect({
  servers: NATS_URL,
  waitOnFirstConnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
});
const manager = await connection.jetstreamManager();
await manager.consumers.add(STREAM, {
  durable_name: READER,
  filter_subject: SUBJECT,
  ack_policy: "explicit",
});
const consumer = await connection.jetstream().consumers.get(STREAM, READER);
for await (const message of await consumer.consume()) {
  const written = process.stdout.write(`${message.string()}\n`);
  if (!written) await new Promise((resolve) => process.stdout.once("drain", resolve));
  message.ack();
}
