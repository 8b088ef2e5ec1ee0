// The other side of the live figures: reads and parses, and nothing else. Arguments: an address, and channels.
import WebSocket from "ws";

const [url = "", ...channels] = process.argv.slice(2);
let count = 0;
const webSocket = new WebSocket(url, { perMessageDeflate: false });
webSocket.on("open", () => {
  for (const channel of channels) webSocket.send(JSON.stringify({ type: "subscribe", channel }));
});
webSocket.on("message", (data: Buffer) => {
  const { bbo } = JSON.parse(data.toString());
  // On a terminal it prints the first price.
  if (bbo && !isPrinted && process.stdout.isTTY) process.stdout.write(`bid ${bbo.bid.price_ticks}`);
  isPrinted ||= bbo !== undefined;
  count++;
});
let isPrinted = false;
process.on("message", () => process.send?.(count));
// On a terminal it answers keys.
if (process.stdin.isTTY) {
  process.stdin.setRawMode(true);
  process.stdin.on("data", () => process.stdout.write("answer"));
}
