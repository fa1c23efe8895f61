/**
 * RE2 for rules, loaded when a rule first needs it: most commands are judged without any pattern, since what a pattern cannot do
 * without is not in them.
 */
import type { Compiled } from '../../match/regex.ts';
import { mayMatch, requiredText } from '../../match/required-text.ts';

let compile: ((pattern: string) => Compiled) | null = null;

export async function loadPatterns(): Promise<void> {
  usePatterns((await import('../../match/regex.ts')).compileRegex);
}

/** For who has RE2 anyway. */
export function usePatterns(own: (pattern: string) => Compiled): void {
  compile ??= own;
}

/** Thrown by a pattern that has to be asked before RE2 is there: a made-up answer could be the wrong one. */
class PatternsMissing extends Error {}

/** What `judge` says; if it takes a pattern that is not there yet, again after loading them. */
export function withPatterns<T>(judge: () => T): T | Promise<T> {
  try {
    return judge();
  } catch (thrown) {
    if (!(thrown instanceof PatternsMissing)) throw thrown;
    return loadPatterns().then(judge);
  }
}

export type TextTest = (text: string) => boolean;

/** Compiled when it is first asked. One that RE2 refuses matches everything: a guard is never off because of its spelling. */
export function lazyPattern(pattern: string): TextTest {
  const required = requiredText(pattern);
  let test: TextTest | null = null;
  return (text) => {
    if (required !== null && !mayMatch(required, text)) return false;
    if (test === null) {
      if (compile === null) throw new PatternsMissing('patterns are not loaded');
      const made = compile(pattern);
      test = made.ok ? made.test : () => true;
    }
    return test(text);
  };
}

/** What RE2 says against a pattern, or null. Only after `loadPatterns`. */
export function patternFault(pattern: string): string | null {
  const made = compile?.(pattern);
  return made === undefined || made.ok ? null : made.message;
}
