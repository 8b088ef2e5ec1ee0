// The colours red to cyan (1 to 6, and 9 to 14) of usual terminals, as 0xRRGGBB.

export interface TerminalPalette {
  readonly name: string;
  readonly usual: readonly number[];
  readonly bright: readonly number[];
}

/** Each of them draws bold text of the usual colours in the bright ones. */
export const TERMINAL_PALETTES: readonly TerminalPalette[] = [
  {
    name: "xterm",
    usual: [0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd],
    bright: [0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff],
  },
  {
    name: "VGA",
    usual: [0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa],
    bright: [0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff],
  },
  {
    name: "macOS",
    usual: [0xc23621, 0x25bc24, 0xadad27, 0x492ee1, 0xd338d3, 0x33bbc8],
    bright: [0xfc391f, 0x31e722, 0xeaec23, 0x5833ff, 0xf935f8, 0x14f0f0],
  },
  {
    name: "Windows",
    usual: [0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd],
    bright: [0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6],
  },
  {
    name: "Solarized",
    usual: [0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198],
    bright: [0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1],
  },
];
