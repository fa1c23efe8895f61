/**
 * RE2 for rules. A pattern is compiled when a text first has what the pattern cannot match without: most commands are judged without
 * any, and RE2 itself is loaded with the first one.
 */
import { compileRegex, mayMatch, requiredText } from '../base/index.ts';

export type TextTest = (text: string) => boolean;

/** One that RE2 refuses matches everything: a guard is never off because of its spelling. */
export function lazyPattern(pattern: string): TextTest {
  const required = requiredText(pattern);
  let test: TextTest | null = null;
  return (text) => {
    if (required !== null && !mayMatch(required, text)) return false;
    if (test === null) {
      const made = compileRegex(pattern);
      test = made.ok ? made.test : () => true;
    }
    return test(text);
  };
}

/** What RE2 says against a pattern, or null. */
export function patternFault(pattern: string): string | null {
  const made = compileRegex(pattern);
  return made.ok ? null : made.message;
}
