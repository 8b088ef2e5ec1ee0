// A minimal client in a process of its own: reads and parses what one address sends.
import WebSocket from "ws";

const webSocket = new WebSocket(process.argv[2] ?? "", { perMessageDeflate: false });
webSocket.on("open", () => webSocket.send("{}"));
webSocket.on("message", (data: Buffer) => JSON.parse(data.toString()));
process.on("disconnect", () => process.exit(0));
