// The version of the program, from package.json.
import { version } from "../../package.json";

export const VERSION: string = version;
