import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remove } from '../../test/support/remove.ts';
import { AGENTS } from './all-agents.ts';
import type { InstallTarget } from './install/installer.ts';
import { runningUnguarded } from './running-agents.ts';

/** A process that is called as the agent is, in a folder of its own. */
async function running(...words: readonly string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'harness-running-')));
  onTestFinished(() => remove(folder));
  const file = join(folder, 'node_modules/opencode-ai/bin/opencode');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "console.log('ready'); setInterval(() => {}, 1000);");
  const child = spawn(process.execPath, [file, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const at = (dir: string): InstallTarget => ({ scope: { dir }, home: folder, env: () => undefined });
  return { pid: child.pid!, folder, here: at(folder), elsewhere: at(join(folder, 'elsewhere')) };
}

const OPENCODE = AGENTS.get('opencode')!;

// Only a system that shows command lines of processes has them seen.
const isShown = existsSync('/proc/self/cmdline');

describe('an agent that runs with a switch that leaves no trace', () => {
  it('is named while it runs, with its process and what to do, where the project is that should guard it', async () => {
    const { pid, here, elsewhere } = await running('run', 'hello', '--pure');
    const words = runningUnguarded(OPENCODE, here);
    expect(words).toEqual(
      isShown
        ? [
            `process ${pid} runs opencode with --pure, so that no plugin is loaded: end it and start it without`,
          ]
        : [],
    );
    expect(runningUnguarded(OPENCODE, elsewhere)).toEqual([]);
    expect(runningUnguarded(AGENTS.get('pi')!, here)).toEqual([]);
  });

  it.each([
    ['without the switch', ['run', 'hello']],
    ['with the word in what it is asked', ['run', '--', '--pure']],
    ['with a word that only begins so', ['run', '--purely']],
  ])('is not named %s', async (_what, words) => {
    const { here } = await running(...words);
    expect(runningUnguarded(OPENCODE, here)).toEqual([]);
  });
});
