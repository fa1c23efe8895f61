import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ProcessRequest, ProcessResult } from './host.ts';
import { runProcess } from './process.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'harness-process-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function shell(line: string, more: Partial<ProcessRequest> = {}, signal: AbortSignal | null = null) {
  return runProcess(
    { program: { shell: line }, cwd: dir, env: {}, stdin: '', timeoutMs: 10_000, ...more },
    signal,
  );
}

/** The process whose id a script wrote into a file; true once it is gone (a zombie is gone). */
async function isGone(file: string): Promise<boolean> {
  const pid = Number(readFileSync(join(dir, file), 'utf8'));
  expect(pid).toBeGreaterThan(0);
  for (let i = 0; i < 100; i++) {
    try {
      if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return true;
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
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
    const result = await shell('trap "" TERM INT HUP; echo $$ > stubborn; sleep 60; sleep 60', {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    expect(result.ms).toBeLessThan(9000);
    expect(await isGone('stubborn')).toBe(true);
  });

  it('takes its children with it, also where they hold the pipes open [C128]', async () => {
    const result = await shell('sleep 60 & echo $! > held; wait', { timeoutMs: 300 });
    expect(result.timedOut).toBe(true);
    expect(result.ms).toBeLessThan(9000);
    expect(await isGone('held')).toBe(true);
  });

  it('takes along what has left its group', async () => {
    const controller = new AbortController();
    const line = 'setsid sh -c "echo \\$\\$ > away; exec sleep 60" & sleep 60';
    const ended = shell(line, { timeoutMs: 60_000 }, controller.signal);
    await vi.waitFor(() => expect(readFileSync(join(dir, 'away'), 'utf8')).toMatch(/\n$/), 30_000);
    controller.abort();
    expect(await ended).toMatchObject({ aborted: true });
    expect(await isGone('away')).toBe(true);
  });

  it('is ended by an abort [C036] [C128]', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const result = await shell('echo $$ > gone; sleep 60', {}, controller.signal);
    expect(result).toMatchObject({ aborted: true, timedOut: false });
    expect(await isGone('gone')).toBe(true);
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
    const result = await shell('sleep 60 & echo $! > orphan; echo answer');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'answer\n', leftBehind: 1 });
    expect(result.ms).toBeLessThan(9000);
    expect(await isGone('orphan')).toBe(true);
  });

  it('is found even as a daemon with a session of its own', async () => {
    const line =
      'setsid sh -c "echo \\$\\$ > daemon; exec sleep 60" >/dev/null 2>&1 </dev/null & until [ -s daemon ]; do sleep 0.01; done; echo answer';
    expect(await shell(line)).toMatchObject({ exitCode: 0, stdout: 'answer\n', leftBehind: 1 });
    expect(await isGone('daemon')).toBe(true);
  });

  it('may finish writing for a moment', async () => {
    const result = await shell('(sleep 0.03; echo late) & echo early');
    expect(result).toMatchObject({ stdout: 'early\nlate\n', leftBehind: 0 });
  });
});

describe('programs that are started at the same moment', () => {
  it('each end what they left behind, and count their own', async () => {
    const lines = ['a', 'b', 'c'].map(
      (name) =>
        `setsid sh -c "echo \\$\\$ > of-${name}; exec sleep 60" >/dev/null 2>&1 </dev/null & sleep 0.2; echo ${name}`,
    );
    const results = await Promise.all(['true', ...lines].map((line) => shell(line)));
    expect(results.map(({ stdout, leftBehind }) => [stdout.trim(), leftBehind])).toEqual([
      ['', 0],
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    for (const name of ['a', 'b', 'c']) expect(await isGone(`of-${name}`)).toBe(true);
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
