/**
 * Names of policy files in other letters, before the files are there. A name with a second link in other letters is what a volume
 * looks like from outside that does not tell letters apart.
 */
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { foldsCase } from '../machine/case-folding.ts';
import { openPolicy } from './open-policy.ts';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

async function project(volume: 'folds' | 'tells') {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'harness-case-'));
  made.push(dir);
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  writeFileSync(join(dir, '.harness/harness.md'), '---\nstrict: true\n---\n');
  writeFileSync(join(dir, 'notes.txt'), '');
  if (volume === 'folds') linkSync(join(dir, 'notes.txt'), join(dir, 'NOTES.TXT'));
  const policy = await openPolicy(dir, { places: { managed: null, user: null } });
  return async (name: string, args: { path: string } | { command: string }) =>
    (await policy.decide('tool.pre', { id: '1', name, args })).hook;
}

const SPELLINGS = ['AGENT.json', 'Harness.MD', 'harne\u017fs.md', 'Harn.TOML', '.Harness/agents/a.md'];

describe('[W10] a policy file that is not there yet, in other letters', () => {
  it.each(SPELLINGS)('is guarded on a volume that takes them for the same: %s', async (path) => {
    const by = await project('folds');
    expect(await by('write_file', { path })).toBe('protected');
    expect(await by('run_command', { command: `echo x > '${path}'` })).toBe('protected');
    expect(await by('write_file', { path: `other-${path.replace('/', '-')}` })).toBeNull();
  });

  it.each(SPELLINGS)('is another file on a volume that tells them apart: %s', async (path) => {
    const by = await project('tells');
    // This machine's own volume, whichever it is.
    const folds = foldsCase(realpathSync(tmpdir()));
    expect(await by('write_file', { path })).toBe(folds ? 'protected' : null);
  });
});
