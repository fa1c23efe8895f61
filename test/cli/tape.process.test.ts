/**
 * `harness tape` as a person uses it: the real command on real files, in good order and damaged.
 */
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSigningKey } from '../../src/tape/sign.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../support/tape.ts';
import { harness, project } from './harness.ts';

let dir: string;
let tape: string;

beforeAll(() => {
  dir = project();
  tape = join(dir, '.harness/runs/first.jsonl');
  writeTape(tape, [
    ...blockedCall(1),
    ...failedCall(2),
    { type: 'session', kind: 'message', data: { role: 'user', content: 'red \u001b[31m text' } },
  ]);
  writeTape(join(dir, '.harness/runs/second.jsonl'), blockedCall(1), {
    header: tapeHeader({ session: 'session-2' }),
  });
});

/** What the command printed as JSON, one value a line. */
async function json(...args: string[]): Promise<{ code: number | null; values: Record<string, unknown>[] }> {
  const { code, stdout } = await harness(['tape', ...args, '--json']);
  return {
    code,
    values: stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

function copyOf(change: (lines: string[]) => string[]): string {
  const path = join(project(), 'copy.jsonl');
  writeFileSync(
    path,
    change(linesOf(tape))
      .map((line) => `${line}\n`)
      .join(''),
  );
  return path;
}

describe('tape ls', () => {
  it('lists the sessions of a project with their counts', async () => {
    const { code, values } = await json('ls', dir);
    expect(code).toBe(0);
    expect(values[0]).toMatchObject({
      tapes: [
        { session: 'session-1', decisions: 2, blocks: 1, failures: 1, failOpens: 1, state: 'closed' },
        { session: 'session-2', decisions: 1, blocks: 1, failures: 0, state: 'closed' },
      ],
      totals: { sessions: 2, decisions: 3, blocks: 2, failures: 1 },
    });
    const { stdout } = await harness(['tape', 'ls', join(dir, '.harness/runs')]);
    expect(stdout).toContain('first.jsonl');
    expect(stdout).toContain(
      '2 sessions, 3 decisions, 2 blocks, 1 failure, 1 of which let the operation pass',
    );
  });

  it('names a file that is no tape, and exits 1', async () => {
    const bad = project({ 'a.jsonl': 'not a tape\n' });
    const { code, stdout, stderr } = await harness(['tape', 'ls', bad]);
    expect(code).toBe(1);
    expect(stdout).toContain('broken');
    expect(stderr).toContain('is not a tape');
  });
});

describe('tape show', () => {
  it('prints a timeline that no control character of the tape gets through', async () => {
    const { code, stdout } = await harness(['tape', 'show', tape]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 {2}tool\.pre +run_command +block +command_guard: sudo is not allowed/);
    expect(stdout).toContain('! broken_audit failed, allowed: nobody answered within 50 ms');
    expect(stdout).toContain('message');
    expect(stdout).not.toContain('\u001b');
  });

  it('leaves out that each call of a launcher began and ended a run, and tells a reason whole', async () => {
    const path = join(project(), 'launched.jsonl');
    const run = (number: number) =>
      ({ type: 'session', kind: 'run', data: { run: number, actor: { id: 'ann' } } }) as const;
    const closed = (entries: number) => ({ type: 'session', kind: 'closed', data: { entries } }) as const;
    const reason = `it is ${'very '.repeat(40)}dangerous`;
    writeTape(path, [
      run(7),
      ...blockedCall(1, 'sudo ls', reason),
      closed(7),
      run(8),
      ...blockedCall(2, 'sudo ls', reason),
    ]);
    const { stdout } = await harness(['tape', 'show', path]);
    const kinds = stdout
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/ +/)[1]);
    expect(kinds.filter((kind) => kind === 'run' || kind === 'closed')).toEqual(['run', 'closed']);
    expect(stdout.split('\n').filter((line) => line.endsWith(reason))).toHaveLength(2);
    const { values } = await json('show', path);
    expect(values.filter(({ kind }) => kind === 'run')).toHaveLength(2);
  });

  it.each([
    [['--decision', 'block'], [1]],
    [
      ['--event', 'PreToolUse'],
      [1, 4],
    ],
    [['--hook', 'broken_*'], [4]],
    [['--tool', 'run_command'], [1]],
    [['--failures'], [4]],
  ])('%j narrows it down', async (filter, seqs) => {
    const { values } = await json('show', tape, ...filter);
    expect(values.map((value) => value.seq)).toEqual(seqs);
  });

  it('--seq tells the story of the decision an entry is part of', async () => {
    const { stdout } = await harness(['tape', 'show', tape, '--seq', '6']);
    expect(stdout).toContain('broken_audit');
    expect(stdout).toContain('timeout (HOOK_TIMEOUT): nobody answered within 50 ms');
    expect(stdout).toContain('Outcome (entry 6): allow');
    const { values } = await json('show', tape, '--seq', '3');
    expect(values[0]).toMatchObject({
      seq: 1,
      action: 'block',
      calls: [{ hook: 'command_guard', vetoed: true }],
    });
  });
});

describe('tape verify', () => {
  it('proves a tape, and all tapes of a folder', async () => {
    expect(await json('verify', tape)).toMatchObject({
      code: 0,
      values: [{ ok: true, entries: 8, firstBroken: null }],
    });
    expect(await json('verify', dir)).toMatchObject({
      code: 0,
      values: [{ ok: true, entries: 12, firstBroken: null, tapes: [{ ok: true }, { ok: true }] }],
    });
  });

  it('names the first broken entry and exits 1', async () => {
    const changed = copyOf((lines) => lines.map((line) => line.replace('sudo ls', 'sudo rm')));
    expect(await json('verify', changed)).toMatchObject({ code: 1, values: [{ ok: false, firstBroken: 1 }] });
    const { code, stdout } = await harness(['tape', 'verify', changed]);
    expect(code).toBe(1);
    expect(stdout).toContain('entry 1 was changed');
  });

  it('with a key finds a tape that was written anew as a whole', async () => {
    const keys = project();
    const key = join(keys, 'audit');
    expect((await harness(['tape', 'keygen', key])).code).toBe(0);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const signed = join(keys, 'signed.jsonl');
    writeTape(signed, blockedCall(1), { sign: { key: readSigningKey(key) } });
    expect((await harness(['tape', 'verify', signed, '--key', `${key}.pub`])).code).toBe(0);
    const signature = readFileSync(`${signed}.sig`);
    const forged = join(keys, 'forged.jsonl');
    writeTape(forged, blockedCall(1, 'ls'));
    writeFileSync(`${forged}.sig`, signature);
    expect(await json('verify', forged, '--key', `${key}.pub`)).toMatchObject({
      code: 1,
      values: [{ ok: false }],
    });
    expect((await harness(['tape', 'keygen', key])).code).toBe(1);
  });
});

describe('tape repair', () => {
  it('names the process that holds the lock of a tape, and repairs a tape whose lock is empty', async () => {
    const cut = copyOf((lines) => lines.slice(0, 8));
    writeFileSync(`${cut}.lock`, '{"pid":7,"host":"elsewhere"}');
    const { stdout } = await harness(['tape', 'repair', cut]);
    expect(stdout).toMatch(/is locked by process 7 on elsewhere since \d{4}\S+: nothing was repaired/);
    writeFileSync(`${cut}.lock`, '');
    utimesSync(`${cut}.lock`, 1, 1);
    expect(await json('repair', cut)).toMatchObject({ code: 0, values: [{ repaired: true, ok: true }] });
  });

  it('ends a tape that was cut off, and touches nothing before', async () => {
    const cut = copyOf((lines) => lines.slice(0, 8));
    const before = readFileSync(cut);
    writeFileSync(cut, Buffer.concat([before, Buffer.from('{"prev":"12')]));
    expect(await json('verify', cut)).toMatchObject({
      code: 1,
      values: [{ firstBroken: 8, repairable: true }],
    });
    expect(await json('repair', cut)).toMatchObject({
      code: 0,
      values: [{ repaired: true, ok: true, entries: 9 }],
    });
    expect(readFileSync(cut).subarray(0, before.length)).toEqual(before);
    expect(await json('repair', cut)).toMatchObject({ code: 0, values: [{ repaired: false, ok: true }] });
  });

  it('leaves alone what was tampered with', async () => {
    const changed = copyOf((lines) => lines.toSpliced(3, 1));
    const before = readFileSync(changed);
    expect(await json('repair', changed)).toMatchObject({
      code: 1,
      values: [{ repaired: false, firstBroken: 3 }],
    });
    expect(readFileSync(changed)).toEqual(before);
  });

  it('waits for nobody: a tape that is being written is refused', async () => {
    const path = join(project(), 'open.jsonl');
    const writer = TapeWriter.open(path, { header: tapeHeader() });
    writer.note('x', 1);
    expect(await json('verify', path)).toMatchObject({ code: 0, values: [{ ok: true, state: 'open' }] });
    expect((await harness(['tape', 'repair', path])).stdout).toContain('is locked by process');
    writer.close();
  });
});

describe('tape stats', () => {
  it('adds up a folder, for people, as JSON and for Prometheus', async () => {
    const { values } = await json('stats', dir);
    expect(values[0]).toMatchObject({
      tapes: 2,
      decisions: 3,
      failures: 1,
      failOpens: 1,
      actions: { block: 2 },
    });
    const { stdout } = await harness(['tape', 'stats', dir, '--prometheus']);
    expect(stdout).toContain(
      'harness_fail_open_total{hook="broken_audit",event="tool.pre",cause="HOOK_TIMEOUT"} 1',
    );
    expect((await harness(['tape', 'stats', dir])).stdout).toMatch(
      /broken_audit +tool\.pre +HOOK_TIMEOUT +allowed +1/,
    );
  });
});

describe('wrong usage', () => {
  it.each([
    [['tape'], 'needs'],
    [['tape', 'keygen'], 'needs PATH'],
    [['tape', 'show', 'x', 'y'], 'does not take "y" as an argument'],
    [['tape', 'verfy', 'x'], 'did you mean verify?'],
    [['tape', 'ls', '/no/such/place'], 'no such file or folder'],
    [['tape', 'verify', 'x', '--prometheus'], 'does not take --prometheus'],
    [['tape', 'show', 'TAPE', '--seq', '0'], '--seq: expected'],
    [['tape', 'show', 'TAPE', '--seq', '99'], 'no entry 99'],
    [['tape', 'show', 'TAPE', '--seq', '1', '--failures'], 'takes no filter'],
    [['tape', 'show', 'TAPE', '--decision', 'deny'], 'wants one of'],
    [['tape', 'show', 'TAPE', '--event', 'tool.per'], 'tool.pre'],
    [['tape', 'repair', 'RUNS'], 'name one: first, second'],
    [['tape', 'stats', 'TAPE', '--json', '--prometheus'], 'exclude each other'],
  ])('%j exits 2 and says what was wanted', async (args, message) => {
    const real: Record<string, string> = { TAPE: tape, RUNS: join(dir, '.harness/runs') };
    const { code, stderr } = await harness(args.map((arg) => real[arg] ?? arg));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it.each(['show', 'verify', 'ls', 'stats', 'repair'])(
    'tape %s on garbage is no fault of the program',
    async (action) => {
      for (const content of ['', '\0\0\0\n\n', '{"tape":1}\n', `${'['.repeat(100_000)}\n`]) {
        const { code, stdout, stderr } = await harness([
          'tape',
          action,
          join(project({ 'x.jsonl': content }), 'x.jsonl'),
        ]);
        expect(code).toBe(1);
        expect(stdout + stderr).not.toContain('fault in harness');
      }
    },
  );
});
