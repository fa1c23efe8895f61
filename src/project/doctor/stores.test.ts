import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { tryLock } from '../../machine/file-lock.ts';
import { storeProblems } from './stores.ts';

const ELSEWHERE = '{"pid":7,"host":"elsewhere"}';

function problemsIn(files: Record<string, string>): { readonly dir: string; problems(): string[] } {
  const dir = tempProject(files);
  const env = (name: string) => (name === 'XDG_STATE_HOME' ? join(dir, 'state') : undefined);
  return { dir, problems: () => storeProblems([join(dir, '.harness/runs')], { env }) };
}

const HEAD = '{"harness":"run state","id":"0123456789abcdef","version":1}\n';

describe('damage that status and doctor name', () => {
  it('a damaged line of run state is named with its file', () => {
    const { dir, problems } = problemsIn({
      'state/harness/run/user.jsonl': `${HEAD}["set","k",1]\n${'\0'.repeat(50)}\n`,
      'state/harness/run/sessions/s1.jsonl': `${HEAD}["set","k",1]\n`,
    });
    expect(problems()).toEqual([
      expect.stringContaining(`${join(dir, 'state/harness/run/user.jsonl')} has 1 damaged line,`),
    ]);
  });

  it('a file that is no journal is named', () => {
    const { problems } = problemsIn({ 'state/harness/run/user.jsonl': 'something else\n' });
    expect(problems()).toEqual([expect.stringContaining('user.jsonl is no journal of run state')]);
  });
});

describe('locks that status and doctor name', () => {
  it.each([
    ['run state', 'state/harness/run/user.jsonl'],
    ['a session', 'state/harness/run/sessions/s1.jsonl'],
    ['the daemon', 'state/harness/daemon/daemon'],
    ['a tape', '.harness/runs/s1.jsonl'],
    ['an installation', 'state/harness/installs/install'],
    ['the pins of MCP servers', '.harness/mcp.lock'],
  ])('the lock of %s is named with its holder if the holder cannot be seen from here', (_name, file) => {
    const { dir, problems } = problemsIn({ [`${file}.lock`]: ELSEWHERE });
    const path = join(dir, file);
    expect(problems()).toEqual([
      expect.stringMatching(
        /^(\S+) is locked by process 7 on elsewhere since \d{4}\S+, and calls that need it are blocked: remove \1\.lock if/,
      ),
    ]);
    expect(problems()[0]).toContain(path);
  });

  it('a lock that a process of this machine holds for long is named for run state, not for a tape', () => {
    const { dir, problems } = problemsIn({ 'state/harness/run/x': '', '.harness/runs/x': '' });
    const files = ['state/harness/run/user.jsonl', '.harness/runs/s1.jsonl'].map((file) => join(dir, file));
    const locks = files.map((file) => tryLock(file));
    expect(problems()).toEqual([]);
    const before = Date.now() / 1000 - 60;
    for (const file of files) utimesSync(`${file}.lock`, before, before);
    expect(problems()).toEqual([
      expect.stringContaining(`user.jsonl is locked by process ${process.pid} on `),
    ]);
    for (const lock of locks) if ('release' in lock) lock.release();
  });

  it('a lock that is taken over by the next call is not named', () => {
    const { dir, problems } = problemsIn({ '.harness/runs/s1.jsonl.lock': '' });
    utimesSync(join(dir, '.harness/runs/s1.jsonl.lock'), 1, 1);
    expect(problems()).toEqual([]);
  });
});
