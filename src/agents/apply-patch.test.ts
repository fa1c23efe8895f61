/** Patches as agents write them, and those that two readers could take for different things. */
import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from './apply-patch.ts';
import { isNotACall } from './tool-forms.ts';

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('a patch is read into the files it touches', () => {
  it('a file that is added is written as a whole', () => {
    expect(parsePatch(patch('*** Add File: a.txt', '+one', '+', '+two'))).toEqual([
      { name: 'write_file', args: { path: 'a.txt', content: 'one\n\ntwo\n' } },
    ]);
  });

  it('an empty file is added too', () => {
    expect(parsePatch(patch('*** Add File: a.txt'))).toEqual([
      { name: 'write_file', args: { path: 'a.txt', content: '' } },
    ]);
  });

  it('a file that is changed has what goes and what takes its place', () => {
    const lines = ['*** Update File: a.txt', '@@ def f():', ' same', '-old', '+new', '', '*** End of File'];
    expect(parsePatch(patch(...lines))).toEqual([
      { name: 'edit_file', args: { path: 'a.txt', old: 'same\nold\n', new: 'same\nnew\n' } },
    ]);
  });

  it('a file can be moved without a change', () => {
    expect(parsePatch(patch('*** Update File: a.txt', '*** Move to: b/c.txt'))).toEqual([
      { name: 'edit_file', args: { path: 'a.txt', to: 'b/c.txt', old: '', new: '' } },
    ]);
  });

  it('a file that is deleted says so', () => {
    expect(parsePatch(patch('*** Delete File: a.txt'))).toEqual([
      { name: 'edit_file', args: { path: 'a.txt', delete: true } },
    ]);
  });

  it.each([
    ['line ends of Windows', patch('*** Delete File: a.txt').replaceAll('\n', '\r\n')],
    ['space around it', `\n\n${patch('*** Delete File:   a.txt  ')}\n\n`],
    ['an environment', patch('*** Environment ID: dev', '*** Delete File: a.txt')],
    ['an empty line between files', patch('', '*** Delete File: a.txt', '')],
  ])('%s does not matter', (_what, text) => {
    expect(parsePatch(text)).toEqual([{ name: 'edit_file', args: { path: 'a.txt', delete: true } }]);
  });
});

describe('what cannot be read is a problem', () => {
  it.each([
    ['no patch at all', 'rename everything'],
    ['nothing', ''],
    ['no end', '*** Begin Patch\n*** Delete File: a.txt'],
    ['only a beginning', '*** Begin Patch'],
    ['no file', patch()],
    ['no path', patch('*** Delete File:')],
    ['no path to move to', patch('*** Update File: a', '*** Move to:')],
    ['an unknown header', patch('*** Copy File: a.txt')],
    ['text before the first file', patch('hello', '*** Delete File: a.txt')],
    ['text after an added file', patch('*** Add File: a', '+x', 'y')],
    ['a header that begins with a space', patch('*** Add File: a', '+x', ' *** Delete File: b')],
    ['a header hidden in a change', patch('*** Update File: a', ' *** Delete File: b')],
    ['an unknown header in a change', patch('*** Update File: a', '*** Copy to: b')],
    ['a line of a change without its sign', patch('*** Update File: a', 'x')],
    ['too many files', patch(...Array.from({ length: 201 }, (_, i) => `*** Delete File: ${i}`))],
    ['a patch in a here-document', `cat <<EOF\n${patch('*** Delete File: a.txt')}\nEOF`],
  ])('%s', (_what, text) => {
    expect(parsePatch(text)).toEqual({ problem: expect.any(String) });
  });
});

describe('whatever is in it', () => {
  const line = constantFrom(
    ...['*** Add File: a', '*** Update File: b', '*** Move to: c', '*** Delete File: d', '*** End of File'],
    ...['@@', ' x', '+y', '-z', '', '*** End Patch', '*** Begin Patch'],
  );

  it('each header that is read as one is a call with its path', () => {
    assert(
      property(array(line, { maxLength: 12 }), (lines) => {
        const calls = parsePatch(patch(...lines));
        if (isNotACall(calls)) return;
        const headers = lines.filter((each) => /^\*\*\* (Add|Update|Delete) File: /.test(each));
        expect(calls.map(({ args }) => args.path)).toEqual(headers.map((each) => each.split(': ')[1]));
      }),
      { numRuns: 500 },
    );
  });

  it('it never throws, and a long one takes no longer than its length', () => {
    assert(property(string(), (text) => void parsePatch(text)));
    const long = patch('*** Update File: a', '+x\n'.repeat(200_000).trimEnd());
    expect(isNotACall(parsePatch(long))).toBe(false);
  });
});
