/** The way out of a lock-out, which only a person takes. */
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canBePerson, person } from '../support/person.ts';
import { remove } from '../support/remove.ts';

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'harness-pause-'));
  onTestFinished(() => remove(folder));
  mkdirSync(join(folder, 'work'));
  return folder;
}

describe.skipIf(!canBePerson)('a pause', () => {
  it('holds once a person has typed the word that is shown, and ends without one', async () => {
    const folder = home();
    const around = { cwd: join(folder, 'work'), env: { PATH: process.env.PATH, HOME: folder } };
    const file = join(folder, '.local/state/harness/pause.json');
    const line = ['pause', '--for', '10m', '--reason', 'x'];

    const guessed = await person(line, { ...around, types: () => 'yes' });
    expect(guessed).toMatchObject({ status: 1, said: expect.stringContaining('guards are on') });
    expect(existsSync(file)).toBe(false);

    expect(await person(line, around)).toMatchObject({ status: 0, said: expect.stringContaining('PAUSED') });
    expect(existsSync(file)).toBe(true);

    expect(await person(['pause', '--off'], around)).toMatchObject({ status: 0 });
    expect(existsSync(file)).toBe(false);
  });

  it('is refused in the shell of an agent, terminal or not', async () => {
    const folder = home();
    const env = { PATH: process.env.PATH, HOME: folder, CLAUDECODE: '1' };
    const refused = await person(['pause', '--for', '10m', '--reason', 'x'], { cwd: folder, env });
    expect(refused).toMatchObject({ status: 2, said: expect.stringContaining('a shell of Claude Code') });
  });
});
