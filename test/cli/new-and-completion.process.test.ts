/**
 * `harness new` writes what validates and passes its own test on every event; `harness completion` knows every command.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { CATALOG } from '../../src/engine/catalog.ts';
import { harness, project } from './harness.ts';

describe('harness new', () => {
  it('writes a hook that validates and passes its test', async () => {
    const cwd = project();
    expect(await harness(['new', 'hook', 'no_push'], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, '.harness/hooks/no_push.md'), 'utf8')).toContain('\n# no_push\n');
    expect(await harness(['validate', '--strict'], { cwd })).toMatchObject({ code: 0 });
    expect((await harness(['test'], { cwd })).stdout).toContain('2 passed');
  });

  it('writes a hook for every event of the catalog', async () => {
    const cwd = project();
    for (const event of Object.keys(CATALOG)) {
      const name = event.replaceAll('.', '_');
      expect(await harness(['new', 'hook', name, '--event', event], { cwd })).toMatchObject({ code: 0 });
    }
    expect(await harness(['validate', '--strict'], { cwd })).toMatchObject({ code: 0 });
    expect(await harness(['test'], { cwd })).toMatchObject({ code: 0 });
  });

  it('writes a pack that is in force, with a test that passes', async () => {
    const cwd = project();
    expect(await harness(['new', 'pack', 'team'], { cwd })).toMatchObject({ code: 0 });
    expect(await harness(['validate'], { cwd })).toMatchObject({ code: 0 });
    const tested = await harness(['test'], { cwd });
    expect(tested).toMatchObject({ code: 0 });
    expect(tested.stdout).toContain('2 passed');
    expect(await harness(['new', 'pack', 'other'], { cwd })).toMatchObject({ code: 0 });
    expect((await harness(['test'], { cwd })).stdout).toContain('4 passed');
    expect(await harness(['new', 'pack', 'team'], { cwd })).toMatchObject({ code: 1 });
  });

  it('writes no pack where it could not be put in force', async () => {
    const cwd = project({ 'harness.md': '---\nuse: [core]\n---\n' });
    const { code, stderr } = await harness(['new', 'pack', 'team'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('nothing was written');
    expect(readFileSync(join(cwd, 'harness.md'), 'utf8')).toBe('---\nuse: [core]\n---\n');
  });

  it('writes a tool and a test of the policy for it', async () => {
    const cwd = project();
    await harness(['new', 'hook', 'guard'], { cwd });
    expect(await harness(['new', 'tool', 'slugify', '--dir', '.'], { cwd })).toMatchObject({ code: 0 });
    expect((await harness(['validate', '--strict'], { cwd })).stdout).toContain(
      '1 hook, 1 tool, 0 errors, 0 warnings',
    );
    expect(await harness(['test'], { cwd })).toMatchObject({ code: 0 });
  });

  it('overwrites nothing', async () => {
    const cwd = project({ '.harness/hooks/mine.md': 'mine' });
    expect(await harness(['new', 'hook', 'mine'], { cwd })).toMatchObject({ code: 1, stdout: '' });
    expect(readFileSync(join(cwd, '.harness/hooks/mine.md'), 'utf8')).toBe('mine');
  });

  it.each([
    [['hok', 'x'], '(did you mean hook?)'],
    [['hook', '../x'], 'is not allowed'],
    [['hook', 'x', '--event', 'tool.per'], '(did you mean tool.pre?)'],
    [['tool', 'x', '--event', 'tool.pre'], '--event goes with a hook only'],
  ])('%j is wrong usage', async (args, message) => {
    const ran = await harness(['new', ...args], { cwd: project() });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('harness completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { code, stdout } = await harness(['completion', shell]);
    expect(code).toBe(0);
    for (const { name, options } of COMMANDS) {
      expect(stdout).toContain(name);
      for (const option of options)
        expect(stdout).toContain(shell === 'fish' ? `-l ${option.name}` : `--${option.name}`);
    }
  });

  it('bash completes with it', async () => {
    const dir = project();
    const { stdout } = await harness(['completion', 'bash']);
    writeFileSync(join(dir, 'harness.bash'), stdout);
    const complete = (...words: string[]) => {
      const given = words.map((word) => `'${word}'`).join(' ');
      const script = `. ./harness.bash; COMP_WORDS=(harness ${given}); COMP_CWORD=${words.length}; _harness; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['--norc', '-c', script], { cwd: dir, encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('vali')).toBe('validate');
    expect(complete('validate', '--for')).toBe('--format');
    expect(complete('new', 'h')).toBe('hook');
    expect(complete('help', 'compl')).toBe('completion');
  });

  it('another shell is wrong usage', async () => {
    const ran = await harness(['completion', 'bsh']);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('(did you mean bash?)') });
  });
});
