/**
 * RE2 for rules, loaded when a rule first needs it: most commands are judged without any pattern.
 */
import type { Compiled } from '../../match/regex.ts';
import { mayMatch, type Needles, needlesOf } from './needles.ts';

let compile: ((pattern: string) => Compiled) | null = null;

export function patternsLoaded(): boolean {
  return compile !== null;
}

export async function loadPatterns(): Promise<void> {
  compile ??= (await import('../../match/regex.ts')).compileRegex;
}

export type TextTest = (text: string) => boolean;

/** Compiled when it is first asked. One that RE2 refuses matches everything: a guard is never off because of its spelling. */
export function lazyPattern(pattern: string): TextTest {
  let test: TextTest | null = null;
  let needles: Needles | null | undefined;
  return (text) => {
    if (needles === undefined) needles = needlesOf(pattern);
    if (needles !== null && !mayMatch(needles, text)) return false;
    if (test === null) {
      if (compile === null) throw new Error('patterns are not loaded');
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
