/**
 * The bounds of a reading. Each keeps hostile text from costing more than its length: whatever goes over one is an error in
 * the value, so a text cannot hide behind its size.
 */

/** Constructs inside one another: substitutions, subshells, loops. A person writes four. */
export const MOST_NESTED = 60;
/** Texts inside one another: `sh -c`, `eval`, functions, files that are written and then run. */
export const MOST_LEVELS = 16;
/** Words and commands of all texts of a reading. */
export const MOST_NODES = 100_000;
/**
 * Commands looked at, each turn of a loop and each call of a function counted: so many, and so many for each word and
 * command of the text, since a short text that goes round and round is no use to anybody.
 */
export const MOST_STEPS = 1000;
export const STEPS_PER_NODE = 4;
export const MOST_COMMANDS = 10_000;
/** Characters read again: strings given to shells, `$((` that turned out to be a subshell. */
export const MOST_READ_AGAIN = 1_000_000;
/** Values that one word or variable may have. */
export const MOST_ALTERNATIVES = 32;
/** Words that braces make of one. */
export const MOST_BRACES = 256;
/** Characters of a value that is put together. */
export const MOST_VALUE = 262_144;
/** Characters of the folder that commands run in: no system has a longer one. */
export const LONGEST_FOLDER = 4096;
export const MOST_ERRORS = 32;
/** Bodies that one function may have, where it is defined in several branches. */
export const MOST_BODIES = 64;
