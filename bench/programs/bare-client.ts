// The other side of the live figures: reads and parses, and nothing else; on a terminal it prints the first price and answers keys.
// Arguments: an address, and channels.
import WebSocket from "ws";

const [url = "", ...channels] = process.argv.slice(2);
const { stdin, stdout } = process;
let count = 0;
let isPrinted = !stdout.isTTY;

function connect(): void {
  const webSocket = new WebSocket(url, { perMessageDeflate: false });
  webSocket.on("open", () => {
    for (const channel of channels) webSocket.send(JSON.stringify({ type: "subscribe", channel }));
  });
  webSocket.on("message", (data: Buffer) => {
    const { bbo } = JSON.parse(data.toString());
    count++;
    if (isPrinted || !bbo) return;
    stdout.write(`bid ${bbo.bid.price_ticks}`);
    isPrinted = true;
  });
  // A busy machine may be too slow for the service.
  webSocket.on("close", () => setTimeout(connect, 100)).on("error", () => {});
}

connect();
process.on("message", () => process.send?.(count));
if (stdin.isTTY) stdin.setRawMode(true).on("data", () => stdout.write("answer"));
