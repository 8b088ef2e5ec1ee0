// The market view in each of its forms: on the screen, as a line a second, or once as text or JSON.
import type { Config } from "../../config/config-file.ts";
import type { Headers } from "../../config/service-address.ts";
import type { Interval } from "../../protocol/channel.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Scale } from "../../units/scale.ts";
import type { AccountChoice } from "../../view/account.ts";
import type { FillsOwner } from "../../view/fill.ts";
import type { MarketArgument } from "../arguments/market-argument.ts";
import type { Context } from "../context.ts";
import { runLive } from "./run-live.ts";

/** Where the service is. */
export interface Service {
  readonly url: string;
  /** Root of the REST listings; undefined when it is not known. */
  readonly baseUrl?: string | undefined;
  readonly headers: Headers;
  /** Further names of what fields of its open records mean. */
  readonly fields?: Config["fields"];
  /** Whose fills can be listed; undefined when nobody has said. */
  readonly owner?: FillsOwner | undefined;
  /** An account that the service itself shows around: that of the simulated exchange. */
  readonly account?: AccountChoice | undefined;
  /** Writes down what goes over the wire; undefined when nothing is to be recorded. */
  readonly recorder?: Recorder | undefined;
}

/** What the view of a market is made from. */
export interface MarketRun {
  /** Called once, when the first frame is on the screen: it may have to start the service first. */
  readonly findService: () => Promise<Service>;
  /** True for the built-in exchange: every view says so. */
  readonly isSimulated: boolean;
  readonly market: MarketArgument;
  /** The subaccount that is watched beside the market. */
  readonly account?: AccountChoice | undefined;
  readonly interval: Interval;
  /** Scales that the config gives, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
}

/** What the screen shows: a market, an account, or both. */
export interface DashboardRun extends Omit<MarketRun, "market"> {
  readonly market: MarketArgument | undefined;
  /** Name of the view to begin with; the market without it. */
  readonly start?: string;
  /** There are only listings, and no stream: its address is not known. */
  readonly isListingOnly?: boolean;
}

/** The view of a market. Answers the exit code. */
export function runMarket(context: Context, run: MarketRun): Promise<number> {
  const print = async () => {
    const { runHeadless } = await import("../headless/headless-market.ts");
    return runHeadless(context, run);
  };
  return runLive(context, print, run);
}
