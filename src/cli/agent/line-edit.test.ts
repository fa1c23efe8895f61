import { describe, expect, it } from 'vitest';
import { showEdit } from './edit-view.ts';
import { type Edit, insert, type Key, newEdit, pressed } from './line-edit.ts';

const PAST = ['ls', 'git status', 'say "hello"\nand more'];

/** `a`, `left`, `ctrl+w`, `meta+b`. */
function key(name: string): Key {
  const parts = name.split('+');
  const base = parts.pop()!;
  const plain = [...base].length === 1 && parts.length === 0;
  return {
    name: base,
    ctrl: parts.includes('ctrl'),
    meta: parts.includes('meta'),
    sequence: plain ? base : '\u001b[x',
  };
}

const edited = (text: string, ...keys: string[]): Edit =>
  keys.reduce((edit, name) => pressed(edit, key(name)) ?? edit, insert(newEdit(PAST), text));

/** The cursor as a bar. */
const shown = ({ text, cursor }: Edit) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('editing a prompt', () => {
  it.each([
    [['ctrl+a', 'X'], 'X|one two-three'],
    [['ctrl+a', 'ctrl+e', 'X'], 'one two-threeX|'],
    [['left', 'left', 'X'], 'one two-thrX|ee'],
    [['ctrl+w'], 'one |'],
    [['meta+backspace'], 'one two-|'],
    [['ctrl+a', 'meta+f', 'ctrl+k'], 'one|'],
    [['ctrl+a', 'meta+f', 'ctrl+u'], '| two-three'],
    [['ctrl+w', 'ctrl+a', 'ctrl+y'], 'two-three|one '],
    [['meta+b', 'meta+d'], 'one two-|'],
    [['backspace', 'backspace'], 'one two-thr|'],
    [['home', 'delete'], '|ne two-three'],
  ])('%j makes %j', (keys, want) => {
    expect(shown(edited('one two-three', ...keys))).toBe(want);
  });

  it('takes a picture of several characters, and a letter with its marks, as one', () => {
    expect(shown(edited('a👩‍🚀e\u0301', 'backspace'))).toBe('a👩‍🚀|');
    expect(shown(edited('a👩‍🚀e\u0301', 'left', 'left'))).toBe('a|👩‍🚀e\u0301');
  });

  it('moves between its lines, and past the first and the last to what was typed before', () => {
    expect(shown(edited('one\ntwo', 'up'))).toBe('one|\ntwo');
    expect(shown(edited('one\ntwo', 'up', 'up'))).toBe('say "hello"\nand more|');
    expect(shown(edited('draft', 'ctrl+p', 'ctrl+p'))).toBe('git status|');
    expect(shown(edited('draft', 'ctrl+p', 'ctrl+p', 'down', 'ctrl+n'))).toBe('draft|');
    expect(shown(edited('', 'up', 'ctrl+p', 'ctrl+p', 'ctrl+p'))).toBe('ls|');
  });

  it.each(['enter', 'meta+return'])('%s begins another line', (name) => {
    expect(shown(edited('one', name, 't'))).toBe('one\nt|');
  });

  it('looks for what was typed before, goes on with it, or takes the look back', () => {
    expect(edited('x', 'ctrl+r', 'g', 'i').text).toBe('git status');
    expect(edited('x', 'ctrl+r', 's', 'ctrl+r').text).toBe('git status');
    expect(edited('x', 'ctrl+r', 's', 'ctrl+r', 'ctrl+r').text).toBe('ls');
    expect(shown(edited('x', 'ctrl+r', 'g', 'ctrl+e', '!'))).toBe('git status!|');
    expect(shown(edited('x', 'ctrl+r', 'g', 'escape'))).toBe('x|');
    expect(shown(edited('x', 'ctrl+r', 'z', 'q', 'right'))).toBe('x|');
  });
});

describe('a prompt on the screen', () => {
  const prompt = { text: 'you    ', paint: (text: string) => text, above: [] };
  const size = { columns: 21, rows: 24 };

  it('is broken at the width of the terminal, with the cursor in its place', () => {
    const { lines, cursor } = showEdit(edited('漢字仮名交じり文', 'left'), prompt, size);
    expect(lines).toEqual(['you    漢字仮名交じ', '       り文']);
    expect(cursor).toEqual({ row: 1, column: 9 });
  });

  it('shows what is hidden in it', () => {
    expect(showEdit(edited('a\u001bb'), prompt, size).lines).toEqual(['you    a\\u001bb']);
  });

  it('longer than the terminal shows the lines around the cursor', () => {
    const long = Array.from({ length: 60 }, (_, i) => `line ${i}`).join('\n');
    const { lines, cursor } = showEdit(edited(long), prompt, size);
    expect(lines).toHaveLength(18);
    expect(lines.at(-1)).toBe('       line 59');
    expect(cursor?.row).toBe(17);
  });
});
