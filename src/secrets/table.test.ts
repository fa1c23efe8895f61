import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ruleExamples } from '../../test/secrets/corpus.ts';
import { compileRegex } from '../base/match/regex.ts';
import { type Ranked, RULE_OF_KIND } from './detectors.ts';
import { detectorsByKeyword, namedRows, placeRules, tokenRows } from './looks-by-keyword.ts';
import { findInto } from './secrets.ts';
import { compileShape, prefixesOf } from './shape.ts';
import { secretTable } from './table.ts';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../test/secrets');

const examples = ruleExamples(FOLDER);
const rules = [
  ...tokenRows().map(([id, what]) => ({ id, what })),
  ...namedRows().map(([id, what]) => ({ id, what })),
  ...placeRules(),
  ...[...new Set(Object.values(RULE_OF_KIND))].map((id) => ({ id, what: 'Told by its name' })),
];

/** Of all rules, also those whose finding another took over. */
function rulesFor(text: string): string[] {
  const found: Ranked[] = [];
  findInto(text, found);
  return found.map(({ rule }) => rule);
}

describe('the table of secrets', () => {
  it('has names of its own for a good three hundred rules, each with what it is', () => {
    expect(rules.length).toBeGreaterThan(300);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(rules.filter(({ id, what }) => !/^[a-z0-9-]+$/.test(id) || what === '')).toEqual([]);
  });

  it('compiles, the index and every shape, here and in RE2: no rule is silently gone', () => {
    expect(detectorsByKeyword().size).toBeGreaterThan(400);
    expect(() => secretTable()).not.toThrow();
    const shapes = [...tokenRows().map(([, , shape]) => shape), ...namedRows().map(([, , , shape]) => shape)];
    for (const shape of shapes) {
      expect(() => compileShape(shape)).not.toThrow();
      expect({ shape, ...compileRegex(shape) }).toMatchObject({ ok: true });
    }
  });

  it('has for every rule something it must find and two things it must let go', () => {
    const lacking = rules.filter(({ id }) => {
      const own = examples.filter(({ rule }) => rule === id);
      return !own.some(({ found }) => found) || own.filter(({ found }) => !found).length < 2;
    });
    expect(lacking.map(({ id }) => id)).toEqual([]);
    const unknown = examples.filter(({ rule }) => !rules.some(({ id }) => id === rule));
    expect(unknown).toEqual([]);
  });

  it('finds every example by its rule', () => {
    const missed = examples.filter(({ found, rule, text }) => found && !rulesFor(text).includes(rule));
    expect(missed).toEqual([]);
  });

  it('lets every near miss of a rule go', () => {
    const taken = examples.filter(({ found, rule, text }) => !found && rulesFor(text).includes(rule));
    expect(taken).toEqual([]);
  });

  it('agrees with RE2 on every example of a token', () => {
    for (const [id, , shape, more] of tokenRows()) {
      if (more?.before !== undefined) continue;
      const compiled = compileRegex(shape);
      const prefixes = prefixesOf(shape);
      for (const { found, rule, text } of examples) {
        if (rule !== id || !found) continue;
        expect(compiled.ok && compiled.test(text)).toBe(true);
        expect(prefixes.some((prefix) => text.includes(prefix))).toBe(true);
      }
    }
  });
});
