// Runs before tests of the built program: rebuilds if the build is stale. What Stryker changes is not built.
import { setUp } from "./setup.mjs";

export default () => (process.env.STRYKER_MUTATOR_WORKER === undefined ? setUp() : undefined);
