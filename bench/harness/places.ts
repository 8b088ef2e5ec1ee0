// Paths at the run time of a bench: benches are bundled into bench/dist, their shared code in a folder below.
import { dirname, join } from "node:path";

const dist = dirname(process.argv[1] ?? "");

/** The built program. */
export const PROGRAM = join(dist, "..", "..", "bin", "monitor.js");
/** The module with which the launcher loads the program. */
export const LOADER = join(dist, "..", "..", "bin", "program.js");
/** A service of one market, to be forked. */
export const FEEDER = join(dist, "harness", "feeder.mjs");
/** A client that only parses, to be forked. */
export const PARSER = join(dist, "harness", "parser.mjs");
/** To be loaded into the program. */
export const PROBE = join(dist, "harness", "probe.mjs");
/** A listing of trades, to be forked. */
export const LISTER = join(dist, "harness", "lister.mjs");
/** An export that reports its memory, to be forked. */
export const EXPORTER = join(dist, "harness", "exporter.mjs");
