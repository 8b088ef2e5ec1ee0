// ink-table is CommonJS and requires Ink, which can only be imported. It reads Ink when it renders, not when it is loaded.
import * as ink from "ink";
import inkTable from "ink-table";
import required from "./ink.cjs";

Object.assign(required, ink);
export default inkTable.default;
