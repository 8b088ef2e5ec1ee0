// Takes the place of string-width in Ink and its packages: compiling its pattern of all emoji takes longer than a bare Node, and
// what is measured is then drawn with the program's own widths.
import { stripVTControlCharacters } from "node:util";
import { textWidth } from "../../src/terminal/width.ts";

export default (text) => textWidth(stripVTControlCharacters(text));
