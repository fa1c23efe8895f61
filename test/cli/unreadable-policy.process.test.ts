/**
 * Policy that the user who asks may not read: the command blocks and says so. Root reads everything, so this runs as another
 * user; where that cannot be arranged, it is skipped and says so.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { hookFile, project } from './harness.ts';

const NOBODY = 65534;
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [...AS_NOBODY, process.execPath, CLI_FILE, '--version']).status === 0;
if (!canBeNobody) console.warn('skipped: unreadable policy folders need root and setpriv');

const HOOK = hookFile(
  'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()',
);

function give(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) give(join(path, entry.name));
    else chownSync(join(path, entry.name), NOBODY, NOBODY);
  }
}

function decide(root: string) {
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: join(root, 'config') };
  const args = [
    ...AS_NOBODY,
    process.execPath,
    CLI_FILE,
    'decide',
    'tool.pre',
    '--dir',
    join(root, 'work'),
    '--json',
  ];
  const input = JSON.stringify({ id: '1', name: 'x', args: {} });
  const { stdout, stderr } = spawnSync('setpriv', args, { input, env, encoding: 'utf8', timeout: 120_000 });
  return { action: stdout === '' ? null : (JSON.parse(stdout).action as string), stderr };
}

describe.runIf(canBeNobody)('policy that may not be read', () => {
  const made = () => {
    const root = project({ 'work/.harness/hooks/a.md': HOOK, 'config/harness/hooks/b.md': HOOK });
    give(root);
    return root;
  };

  it('is no matter while all of it can be read', () => {
    expect(decide(made()).action).toBe('allow');
  });

  it.each([
    'work/.harness',
    'work/.harness/hooks',
    'work/.harness/hooks/a.md',
    'config',
    'config/harness',
    'config/harness/hooks',
    'config/harness/hooks/b.md',
  ])('blocks: %s', (path) => {
    const root = made();
    chmodSync(join(root, path), 0o000);
    const { action } = decide(root);
    chmodSync(join(root, path), 0o700);
    expect(action).toBe('block');
  });

  it('blocks: the home folder of somebody else', () => {
    const root = made();
    chownSync(join(root, 'config'), 0, 0);
    chmodSync(join(root, 'config'), 0o700);
    const { action, stderr } = decide(root);
    expect(action).toBe('block');
    expect(stderr).toContain('LAYER_BROKEN');
  });

  it('may be listed but not opened, and still blocks', () => {
    const root = made();
    chmodSync(join(root, 'work/.harness'), 0o400);
    const { action } = decide(root);
    chmodSync(join(root, 'work/.harness'), 0o700);
    expect(action).toBe('block');
  });
});

describe('a sub-folder of a project', () => {
  it('is governed by the project around it', () => {
    const guard = hookFile(
      'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("outer")',
    );
    const root = project({ '.harness/hooks/guard.md': guard });
    const deep = join(root, 'a/b/c');
    mkdirSync(deep, { recursive: true });
    const { status, stdout } = spawnSync(
      process.execPath,
      [CLI_FILE, 'decide', 'tool.pre', '--json', '--exit-code'],
      { cwd: deep, input: '{"name":"x","args":{}}', env: { PATH: process.env.PATH }, encoding: 'utf8' },
    );
    expect([status, JSON.parse(stdout).reason]).toEqual([2, 'outer']);
  });
});
