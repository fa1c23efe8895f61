/** Names that a volume takes for one. A name with a second link in other letters is what such a volume looks like from outside. */
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { foldedPath, foldsCase } from './case-folding.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(...names: readonly string[]): string {
  const at = mkdtempSync(join(tmpdir(), '0-'));
  made.push(at);
  for (const name of names) writeFileSync(join(at, name), name);
  return at;
}

describe('a path as a volume compares it that tells no letters apart', () => {
  it.each([
    ['other letters', '/w/AGENT.json', '/w/agent.JSON'],
    ['the long s and the Kelvin sign', '/w/harne\u017fs/to\u212aen', '/w/harness/token'],
    ['a letter that folds to two', '/w/harne\u00df.md', '/w/HARNESS.md'],
    ['a ligature', '/w/\ufb01le', '/w/FILE'],
    ['one character or two for an accent', '/w/caf\u00e9', '/w/cafe\u0301'],
    ['characters without width', '/w/.har\u200dness', '/w/.harness'],
  ])('is the same for %s', (_, one, other) => {
    expect(foldedPath(one)).toBe(foldedPath(other));
  });

  it('is another for another name', () => {
    expect(foldedPath('/w/agent.json')).not.toBe(foldedPath('/w/agents.json'));
  });
});

describe('whether a folder tells letters apart', () => {
  it('is asked of the names in it', () => {
    const at = folder('123', 'readme.md');
    expect(foldsCase(at)).toBe(false);
    linkSync(join(at, 'readme.md'), join(at, 'README.MD'));
    expect(foldsCase(at)).toBe(true);
  });

  it('takes two files whose names differ in letters for two', () => {
    expect(foldsCase(folder('a.md', 'A.MD'))).toBe(false);
  });

  it('is asked of the folder above for one that is empty, not there, or has no letters in its names', () => {
    const at = folder('notes');
    linkSync(join(at, 'notes'), join(at, 'NOTES'));
    mkdirSync(join(at, '1'));
    writeFileSync(join(at, '1', '2'), '');
    expect(foldsCase(join(at, '1'))).toBe(true);
    expect(foldsCase(join(at, 'missing', 'deeper'))).toBe(true);
  });
});
