/** An open policy: what it puts on payloads where the program says nothing. */
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from './open-policy.ts';

describe('a policy opened by a relative path', () => {
  it('tells hooks an absolute cwd and workspace', async () => {
    const tells =
      'def handle(event, payload):\n    return block(payload["cwd"] + " " + payload["workspace"])';
    const dir = tempProject({ '.harness/hooks/tells.md': hookFile(tells) });
    const policy = await openPolicy(relative(process.cwd(), dir));
    const { reason } = await policy.decide('tool.pre', { id: '1', name: 'read_file', args: {} });
    expect(reason).toBe(`${dir} ${dir}`);
  });

  it('begins a run with absolute folders, also where there is no policy', async () => {
    const dir = tempProject({ 'a.txt': '' });
    const policy = await openPolicy(relative(process.cwd(), dir), { allowEmpty: true });
    expect(policy.newRun().session).toMatchObject({ cwd: dir, workspace: dir });
  });
});

describe('a policy opened without a path', () => {
  it('is the policy of the current folder', async () => {
    const dir = tempProject({
      '.harness/hooks/stops.md': hookFile('def handle(event, payload):\n    return block("here")'),
    });
    const before = process.cwd();
    process.chdir(dir);
    try {
      const policy = await openPolicy();
      expect(await policy.decide('tool.pre', { name: 'read_file', args: {} })).toMatchObject({
        reason: 'here',
      });
    } finally {
      process.chdir(before);
    }
  });
});
