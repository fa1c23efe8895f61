/** The page in the daemon's process: one handler, whoever mounts it, and only for one that sees what the daemon sees. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { user } from './daemon.ts';
import { browse, openPage } from './page.ts';

const FILES = { '.harness/harness.md': '---\nstrict: true\n---\n' };

describe('with a daemon', () => {
  it('its process serves the page, one for a folder, beside its decisions; it ends with it', async () => {
    const someone = user(FILES);
    const daemon = await someone.serve();
    const { status, stdout } = someone.harness('ui', '--json');
    expect(status).toBe(0);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({ daemon: daemon.pid, dir: someone.dir, readOnly: false });
    const page = await browse(told.link);
    expect((await page.get('/api/about')).json).toMatchObject({ dir: someone.dir });
    expect((await page.get('/api/approvals')).json.mute).toContain('not opened at a terminal');
    expect(JSON.parse(someone.harness('ui', '--json').stdout).link).toBe(told.link);
    const readOnly = JSON.parse(someone.harness('ui', '--json', '--read-only').stdout);
    expect(readOnly.port).not.toBe(told.port);
    expect(someone.state()).not.toBeNull();
    someone.harness('daemon', 'stop');
    await expect(page.get('/api/about')).rejects.toThrow();
  });

  it('that was started with other settings, the command serves the page itself and says why', async () => {
    const someone = user(FILES);
    await someone.serve();
    const env = { ...someone.env, HARNESS_DISABLE_HOOKS: '1' };
    const child = spawn(process.execPath, [CLI_FILE, 'ui', '--json'], { env, cwd: someone.dir });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const [told] = await once(child.stdout, 'data');
    child.kill();
    await once(child, 'close');
    expect(JSON.parse(String(told)).daemon).toBeNull();
    expect(stderr).toContain(
      'the daemon does not serve it: it was started with another HARNESS_DISABLE_HOOKS',
    );
  });
});

describe('without a daemon', () => {
  it('the command serves the same page itself', async () => {
    const page = await openPage(user(FILES).dir);
    expect((await page.get('/api/about')).status).toBe(200);
  });
});
