/**
 * `harness diff` as a reviewer and as CI use it.
 */
import { describe, expect, it } from 'vitest';
import { guard, one } from '../support/planted-differences.ts';
import { harness, project } from './harness.ts';

const policy = (test: string) => project({ 'harness.md': '---\nname: tester\n---\n', ...one(guard(test)) });

describe('harness diff', () => {
  it('shows calls that two policies decide differently, by class and hook with both reasons, and exits 1', async () => {
    const [old, next] = [policy('"drop table" in command'), policy('"drop database" in command')];
    const done = await harness(['diff', old, next, '--tries', '400']);
    expect(done.code).toBe(1);
    expect(done.stdout).toContain('block->allow  guard');
    expect(done.stdout).toContain('allow->block  guard');
    expect(done.stdout).toContain('{"command":"drop table"}');
    expect(done.stdout).toContain('old  block by guard: not this one');
    const again = await harness(['diff', old, next, '--tries', '400']);
    expect(again.stdout).toBe(done.stdout);
  });

  it('says how many tries found nothing, and that this is no proof', async () => {
    const dir = policy('"drop table" in command');
    const done = await harness(['diff', dir, dir, '--tries', '200', '--seed', '4']);
    expect([done.code, done.stdout]).toEqual([
      0,
      'No difference found in 200 tries (seed 4). That is no proof that there is none.\n',
    ]);
  });

  it('prints data', async () => {
    const [old, next] = [policy('"drop table" in command'), policy('False')];
    const done = await harness(['diff', old, next, '--tries', '300', '--json']);
    const data = JSON.parse(done.stdout);
    expect(data).toMatchObject({ old: { dir: old }, new: { dir: next }, seed: 1, tries: 300 });
    expect(data.findings[0]).toMatchObject({
      class: 'block->allow',
      hook: 'guard',
      examples: [{ steps: [{ event: 'tool.pre' }], before: { action: 'block' }, after: { action: 'allow' } }],
    });
  });

  it('says what makes its answer say less', async () => {
    const old = policy('"x" in command');
    const done = await harness(['diff', old, project({ 'README.md': '' }), '--tries', '50']);
    expect(done.stderr).toContain('No policy in');
  });

  it('refuses a folder that is not there', async () => {
    const done = await harness(['diff', policy('False'), '/no/such/folder']);
    expect([done.code, done.stderr]).toEqual([2, expect.stringContaining('no such folder')]);
  });
});
