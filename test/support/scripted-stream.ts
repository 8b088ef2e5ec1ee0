// A service of which each channel sends the frames that a test has written, letter by letter. Anything else is unknown.
import { ScriptedService } from "./scripted-service.ts";

/** Text of the payload fields of each frame of a channel, without the braces around them. */
export type Script = Readonly<Record<string, readonly string[]>>;

const CHAINED = /^(?:account|markets|market-stats|funding-rates|orderbook|trades)/;

/** Starts it; `commands` are what clients have sent. */
export async function startScriptedStream(script: Script) {
  const commands: string[] = [];
  const service = new ScriptedService({
    message: "no such\u001b[2J thing",
    onCommand: (_, command) => {
      commands.push(JSON.stringify(command));
      return false;
    },
    answer: (channel) =>
      script[channel]?.map((payload, i) => {
        const head = `"channel":${JSON.stringify(channel)},"timestamp_ns":"1800000000000000000"`;
        const previous = i === 0 ? "null" : `"${i}"`;
        const chain = `"previous_sequence":${previous},"sequence":"${i + 1}",`;
        return `{"type":"update",${head},${CHAINED.test(channel) ? chain : ""}${payload}}`;
      }),
  });
  return { ...(await service.listen()), commands };
}
