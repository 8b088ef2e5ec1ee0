// ink-table as tests load it: where it requires Ink, it finds the module that was imported.
import { createRequire } from "node:module";
import * as ink from "ink";

const require = createRequire(import.meta.url);
const filename = require.resolve("ink");
require.cache[filename] = { id: filename, filename, loaded: true, exports: ink };
export default require("ink-table").default;
