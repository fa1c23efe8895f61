/**
 * Tapes as a body of evidence: many runs in a folder, searched, summed up by day, and taken away with a record of it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TapeRecord } from '../../src/tape/entry.ts';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../support/tape.ts';
import { harness, hookFile, project, write } from './harness.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00Z');

interface Made {
  readonly records?: TapeRecord[];
  readonly at?: number;
  readonly session?: string;
}

function tapeIn(
  dir: string,
  name: string,
  { records = blockedCall(1), at = NOON, session = name }: Made = {},
): string {
  const path = join(dir, '.harness/runs', `${name}.jsonl`);
  const started = new Date(at).toISOString();
  writeTape(path, records, { header: tapeHeader({ session, started }), now: () => at });
  return path;
}

/** Three runs: the oldest blocked `sudo ls`, the next had a failure, the newest blocked something else. */
function runs(): string {
  const dir = project();
  tapeIn(dir, 'c0ffee-old', { at: NOON - 2 * DAY });
  tapeIn(dir, 'abc-middle', { at: NOON - DAY, records: failedCall(1) });
  tapeIn(dir, 'abd-new', { records: blockedCall(1, 'sudo Cat /etc/shadow') });
  return dir;
}

const lines = (text: string) => text.trimEnd().split('\n');
const values = (text: string) => lines(text).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('tapes by name', () => {
  it('lists the newest first, in the project here, and only since a time', async () => {
    const cwd = runs();
    const all = JSON.parse((await harness(['tape', 'ls', '--json'], { cwd })).stdout);
    expect(all.tapes.map((tape: { session: string }) => tape.session)).toEqual([
      'abd-new',
      'abc-middle',
      'c0ffee-old',
    ]);
    const some = await harness(['tape', 'ls', '--json', '--since', '2026-03-09T00:00:00Z'], { cwd });
    expect(JSON.parse(some.stdout).totals.sessions).toBe(2);
    const wrong = await harness(['tape', 'ls', '--since', 'yesterday'], { cwd });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--since wants a date or a span such as 7d or 12h, got "yesterday"');
  });

  it('takes the beginning of a name wherever a tape is named', async () => {
    const cwd = runs();
    for (const words of [
      ['tape', 'show', 'abd'],
      ['tape', 'verify', 'abd'],
      ['tape', 'stats', 'abd'],
      ['tape', 'show', '.harness/runs/abd'],
      ['replay', 'abd', '--recorded'],
      ['backtest', 'abd', '--no-self-check'],
    ]) {
      const { code, stderr } = await harness(words, { cwd });
      expect(stderr, words.join(' ')).not.toContain('error');
      expect(code, words.join(' ')).not.toBe(2);
    }
  });

  it('takes the beginning of a session whose file has another name', async () => {
    const cwd = runs();
    tapeIn(cwd, 'id-1234', { session: 'strange/session' });
    const { stdout } = await harness(['tape', 'show', 'strange'], { cwd });
    expect(stdout).toContain('strange/session');
  });

  it('names the candidates of a beginning that is not enough, and says where it looked', async () => {
    const cwd = runs();
    const two = await harness(['tape', 'show', 'ab'], { cwd });
    expect(two.code).toBe(2);
    expect(two.stderr).toContain('"ab" fits 2 tapes: abc-middle, abd-new');
    const none = await harness(['tape', 'show', 'zzz'], { cwd });
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/no such file or folder: "zzz", and no tape in ".*runs" begins so/);
  });

  it('shows the newest of a project and says which', async () => {
    const cwd = runs();
    const { stdout, stderr } = await harness(['tape', 'show', '.'], { cwd });
    expect(stderr).toContain('the newest of 3 tapes');
    expect(stdout).toContain('abd-new');
    expect((await harness(['tape', 'repair', '.'], { cwd })).stderr).toContain('holds 3 tapes; name one');
  });
});

describe('tape find', () => {
  it('finds decisions by text, hook, tool, decision, event, failure and time', async () => {
    const cwd = runs();
    const found = async (...words: string[]) =>
      (await harness(['tape', 'find', ...words, '--json'], { cwd })).stdout.matchAll(/"session":"([^"]+)"/g);
    const sessions = async (...words: string[]) => [...(await found(...words))].map(([, session]) => session);
    expect(await sessions()).toEqual(['abd-new', 'abc-middle', 'c0ffee-old']);
    expect(await sessions('.', 'cat /ETC')).toEqual(['abd-new']);
    expect(await sessions('cat /ETC')).toEqual(['abd-new']);
    expect(await sessions('.', 'no such text')).toEqual([]);
    expect(await sessions('--hook', 'command_*')).toEqual(['abd-new', 'c0ffee-old']);
    expect(await sessions('--tool', 'read_file')).toEqual(['abc-middle']);
    expect(await sessions('--decision', 'allow')).toEqual(['abc-middle']);
    expect(await sessions('--event', 'turn.start')).toEqual([]);
    expect(await sessions('--failures')).toEqual(['abc-middle']);
    expect(await sessions('--since', '2026-03-10')).toEqual(['abd-new']);
    expect(await sessions('--limit', '1')).toEqual(['abd-new']);
  });

  it('prints a line a decision with the run, the call and why', async () => {
    const cwd = runs();
    const { stdout } = await harness(['tape', 'find', '--decision', 'block'], { cwd });
    expect(lines(stdout)[0]).toMatch(
      /^2026-03-10 12:00:00 {2}abd-new:1 {2}tool\.pre +block +run_command sudo Cat \/etc\/shadow {2}command_guard: sudo is not allowed$/,
    );
    expect(lines(stdout).at(-1)).toBe('2 decisions on 2 of 3 tapes');
  });

  it('gives the same with the index, without it, and with one that is damaged or lies about a tape', async () => {
    const cwd = runs();
    const index = join(cwd, '.harness/runs/find.index');
    const find = async (...more: string[]) =>
      (await harness(['tape', 'find', '.', 'sudo', '--json', ...more], { cwd })).stdout;
    const first = await find();
    expect(values(first)).toHaveLength(2);
    const written = readFileSync(index, 'utf8');
    expect(await find()).toBe(first);
    expect(readFileSync(index, 'utf8')).toBe(written);
    for (const damaged of [
      '',
      'no json\n',
      written.slice(0, -40),
      written.replace('"index":1', '"index":0'),
    ]) {
      writeFileSync(index, damaged);
      expect(await find()).toBe(first);
      expect(readFileSync(index, 'utf8')).toBe(written);
    }
    // An index that hides what a tape holds cannot be seen through; --fresh does not look at it.
    writeFileSync(index, written.replaceAll('"block"', '"allow"').replaceAll('"run_command"', '"x"'));
    expect(await find('--tool', 'run_command')).toBe('');
    expect(await find('--tool', 'run_command', '--fresh')).toBe(first);
    rmSync(index);
    expect(await find()).toBe(first);
  });

  it('reads a tape anew that changed, also if its size and time did not', async () => {
    const cwd = runs();
    const find = async () => (await harness(['tape', 'find', '.', 'sudo', '--json'], { cwd })).stdout;
    expect(values(await find())).toHaveLength(2);
    const path = join(cwd, '.harness/runs/c0ffee-old.jsonl');
    const before = linesOf(path);
    utimesSync(path, 1000, 1000);
    await find();
    rmSync(path);
    tapeIn(cwd, 'c0ffee-old', { records: blockedCall(1, 'echo it') });
    const after = readFileSync(path, 'utf8').replace('sudo is not allowed', 'echo is not allowed');
    writeFileSync(path, after.padEnd(before.join('\n').length + 1).slice(0, before.join('\n').length + 1));
    utimesSync(path, 1000, 1000);
    const index = readFileSync(join(cwd, '.harness/runs/find.index'), 'utf8');
    await find();
    expect(readFileSync(join(cwd, '.harness/runs/find.index'), 'utf8')).not.toBe(index);
  });

  it('names a file that is no tape, goes on, and exits 1', async () => {
    const cwd = runs();
    writeFileSync(join(cwd, '.harness/runs/bad.jsonl'), 'nothing\n');
    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await harness(['tape', 'find', '--decision', 'block'], { cwd });
      expect(code).toBe(1);
      expect(stderr).toContain('is not a tape');
      expect(stdout).toContain('2 decisions on 2 of 4 tapes');
    }
  });

  it('says how to look for a text that is also a folder', async () => {
    const cwd = runs();
    writeFileSync(join(cwd, '.harness/runs/../note.txt'), '');
    const { code, stderr } = await harness(['tape', 'find', join('.harness', 'runs', '..')], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('to look for the text write: tape find . ');
  });
});

describe('tape export', () => {
  it('gives every entry as a line, with its tape, and only since a time', async () => {
    const cwd = runs();
    const { code, stdout } = await harness(['tape', 'export', '--jsonl'], { cwd });
    expect(code).toBe(0);
    const all = values(stdout);
    expect(all.filter(({ kind }) => kind === 'decision')).toHaveLength(3);
    expect(all.filter(({ kind }) => kind === 'closed')).toHaveLength(3);
    expect(all.find(({ session }) => session === 'abd-new')).toMatchObject({
      kind: 'decision',
      seq: 1,
      action: 'block',
      hook: 'command_guard',
      fired: { payload: { args: { command: 'sudo Cat /etc/shadow' } } },
    });
    const some = await harness(['tape', 'export', '--jsonl', '--since', '2026-03-10'], { cwd });
    expect(values(some.stdout).filter(({ kind }) => kind === 'decision')).toHaveLength(1);
    expect((await harness(['tape', 'export'], { cwd })).code).toBe(2);
  });
});

describe('tape stats', () => {
  it('counts by day', async () => {
    const cwd = runs();
    const { days } = JSON.parse((await harness(['tape', 'stats', '--json'], { cwd })).stdout);
    expect(days).toEqual([
      { day: '2026-03-08', tapes: 1, decisions: 1, blocks: 1, asks: 0, rewrites: 0, failures: 0 },
      { day: '2026-03-09', tapes: 1, decisions: 1, blocks: 0, asks: 0, rewrites: 0, failures: 1 },
      { day: '2026-03-10', tapes: 1, decisions: 1, blocks: 1, asks: 0, rewrites: 0, failures: 0 },
    ]);
    expect((await harness(['tape', 'stats'], { cwd })).stdout).toMatch(/2026-03-09 +1 +1 +0 +0 +0 +1/);
  });
});

describe('tape prune', () => {
  const names = (cwd: string) =>
    readdirSync(join(cwd, '.harness/runs'))
      .filter((name) => name.endsWith('.jsonl'))
      .sort();

  it('removes nothing without --yes, and says what would go', async () => {
    const cwd = runs();
    const { code, stdout, stderr } = await harness(['tape', 'prune'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/would go {2}.*abc-middle/);
    expect(stdout).toContain('old enough and kept: 2 blocked');
    expect(stderr).toContain('nothing was removed; --yes does it');
    expect(names(cwd)).toHaveLength(3);
  });

  it('leaves on a tape of its own what went: session, counts and the head of the chain', async () => {
    const cwd = runs();
    const head = linesOf(join(cwd, '.harness/runs/c0ffee-old.jsonl')).length - 1;
    const words = ['tape', 'prune', '--older', '2026-03-09', '--keep', 'none', '--yes'];
    expect((await harness(words, { cwd })).stdout).toContain(
      '1 tape (0.0 MB) gone, on record in harness.pruned.jsonl',
    );
    expect(names(cwd)).toEqual(['abc-middle.jsonl', 'abd-new.jsonl', 'harness.pruned.jsonl']);
    const checkpoint = await harness(['tape', 'show', 'harness.pruned', '--json'], { cwd });
    expect(values(checkpoint.stdout)[0]).toMatchObject({
      kind: 'pruned',
      data: {
        session: 'c0ffee-old',
        entries: head,
        decisions: 1,
        blocks: 1,
        head: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect((await harness(['tape', 'verify', 'harness.pruned'], { cwd })).code).toBe(0);
    // What it says happened is nobody's run.
    expect((await harness(['tape', 'show', '.'], { cwd })).stdout).toContain('abd-new');
    // It is gone on with, and never goes itself.
    await harness(['tape', 'prune', '--older', '0m', '--keep', 'none', '--yes'], { cwd });
    expect(names(cwd)).toEqual(['harness.pruned.jsonl']);
    expect((await harness(['tape', 'verify', 'harness.pruned'], { cwd })).code).toBe(0);
  });

  it('keeps to a size, the oldest first, and says if it cannot', async () => {
    const cwd = runs();
    const words = ['tape', 'prune', '--max-size', '2KB', '--json'];
    const dry = JSON.parse((await harness([...words, '--keep', 'none'], { cwd })).stdout);
    expect(dry.tapes.map((tape: { session: string }) => tape.session)).toEqual(['c0ffee-old', 'abc-middle']);
    const { stderr } = await harness(['tape', 'prune', '--max-size', '1KB'], { cwd });
    expect(stderr).toContain('still larger than --max-size');
  });

  it('keeps what is not proven or being written', async () => {
    const cwd = runs();
    const path = join(cwd, '.harness/runs/abc-middle.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('a.md', 'b.md'));
    const { stdout } = await harness(['tape', 'prune', '--keep', 'none', '--yes'], { cwd });
    expect(stdout).toContain('kept: 1 not proven');
    expect(existsSync(path)).toBe(true);
  });
});

describe('explain TAPE SEQ', () => {
  it('tells a recorded decision in the words of decide --explain', async () => {
    const guard = (word: string, priority: number) =>
      hookFile(`event: tool.pre
priority: ${priority}
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      return block("no ${word}") if "${word}" in payload["args"]["command"] else allow()`);
    const cwd = project({
      'harness.md': '---\nname: tester\n---\n',
      '.harness/hooks/first.md': guard('one', 10),
      '.harness/hooks/second.md': guard('two', 20),
      '.harness/hooks/third.md': guard('three', 30),
      '.harness/tools/run_command.md': readFileSync(
        new URL('../../src/cli/init/templates/tools/run_command.md', import.meta.url),
      ),
      'script.yaml':
        'completions:\n  - tool_calls: [{name: run_command, args: {command: echo two}}]\n  - text: Done.\n',
    });
    await harness(['run', '--script', 'script.yaml', '--prompt', 'go'], { cwd });
    const [hit] = values(
      (await harness(['tape', 'find', '--tool', 'run_command', '--decision', 'block', '--json'], { cwd }))
        .stdout,
    );
    const id = String(hit!.session).slice(0, 8);
    const then = await harness(['explain', id, String(hit!.seq)], { cwd });
    expect(then.code).toBe(0);
    expect(await harness(['explain', `${id}:${hit!.seq}`], { cwd })).toEqual(then);
    const noTape = await harness(['explain', 'nosuch:8'], { cwd });
    expect(noTape.stdout).toContain('It is read as:');
    const payload = JSON.stringify(hit!.payload);
    const now = await harness(['decide', 'tool.pre', '--payload', '-', '--explain'], { cwd, input: payload });
    const told = (text: string) => {
      const all = lines(text);
      const chain = all.findIndex((line) => line.startsWith('The chain has'));
      const outcome = all.find((line) => line.trimStart().startsWith('Outcome:'));
      const hooks = all
        .filter((line) => /^ +\d+\. /.test(line))
        .map((line) => line.trim().split(/ {2,}/).slice(0, 4));
      return { chain: all[chain], hooks, outcome };
    };
    expect(told(then.stdout)).toEqual(told(now.stdout));
    expect(told(then.stdout).outcome).toContain(
      'Outcome: block by second (.harness/hooks/second.md:7): no two.',
    );
    expect(then.stdout).toMatch(/second +block +when payload\["name"\] == "run_command" is true, /);
    // Of a hook that has changed since, a tape knows the file and no more.
    write(cwd, '.harness/hooks/second.md', guard('four', 20));
    const later = await harness(['explain', id, String(hit!.seq)], { cwd });
    expect(told(later.stdout).outcome).toContain(
      'Outcome: block by second (.harness/hooks/second.md): no two.',
    );
    expect(later.stdout).toMatch(/first +allow +when payload\["name"\] == "run_command" is true, /);
    expect(later.stdout).toMatch(/second +block +\.harness\/hooks\/second\.md, /);
    const wrong = await harness(['explain', id, 'two'], { cwd });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('a TAPE and the number of an entry; got "two"');
  });
});
