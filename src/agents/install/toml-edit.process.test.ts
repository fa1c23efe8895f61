import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tomlDocument as document } from '../../../test/support/arbitrary-config.ts';
import { type Edited, type Refused, unsplice } from './splice.ts';
import { removeTomlText, setTomlText, type TomlText, tomlData, tomlTextAt } from './toml-edit.ts';

const NAME = '/home/a b/p/.codex/hooks.json:pre_tool_use:0:0';
const OURS: TomlText = { table: ['hooks', 'state', NAME], key: 'trusted_hash', value: 'sha256:11' };

function done(result: Edited | Refused): Edited {
  if ('refused' in result) throw new Error(`${result.refused} at ${result.offset}`);
  return result;
}

const set = (text: string, wanted = OURS) => done(setTomlText(text, wanted)).text;

describe('a text in a table of TOML', () => {
  it('is added at the end, behind an empty line', () => {
    expect(set('a = 1\n')).toBe(`a = 1\n\n[hooks.state."${NAME}"]\ntrusted_hash = "sha256:11"\n`);
    expect(set('a = 1')).toBe(`a = 1\n\n[hooks.state."${NAME}"]\ntrusted_hash = "sha256:11"\n`);
    expect(set('')).toBe(`[hooks.state."${NAME}"]\ntrusted_hash = "sha256:11"\n`);
    expect(set('a = 1\r\n').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(set('\ufeff[x]\ny = "z"\n').startsWith('\ufeff[x]\n')).toBe(true);
  });

  it('is not added twice, and a table that is there is changed in its place', () => {
    expect(set(set('a = 1\n'))).toBe(set('a = 1\n'));
    const other = set('# c\n', { ...OURS, value: 'sha256:22' });
    expect(set(`${other}\n[z]\n`)).toBe(`${other.replace('22', '11')}\n[z]\n`);
    const disabled = `[hooks.state."${NAME}"]\nenabled = false\n\n[z]\n`;
    expect(set(disabled)).toBe(
      `[hooks.state."${NAME}"]\ntrusted_hash = "sha256:11"\nenabled = false\n\n[z]\n`,
    );
    const inline = `[hooks.state]\n"${NAME}" = { trusted_hash = 'old' } # c\n`;
    expect(set(inline)).toBe(`[hooks.state]\n"${NAME}" = { trusted_hash = "sha256:11" } # c\n`);
  });

  it('is refused where the file cannot be read, or nothing can be added', () => {
    expect(setTomlText('a = 1\nb = = 2\n', OURS)).toMatchObject({ offset: 10 });
    expect(setTomlText('x = 1\nhooks = { state = {} }\n', OURS)).toMatchObject({
      refused: expect.stringContaining('want a table [hooks.state]'),
      offset: 6,
    });
  });

  it('goes with its table, and leaves what else is in it', () => {
    const text = 'a = 1\n\n[z]\nq = 1\n';
    expect(done(removeTomlText(set(text), OURS)).text).toBe(text);
    expect(done(removeTomlText(`${set(text)}\n[after]\n`, OURS)).text).toBe(`${text}\n[after]\n`);
    const disabled = `[hooks.state."${NAME}"]\nenabled = false\n`;
    expect(done(removeTomlText(set(disabled), OURS)).text).toBe(disabled);
    expect(done(removeTomlText(set(text), { ...OURS, value: 'other' })).text).toBe(set(text));
  });
});

describe('TOML, for every document', () => {
  const RUNS = { numRuns: 1000, seed: 15 };

  it('adding gives the old data and ours, is taken back to the byte, and adding twice is adding once', () => {
    fc.assert(
      fc.property(document, (text) => {
        const result = setTomlText(text, OURS);
        if ('refused' in result) return;
        expect(tomlTextAt(result.text, OURS)).toBe(OURS.value);
        expect(unsplice(result.text, result.splices)).toBe(text);
        expect(result.splices.every(({ removed }) => removed === '')).toBe(true);
        expect(set(result.text)).toBe(result.text);
        expect(tomlData(done(removeTomlText(result.text, OURS)).text)).toEqual(tomlData(text));
      }),
      RUNS,
    );
  });

  it('taking out what was added leaves the text as it was, if it ended with a line', () => {
    fc.assert(
      fc.property(document, (text) => {
        const result = setTomlText(text, OURS);
        if ('refused' in result || !text.endsWith('\n')) return;
        expect(done(removeTomlText(result.text, OURS)).text).toBe(text);
      }),
      RUNS,
    );
  });
});
