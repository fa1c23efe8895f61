import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import { Thread } from '../run/thread.ts';
import { estimatePatternSize } from './pattern-size.ts';

describe('the re module', () => {
  it.each([
    [
      'search',
      String.raw`re.search(r"(?P<user>\w+)@(\w+)(\.com)?", "to ann@home now")`,
      'struct(end = 11, groups = ("ann", "home", None), named = {"user": "ann"}, start = 3, text = "ann@home")',
    ],
    ['search without a match', 're.search("x", "abc")', 'None'],
    ['match at the start only', '(re.match("b", "abc"), re.match("ab", "abc").text)', '(None, "ab")'],
    ['fullmatch of all of it', '(re.fullmatch("ab", "abc"), re.fullmatch("a.*", "abc").end)', '(None, 3)'],
    ['findall without groups', String.raw`re.findall(r"\d+", "1 22 x 333")`, '["1", "22", "333"]'],
    ['findall with a group', String.raw`re.findall(r"(\w)=", "a=1 b=2")`, '["a", "b"]'],
    ['findall with groups', 're.findall("(a)|(b)", "ab")', '[("a", ""), ("", "b")]'],
    ['findall of nothing', 're.findall("x*", "axb")', '["", "x", "", ""]'],
    ['split', 're.split(", *", "a,b,  c")', '["a", "b", "c"]'],
    ['split with groups and a limit', 're.split("(-)", "a-b-c", 1)', '["a", "-", "b-c"]'],
    ['replace', String.raw`re.replace(r"(\w+) (\w+)", r"\2 \1", "hello world")`, '"world hello"'],
    ['replace by name', String.raw`re.replace("(?P<x>.)", r"\g<x>\g<1>\0", "ab")`, '"aaabbb"'],
    ['replace takes a dollar as it is', 're.replace("a", "$0$&", "ba")', '"b$0$&"'],
    ['replace with a backslash', String.raw`re.replace("a", r"\\", "a") == "\\"`, 'True'],
    ['replace a number of times', 're.replace("a", "b", "aaa", 2)', '"bba"'],
    ['inline flags', 're.search("(?i)ABC", "xabc").start', '1'],
    ['code points, not halves', 're.findall(".", "😀x")', '["😀", "x"]'],
    ['groups named like JavaScript', 're.search("(?P<constructor>a)", "a").named', '{"constructor": "a"}'],
  ])('%s', (_title, text, wanted) => {
    expect(show(text)).toBe(wanted);
  });

  it.each([
    ['re.search("(", "")', 're.search: invalid pattern: missing closing ): `(`'],
    ['re.search("(?=a)", "")', 're.search: invalid pattern: invalid or unsupported Perl syntax: `(?=`'],
    [String.raw`re.search(r"(a)\1", "")`, 're.search: invalid pattern: invalid escape sequence: `\\1`'],
    ['re.search(1, "")', 're.search: for parameter pattern: got int, want string'],
    ['re.findall("a", None)', 're.findall: for parameter text: got NoneType, want string'],
    [String.raw`re.replace("a", r"\1", "a")`, 're.replace: no group 1 in the pattern'],
    [String.raw`re.replace("a", r"\g<x>", "a")`, 're.replace: no group x in the pattern'],
    [String.raw`re.replace("a", r"\q", "a")`, 're.replace: bad escape at offset 0 of the replacement'],
    ['re.search("(a{20}){60}", "")', 're.search: invalid pattern: invalid repeat count: `{60}`'],
    ['re.search("(" + "a" * 100 + "){1000}", "")', 're.search: pattern too large'],
    ['re.search("a" * 20000, "")', 're.search: pattern too large'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('costs the same number of steps whether the pattern was seen before or not', () => {
    const steps = (): number => {
      const thread = new Thread();
      evaluate('re.search("never seen (before)?", "never seen")', {}, thread);
      return thread.steps;
    };
    expect(steps()).toBe(steps());
  });

  it('keeps its promises on patterns and texts made to be slow', () => {
    const before = process.cpuUsage();
    const hostile = ['(a+)+$', '(a*)*b', '(a|aa)+$', '(?s)a(?:.*b)?', '(?:a?){300}a{300}', '(.*)(.*)(.*)x'];
    for (const pattern of hostile) {
      for (const call of ['search', 'findall']) {
        failure(`re.${call}(${JSON.stringify(pattern)}, "a" * 20000 + "c")`);
      }
    }
    failure('[re.search("a{%d}" % i, "a") for i in range(1000)]');
    expect(process.cpuUsage(before).user).toBeLessThan(12_000_000);
  });

  it('estimates a pattern at no less than half of what it becomes', () => {
    const estimates: [string, number][] = [
      ['abc', 3],
      ['(abc){1000}', 3000],
      ['[a-z]{50}', 50],
      ['[]a{9}]{50}', 50],
      [String.raw`\pL{100}`, 100],
      [String.raw`\p{Greek}{100}`, 100],
      ['((a{10}){10}){10}', 1000],
      [String.raw`\(a\){5}`, 5],
      ['(?:a|b|c){2,7}', 21],
    ];
    for (const [pattern, atLeast] of estimates) {
      expect([pattern, estimatePatternSize(pattern) >= atLeast]).toEqual([pattern, true]);
    }
    expect(estimatePatternSize('[[[['.repeat(1000))).toBeLessThan(10_000);
  });
});
