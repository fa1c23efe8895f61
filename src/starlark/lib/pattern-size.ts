/**
 * How large a regular expression becomes when it is compiled, estimated from its text. `(abc){1000}` is ten characters
 * and three thousand instructions, and one has to know before compiling.
 */

const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;
const ESCAPE = /\\(?:[pP]\{[^}]{0,40}\}|x\{[^}]{0,40}\}|Q[\s\S]*?(?:\\E|$)|[\s\S])/y;
/** A class from its bracket to its end; a bracket that comes first, or after the caret, is an ordinary member. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** An upper estimate of the number of instructions; for text that is no valid pattern, any number. */
export function estimatePatternSize(pattern: string): number {
  /** The sizes of the groups that are open around the current one. */
  const outer: number[] = [];
  let group = 0;
  let atom = 0;
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at]!;
    const repeat = char === '{' ? matchAt(REPEAT, pattern, at) : null;
    const long =
      char === '\\' ? matchAt(ESCAPE, pattern, at) : char === '[' ? matchAt(CLASS, pattern, at) : null;
    // A class without an end is no pattern: the engine will say so, and looking for the end again only takes time.
    if (char === '[' && long === null) return group;
    at += repeat?.[0].length ?? long?.[0].length ?? 1;
    if (repeat !== null) {
      const times = Math.max(1, Number(repeat[1]), Number(repeat[2] ?? 0));
      group += atom * times;
      atom *= times + 1;
    } else if (char === '(') {
      outer.push(group);
      group = 2;
      atom = 0;
    } else if (char === ')') {
      atom = group;
      group += outer.pop() ?? 0;
    } else {
      // A quoted run \Q…\E counts its characters; everything else is one instruction, or two with its operator.
      atom = char === '\\' ? Math.max(1, (long?.[0].length ?? 1) - 1) : 1;
      group += atom + 1;
    }
  }
  return outer.reduce((sum, size) => sum + size, group);
}
