import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

/** Collects what nothing holds. Twice: what finalizers let go of in the first run is collected in the second. */
export function collect(): void {
  gc();
  gc();
}
