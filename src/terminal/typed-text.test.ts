/** A text being typed, and how it looks at the bottom of a terminal. */
import { describe, expect, it } from 'vitest';
import { showTyped, TypedText } from './typed-text.ts';

const PAST = ['ls', 'git status', 'say "hello"\nand more'];

/** `left`, `ctrl+w`, `meta+b`; whatever else is typed. */
function typed(text: string, ...keys: string[]): TypedText {
  const typing = new TypedText(PAST);
  typing.insert(text);
  for (const key of keys) {
    const parts = key.split('+');
    const name = parts.pop()!;
    const plain = name.length === 1 && parts.length === 0;
    typing.press(plain ? name : undefined, {
      name,
      ctrl: parts.includes('ctrl'),
      meta: parts.includes('meta'),
    });
  }
  return typing;
}

/** The cursor as a bar. */
const shown = ({ text, cursor }: TypedText) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('a text being typed', () => {
  it.each([
    [['ctrl+a', 'X'], 'X|one two-three'],
    [['ctrl+a', 'ctrl+e', 'X'], 'one two-threeX|'],
    [['left', 'left', 'X'], 'one two-thrX|ee'],
    [['ctrl+w'], 'one two-|'],
    [['ctrl+a', 'meta+f', 'ctrl+k'], 'one |'],
    [['ctrl+u', 'ctrl+y'], 'one two-three|'],
    [['backspace', 'backspace'], 'one two-thr|'],
    [['home', 'delete'], '|ne two-three'],
  ])('is edited as in a shell: %j makes %j', (keys, want) => {
    expect(shown(typed('one two-three', ...keys))).toBe(want);
  });

  it('of several lines comes back as it was, whatever ends its lines', () => {
    expect(typed('one\r\ntwo\rthree\nfour').text).toBe('one\ntwo\nthree\nfour');
    expect(shown(typed('one\ntwo', 'backspace'))).toBe('one\ntw|');
  });

  it('recalls what was typed before, with its line breaks', () => {
    expect(typed('', 'up').text).toBe('say "hello"\nand more');
    expect(typed('', 'up', 'up').text).toBe('git status');
    expect(typed('l', 'up').text).toBe('ls');
    expect(typed('', 'up', 'up', 'up', 'down').text).toBe('git status');
  });

  it('that is taken leaves nothing to edit, and is recalled first', () => {
    const typing = typed('three\nlines\nmore');
    expect(typing.take()).toBe('three\nlines\nmore');
    expect(typing.text).toBe('');
    expect(typing.past).toEqual([...PAST, 'three\nlines\nmore']);
  });

  it('that answers a question is remembered nowhere', () => {
    const answer = new TypedText(null);
    answer.insert('y');
    expect(answer.take()).toBe('y');
    expect(answer.past).toEqual([]);
  });

  it('is replaced as a whole', () => {
    const typing = typed('/he', 'left');
    typing.replace('/help');
    expect(shown(typing)).toBe('/help|');
  });
});

describe('a text being typed, on the screen', () => {
  const prompt = { text: 'you    ', paint: (text: string) => text, above: [] };
  const size = { columns: 21, rows: 24 };

  it('is broken at the width of the terminal, with the cursor in its place', () => {
    const { lines, cursor } = showTyped(typed('漢字仮名交じり文', 'left'), prompt, size);
    expect(lines).toEqual(['you    漢字仮名交じ', '       り文']);
    expect(cursor).toEqual({ row: 1, column: 9 });
  });

  it('that fills its line has the cursor at the beginning of the next', () => {
    const { lines, cursor } = showTyped(typed('0123456789012'), prompt, size);
    expect(lines).toEqual(['you    0123456789012', '       ']);
    expect(cursor).toEqual({ row: 1, column: 7 });
  });

  it('shows each of its lines below its prompt', () => {
    const { lines, cursor } = showTyped(typed('one\ntwo\n'), prompt, size);
    expect(lines).toEqual(['you    one', '       two', '       ']);
    expect(cursor).toEqual({ row: 2, column: 7 });
  });

  it('shows what is hidden in it', () => {
    expect(showTyped(typed('a\u001bb'), prompt, size).lines).toEqual(['you    a\\u001bb']);
  });

  it('longer than the terminal shows the lines around the cursor', () => {
    const long = Array.from({ length: 60 }, (_, i) => `line ${i}`).join('\n');
    const { lines, cursor } = showTyped(typed(long), prompt, size);
    expect(lines).toHaveLength(18);
    expect(lines.at(-1)).toBe('       line 59');
    expect(cursor?.row).toBe(17);
  });
});
