/**
 * `harness fmt` as a person types it: which files it looks at, what it says, how it exits.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const LOOSE =
  '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event,payload):\n    return allow()\n---\n';
const TIGHT =
  '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n';

describe('harness fmt', () => {
  it('formats the files of a policy, leaves others alone, and has nothing to do after that', async () => {
    const other = 'def  f( ):\n  pass\n';
    const cwd = project({
      '.harness/hooks/a.md': LOOSE,
      '.harness/lib/b.star': other,
      'docs/hooks.md': '# Not policy\n\n    x=1\n',
      'node_modules/c.star': other,
    });
    const first = await harness(['fmt'], { cwd });
    expect(first).toMatchObject({
      code: 0,
      stdout: 'formatted .harness/hooks/a.md\nformatted .harness/lib/b.star\n',
    });
    expect(readFileSync(join(cwd, '.harness/hooks/a.md'), 'utf8')).toBe(TIGHT);
    expect(readFileSync(join(cwd, '.harness/lib/b.star'), 'utf8')).toBe('def f():\n    pass\n');
    expect(readFileSync(join(cwd, 'node_modules/c.star'), 'utf8')).toBe(other);
    expect(await harness(['fmt', '--check'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  });

  it('with --check and --diff only says what it would do', async () => {
    const cwd = project({ '.harness/hooks/a.md': LOOSE });
    expect(await harness(['fmt', '--check'], { cwd })).toMatchObject({
      code: 1,
      stdout: 'would format .harness/hooks/a.md\n',
    });
    const { code, stdout } = await harness(['fmt', '--diff'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('+  def handle(event, payload):');
    expect(readFileSync(join(cwd, '.harness/hooks/a.md'), 'utf8')).toBe(LOOSE);
    const data = await harness(['fmt', '--check', '--json'], { cwd });
    expect(JSON.parse(data.stdout)).toEqual({ files: 1, changed: ['.harness/hooks/a.md'], unreadable: [] });
  });

  it('exits 1 for a file it cannot understand, and 2 for one that is not there', async () => {
    const cwd = project({ 'a.star': 'def f(:\n', 'b.star': 'x=1\n' });
    const { code, stdout, stderr } = await harness(['fmt'], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'formatted b.star\n' });
    expect(stderr).toContain('a.star:1:7');
    expect(readFileSync(join(cwd, 'a.star'), 'utf8')).toBe('def f(:\n');
    expect(await harness(['fmt', 'nowhere'], { cwd })).toMatchObject({ code: 2 });
  });
});
