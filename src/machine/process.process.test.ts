import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isGone, pidIn } from '../../test/support/pid-file.ts';
import { afterTime, until } from '../../test/support/until.ts';
import type { ProcessRequest, ProcessResult } from './host.ts';
import { runProcess } from './process.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'harness-process-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function shell(line: string, more: Partial<ProcessRequest> = {}, signal: AbortSignal | null = null) {
  return runProcess(
    { program: { shell: line }, cwd: dir, env: {}, stdin: '', timeoutMs: 100_000, ...more },
    signal,
  );
}

const isOnRecord = (file: string) => pidIn(join(dir, file)) !== null;

async function goes(file: string): Promise<void> {
  const pid = pidIn(join(dir, file));
  expect(pid).toBeGreaterThan(0);
  await until(() => isGone(pid!));
}

describe('a program that ends by itself', () => {
  it('gives its outputs, its exit code and nothing else', async () => {
    const result = await shell('cat; echo bad >&2; exit 3', { stdin: 'told' });
    const expected: Partial<ProcessResult> = {
      exitCode: 3,
      signal: null,
      stdout: 'told',
      stderr: 'bad\n',
      stdoutBytes: 4,
      invalidUtf8: [],
      flooded: false,
      timedOut: false,
      aborted: false,
      startError: null,
      leftBehind: 0,
    };
    expect(result).toMatchObject(expected);
  });

  it('runs without a shell, with each argument as it is', async () => {
    const argv = [process.execPath, '-e', 'console.log(process.argv[1])', '$HOME; "x"'];
    expect(await shell('', { program: { argv } })).toMatchObject({ exitCode: 0, stdout: '$HOME; "x"\n' });
  });

  it('runs in its folder with the added environment', async () => {
    const result = await shell('echo "$PWD $EXTRA"', { env: { EXTRA: 'more' } });
    expect(result.stdout).toBe(`${dir} more\n`);
  });

  it('names the signal it was killed by', async () => {
    expect(await shell('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('need not read its input, however long [C127]', async () => {
    const result = await shell('exec 0<&-; exit 0', { stdin: 'x'.repeat(4_000_000) });
    expect(result).toMatchObject({ exitCode: 0, startError: null });
  });

  it('can open its input by name, more than once', async () => {
    const result = await shell('cat /dev/stdin; cat /dev/stdin; cat', { stdin: 'told ' });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'told told told ' });
  });

  it('has a whole megabyte read to the last byte', async () => {
    const result = await shell('head -c 1048576 /dev/zero | tr "\\0" x; echo done >&2');
    expect(result.stdout.length).toBe(1048576);
    expect(result.stderr).toBe('done\n');
  });
});

describe('what cannot start', () => {
  it.each([
    ['a missing program', ['/no/such/program'], 'ENOENT'],
    ['a file without permission to run', [join(dir, 'plain')], 'EACCES'],
    ['an argument no program can get', ['/bin/echo', 'a\0b'], 'ERR_INVALID_ARG_VALUE'],
  ])('%s is a value with the code of the system', async (_name, argv, code) => {
    writeFileSync(join(dir, 'plain'), 'echo hi\n');
    const result = await shell('', { program: { argv } });
    expect(result).toMatchObject({ exitCode: null, startError: { code } });
  });

  it('a missing folder to run in is one too', async () => {
    expect(await shell('true', { cwd: join(dir, 'no') })).toMatchObject({ startError: { code: 'ENOENT' } });
  });
});

describe('a program that does not end', () => {
  it('is ended at its deadline, whatever it does about signals [C128]', async () => {
    const line = 'trap "" TERM INT HUP; echo $$ > stubborn; sleep 3600; sleep 3600';
    const result = await afterTime(
      300,
      () => isOnRecord('stubborn'),
      () => shell(line, { timeoutMs: 300 }),
    );
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    await goes('stubborn');
  });

  it('takes its children with it, also where they hold the pipes open [C128]', async () => {
    const result = await afterTime(
      300,
      () => isOnRecord('held'),
      () => shell('sleep 3600 & echo $! > held; wait', { timeoutMs: 300 }),
    );
    expect(result.timedOut).toBe(true);
    await goes('held');
  });

  it('takes along what has left its group', async () => {
    const controller = new AbortController();
    const line = 'setsid sh -c "echo \\$\\$ > away; exec sleep 60" & sleep 60';
    const ended = shell(line, {}, controller.signal);
    await until(() => isOnRecord('away'));
    controller.abort();
    expect(await ended).toMatchObject({ aborted: true });
    await goes('away');
  });

  it('is ended by an abort [C036] [C128]', async () => {
    const controller = new AbortController();
    const running = shell('echo $$ > gone; sleep 60', {}, controller.signal);
    await until(() => isOnRecord('gone'));
    controller.abort();
    const result = await running;
    expect(result).toMatchObject({ aborted: true, timedOut: false });
    await goes('gone');
  });

  it('never starts once the operation is aborted [C036]', async () => {
    const result = await shell('touch started', {}, AbortSignal.abort());
    expect(result).toMatchObject({ aborted: true, exitCode: null });
    expect(() => readFileSync(join(dir, 'started'))).toThrow();
  });

  it('is ended when it floods its output, and what was kept is bounded', async () => {
    const result = await shell('cat /dev/zero', { maxOutputBytes: 1000 });
    expect(result).toMatchObject({ flooded: true, timedOut: false });
    expect(result.stdout.length).toBe(1000);
  });
});

describe('output', () => {
  it('over the limit is counted but not kept, and the exit code still tells', async () => {
    const result = await shell('head -c 3000 /dev/zero; exit 2', { maxOutputBytes: 1000 });
    expect(result).toMatchObject({ exitCode: 2, stdoutBytes: 3000, flooded: false });
    expect(result.stdout.length).toBe(1000);
  });

  it('that is not UTF-8 is flagged', async () => {
    expect(await shell('printf "a\\377b"; printf ok >&2')).toMatchObject({
      invalidUtf8: ['stdout'],
      stderr: 'ok',
    });
  });

  it('cut inside a character is still UTF-8', async () => {
    const result = await shell('printf "aéé"', { maxOutputBytes: 4 });
    expect(result).toMatchObject({ stdout: 'aé', invalidUtf8: [] });
  });
});

describe('what a program leaves running when it exits', () => {
  it('is ended with it, and counted [C128]', async () => {
    const result = await shell('sleep 3600 & echo $! > orphan; echo answer');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'answer\n', leftBehind: 1 });
    await goes('orphan');
  });

  it('is found even as a daemon with a session of its own', async () => {
    const line =
      'setsid sh -c "echo \\$\\$ > daemon; exec sleep 60" >/dev/null 2>&1 </dev/null & until [ -s daemon ]; do sleep 0.01; done; echo answer';
    expect(await shell(line)).toMatchObject({ exitCode: 0, stdout: 'answer\n', leftBehind: 1 });
    await goes('daemon');
  });

  it('may finish writing for a moment', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const running = shell('(until [ -e go ]; do sleep 0.01; done; echo late) & echo early');
      // Its deadline, and the moment that is given to what it left once it has exited.
      await until(() => vi.getTimerCount() === 2);
      await vi.advanceTimersByTimeAsync(200);
      writeFileSync(join(dir, 'go'), '');
      expect(await running).toMatchObject({ stdout: 'early\nlate\n', leftBehind: 0 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('programs that are started at the same moment', () => {
  it('each end what they left behind, and count their own', async () => {
    const lines = ['a', 'b', 'c'].map(
      (name) =>
        `setsid sh -c "echo \\$\\$ > of-${name}; exec sleep 60" >/dev/null 2>&1 </dev/null & until [ -s of-${name} ]; do sleep 0.01; done; echo ${name}`,
    );
    const results = await Promise.all(['true', ...lines].map((line) => shell(line)));
    expect(results.map(({ stdout, leftBehind }) => [stdout.trim(), leftBehind])).toEqual([
      ['', 0],
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    for (const name of ['a', 'b', 'c']) await goes(`of-${name}`);
  });

  it('wait for each other; one that is aborted before its turn never runs', async () => {
    const gone = new AbortController();
    const first = shell('echo first');
    const aborted = shell('touch aborted-ran', {}, gone.signal);
    const last = shell('echo last');
    gone.abort();
    expect(await aborted).toMatchObject({ aborted: true, exitCode: null });
    expect([(await first).stdout, (await last).stdout]).toEqual(['first\n', 'last\n']);
    expect(existsSync(join(dir, 'aborted-ran'))).toBe(false);
  });
});

it('many runs leave no listeners and no timers', async () => {
  const { signal } = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  // Files share a process: what others have waiting is not of these runs.
  const [before, waiting] = [process.listenerCount('exit'), timers()];
  await Promise.all(Array.from({ length: 8 }, () => shell('true', {}, signal)));
  expect(process.listenerCount('exit')).toBe(before);
  expect(timers()).toBeLessThan(waiting + 3);
});
