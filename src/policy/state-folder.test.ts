/** Which stores of sessions are removed, and when. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeOrphanedSessions, removeSessions, SESSIONS_OF, sessionsOf } from './state-folder.ts';

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'harness-state-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const host = { env: (name: string) => (name === 'HOME' ? folder : undefined) };
  const storeOf = (project: string) => {
    const runs = join(folder, project, '.harness/runs');
    mkdirSync(runs, { recursive: true });
    const store = sessionsOf(runs, host);
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, SESSIONS_OF), runs);
    return store;
  };
  return { folder, host, storeOf };
}

it('a session store is removed once its project is gone, and the stores of other projects stay', () => {
  const { folder, host, storeOf } = home();
  const [here, gone] = [storeOf('here'), storeOf('gone')];
  rmSync(join(folder, 'gone'), { recursive: true });
  removeOrphanedSessions(host);
  expect([existsSync(here), existsSync(gone)]).toEqual([true, false]);
});

it('all session stores are removed together, and removing them from a home without any is no error', () => {
  const { host, storeOf } = home();
  removeSessions(host);
  const store = storeOf('here');
  removeSessions(host);
  removeOrphanedSessions(host);
  expect(existsSync(store)).toBe(false);
});
