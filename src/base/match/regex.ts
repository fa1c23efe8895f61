/**
 * Regular expressions as policy authors write them, matched by RE2: time grows with the text alone, whatever the pattern.
 */
import type { RE2JS } from 're2js';
import { lateRe2 } from '../late-re2.ts';

export type Compiled =
  | {
      readonly ok: true;
      /** Whether the pattern is found anywhere in the text. */
      readonly test: (text: string) => boolean;
      /** The text with every match replaced, literally. */
      readonly replace: (text: string, replacement: string) => string;
      /** Where every match that is not empty begins and ends. */
      readonly spans: (text: string) => readonly (readonly [start: number, end: number])[];
    }
  | { readonly ok: false; readonly message: string };

/** `message` is RE2's own, without its prefix; look-around and back-references are what it refuses. */
export function compileRegex(pattern: string): Compiled {
  const re2 = lateRe2();
  try {
    const regex = re2.RE2JS.compile(pattern);
    return {
      ok: true,
      test: (text) => regex.test(text),
      replace: (text, replacement) => regex.matcher(text).replaceAll(() => replacement),
      spans: (text) => spansIn(regex, text),
    };
  } catch (thrown) {
    if (!(thrown instanceof re2.RE2JSException)) throw thrown;
    return { ok: false, message: thrown.message.replace(/^error parsing regexp: /, '') };
  }
}

function spansIn(regex: RE2JS, text: string): [start: number, end: number][] {
  const spans: [number, number][] = [];
  const matcher = regex.matcher(text);
  while (matcher.find()) if (matcher.end() > matcher.start()) spans.push([matcher.start(), matcher.end()]);
  return spans;
}
