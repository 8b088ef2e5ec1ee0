/** The words of a text: a command line, names of channels. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
