import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { forgetUnused, markUsed, snapshotFolder, snapshotTimes, UNUSED_DAYS } from './place.ts';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;

function machine(now = NOW) {
  const state = tempProject();
  return { env: (name: string) => (name === 'XDG_STATE_HOME' ? state : undefined), now: () => now };
}

/** A folder with a snapshot that was made so many days ago. */
function made(host: ReturnType<typeof machine>, dir: string, days = 0): string {
  const folder = snapshotFolder(host, dir)!;
  mkdirSync(folder, { recursive: true });
  for (const name of ['heap', 'facts']) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), NOW / 1000 - days * 86_400, NOW / 1000 - days * 86_400);
  }
  return folder;
}

describe('heap snapshots', () => {
  it('go with the policy folder they were made for, and no others do', () => {
    const host = machine();
    const folders = [tempProject(), join(tempProject(), 'gone')].map((dir) => made(host, dir));
    forgetUnused(host);
    expect(folders.map((folder) => existsSync(join(folder, 'heap')))).toEqual([true, false]);
  });

  it('go when nothing was started from them for some weeks; those of folders inside stay', () => {
    const host = machine();
    const dir = tempProject({ 'inside/x': '' });
    const old = made(host, dir, UNUSED_DAYS + 1);
    const inside = made(host, join(dir, 'inside'), UNUSED_DAYS - 1);
    forgetUnused(host);
    expect([old, inside].map((folder) => existsSync(join(folder, 'heap')))).toEqual([false, true]);
    expect(snapshotTimes(host, dir)).toBeNull();
  });

  it('are used from a day to the next: when they were made stays what it was', () => {
    const host = machine();
    const dir = tempProject();
    made(host, dir, UNUSED_DAYS + 1);
    markUsed(host, dir);
    expect(snapshotTimes(host, dir)).toEqual({ made: NOW - (UNUSED_DAYS + 1) * DAY_MS, used: NOW });
    forgetUnused(host);
    expect(snapshotTimes(host, dir)).not.toBeNull();
  });
});
