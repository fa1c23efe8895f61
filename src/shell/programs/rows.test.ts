import { describe, expect, it } from 'vitest';
import { readCondition, readEffect } from '../effects/beyond.ts';
import { effectText } from '../effects/effect-text.ts';
import { effectsIn } from '../effects/effects.ts';
import { readCommand } from '../read.ts';
import { FORMS, rolesByOption, type SubRow, wordsIn } from './notation.ts';
import { ROWS } from './rows/index.ts';

/** Rows with their sub-commands. */
function everyRow(): { readonly name: string; readonly row: SubRow }[] {
  return ROWS.flatMap(({ names, ...row }) => {
    const subs = Object.entries(row.subs ?? {}).map(([key, sub]) => ({
      name: `${names} ${key}`,
      row: typeof sub === 'string' ? { effects: sub } : sub,
    }));
    return [{ name: names, row }, ...subs];
  });
}

const ROLES =
  /^(?:(?:read|write|delete|edit|mode|helper|shell|code|codefile|assign|folder|user|mount|root|entry|host|command|\?|-)[*+]?|read@|--|(?:helper|codefile):[\w-]+)$/;

const effectsOfText = (text: string) => effectsIn(readCommand(text, { home: '/~' })).map(effectText);

describe('rows of programs', () => {
  it('name every program once', () => {
    const names = ROWS.flatMap((row) => wordsIn(row.names));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('use only the roles of the notation', () => {
    for (const { name, row } of everyRow()) {
      for (const role of wordsIn(row.operands)) expect(role, name).toMatch(ROLES);
      for (const role of rolesByOption(row.values).values()) expect(role, name).toMatch(ROLES);
      for (const [, form] of (row.marked ?? '').matchAll(/:([\w-]+)/g))
        expect(FORMS, name).toHaveProperty(form!);
    }
  });

  it('state effects that can be read', () => {
    for (const { name, row } of everyRow()) {
      for (const effect of [row.effects ?? []].flat()) expect(() => readEffect(effect), name).not.toThrow();
      if (row.unless !== undefined) expect(() => readCondition(row.unless!), name).not.toThrow();
    }
  });

  it('leave it to the path whether a disk is written', () => {
    const stated = everyRow().flatMap(({ row }) => [row.effects ?? []].flat());
    expect(stated.filter((effect) => effect.startsWith('disk write'))).toEqual([]);
  });

  for (const { names, examples } of ROWS) {
    for (const [command, stated] of Object.entries(examples ?? {})) {
      it(`${wordsIn(names)[0]}: ${command}`, () => {
        const found = effectsOfText(command).filter((text) => !/^read\b|^run from literal/.test(text));
        if (stated === 'nothing') expect(found).toEqual([]);
        else for (const effect of stated.split('; ')) expect(effectsOfText(command)).toContain(effect);
      });
    }
  }
});

describe('a program without a row', () => {
  it('is run, and may read what it is given', () => {
    expect(effectsOfText('frobnicate notes.txt')).toEqual([
      'possibly read workspace',
      'possibly run from unknown',
    ]);
  });

  it('has its verbs read', () => {
    expect(effectsOfText('frobctl cluster destroy prod')).toContain('possibly remote delete of unlisted');
    expect(effectsOfText('frobctl buckets:purge prod')).toContain('possibly remote delete of unlisted');
    expect(effectsOfText('frobctl cluster list')).not.toContain('possibly remote delete of unlisted');
  });
});

describe('what cannot be known', () => {
  it('is an effect of its own', () => {
    expect(effectsOfText('"$CMD" now')).toContain('run from unknown');
    expect(effectsOfText('eval "$X"')).toContain('run from unknown');
    expect(effectsOfText('rm -rf "$DIR"')).toContain('delete recursive unknown');
    expect(effectsIn(readCommand('x', { shell: 'fish' })).map(effectText)).toEqual(['run from unknown']);
  });
});
