// The version of the program, from package.json.
import manifest from "../../package.json" with { type: "json" };

/** As in `0.1.0`. */
export const VERSION: string = manifest.version;
