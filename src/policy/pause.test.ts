import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { isManaged } from '../machine/index.ts';
import { currentPause, LONGEST_PAUSE_MS, pauseText, readPause } from './pause.ts';

const PAUSE = { since: 1000, until: 5000, reason: 'locked out' };

describe('a pause', () => {
  it('holds from its beginning to its end, and not a moment longer', () => {
    const at = (now: number) => readPause(pauseText(PAUSE), now);
    expect([at(999), at(1000), at(4999), at(5000)]).toEqual([null, PAUSE, PAUSE, null]);
  });

  it('longer than anybody means is none', () => {
    const long = { ...PAUSE, until: PAUSE.since + LONGEST_PAUSE_MS + 1 };
    expect(readPause(pauseText(long), 2000)).toBe(null);
  });

  it('is nothing that is not written as one', () => {
    const texts = [
      '',
      '{',
      '[]',
      'null',
      '{"version":2}',
      pauseText(PAUSE).replace('5000', '"5000"'),
      ' '.repeat(20_000),
    ];
    for (const text of texts) expect(readPause(text, 2000)).toBe(null);
    fc.assert(
      fc.property(fc.string(), (text) => readPause(text, 2000) === null),
      { seed: 15 },
    );
  });

  it.skipIf(isManaged())('counts only in a folder and a file that nobody else can open', () => {
    const home = tempProject();
    const folder = join(home, 'harness');
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, 'pause.json');
    writeFileSync(file, pauseText(PAUSE), { mode: 0o600 });
    const host = { env: (name: string) => (name === 'XDG_STATE_HOME' ? home : undefined), now: () => 2000 };
    expect(currentPause(host)).toEqual(PAUSE);
    chmodSync(file, 0o644);
    expect(currentPause(host)).toBe(null);
    chmodSync(file, 0o600);
    chmodSync(folder, 0o755);
    expect(currentPause(host)).toBe(null);
  });

  it('is none where nothing is written', () => {
    expect(currentPause({ env: () => undefined, now: () => 2000 })).toBe(null);
    expect(currentPause({ env: () => tempProject(), now: () => 2000 })).toBe(null);
  });
});
