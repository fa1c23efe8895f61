import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { forgetGone, snapshotFolder } from './place.ts';

describe('heap snapshots', () => {
  it('go with the policy folder they were made for, and no others do', () => {
    const state = tempProject();
    const host = { env: (name: string) => (name === 'XDG_STATE_HOME' ? state : undefined) };
    const [here, gone] = [tempProject(), join(tempProject(), 'gone')];
    const [kept, left] = [here, gone].map((dir) => snapshotFolder(host, dir)!) as [string, string];
    for (const folder of [kept, left]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'heap'), '');
    }
    forgetGone(host);
    expect([kept, left].map((folder) => existsSync(join(folder, 'heap')))).toEqual([true, false]);
  });
});
