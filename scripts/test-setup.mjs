// Runs before tests of the built program: rebuilds if the build is stale.
import { setUp } from "./setup.mjs";

export default setUp;
