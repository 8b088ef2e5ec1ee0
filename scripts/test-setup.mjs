// Before tests that run the built program: the build is made fresh if it is stale.
import { setUp } from "./setup.mjs";

export default setUp;
