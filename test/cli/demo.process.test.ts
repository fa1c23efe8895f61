/**
 * `harness demo` tells its whole story offline, as text and as data. Nothing of it stays, or all of it in a folder that is named.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Finished, harness, project } from './harness.ts';

describe('harness demo', () => {
  let told: Finished;
  const copy = join(project(), 'my-demo');

  beforeAll(async () => {
    told = await harness(['demo', copy]);
  });

  it('ends well and complains about nothing', () => {
    expect([told.code, told.stderr]).toEqual([0, '']);
  });

  it.each([
    ['a destructive command', 'blocked by command_guard: dangerous command blocked: recursive rm of /'],
    ['a path out of the workspace', 'blocked by path_guard: write outside the workspace blocked'],
    ['raw execution', 'blocked by prefer_named_tools: raw program execution is not offered'],
    [
      'editing its own hooks',
      'blocked by meta_tool_guard: .harness/hooks/command_guard.md is the policy of this agent',
    ],
    ['a secret in a result', 'rewritten by redact_secrets: content'],
    ['what the model reads of it', 'RELEASE_TOKEN=[redacted]'],
    ['a busy service', 'attempt 1 failed: too many requests'],
    ['a stop that is sent back', 'sent back by verify_before_stop'],
    ['work that is done after all', '3 of 3 changes are in RELEASE.md'],
    ['an answer that is too long', 'answer thrown away by completion_window_guard'],
  ])('shows %s', (_title, text) => {
    expect(told.stdout.replace(/\s+/g, ' ')).toContain(text);
  });

  it('never shows the secret, nor a colour off a terminal', () => {
    expect(told.stdout).not.toContain('sk-demo');
    expect(told.stdout).not.toContain('\u001b');
  });

  it('keeps the secret out of both records of the run', () => {
    for (const record of ['transcript', 'tape']) {
      const path = new RegExp(`^${record}\\s+(\\S+)$`, 'm').exec(told.stdout)![1]!;
      const text = readFileSync(path, 'utf8');
      expect(text).toContain('config/service.env');
      expect(text).not.toContain('sk-demo-9f8e');
    }
  });

  it('ends with counters, the transcript and what to try next', () => {
    const flat = told.stdout.replace(/\s+/g, ' ');
    expect(flat).toContain('tools 9 calls, 5 ran, 4 did not, 0 failed');
    expect(flat).toContain(
      'blocked 5: command_guard, path_guard, prefer_named_tools, meta_tool_guard, completion_window_guard',
    );
    expect(flat).toContain('audit.policy.deny 5');
    expect(flat).toContain(`Try next harness run ${copy} the same again`);
    expect(flat).toContain(`harness ui --dir ${copy} this run in a browser`);
  });

  it('prints what the picture in README shows', () => {
    const picture = readFileSync(
      join(dirname(fileURLToPath(import.meta.url)), '../../docs/demo.svg'),
      'utf8',
    );
    const texts = [...picture.matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, text]) => text!);
    const [typed, ...lines] = texts.map((text) =>
      text
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    );
    expect(typed).toBe('$ npx harness demo');
    expect(lines.length).toBeGreaterThan(15);
    const printed = told.stdout.split('\n');
    expect(lines.filter((line) => !printed.includes(line))).toEqual([]);
  });

  it('leaves a transcript of whole lines in the folder, where it can be run again', async () => {
    const path = /^transcript\s+(\S+)$/m.exec(told.stdout)![1]!;
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(40);
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: 'session', model: 'scripted' });
    expect(existsSync(join(copy, 'RELEASE.md'))).toBe(true);
    expect(readFileSync(join(copy, '.harness/hooks/command_guard.md'), 'utf8')).toContain('event: tool.pre');
    const again = await harness(['run', copy]);
    // The last prompt of the story does not come to a good end.
    expect(again.code).toBe(1);
    expect(again.stdout).toContain('blocked by command_guard');
  });

  it('leaves a tape that verifies, and replays with its hooks and without them', async () => {
    const tape = /^tape\s+(\S+)$/m.exec(told.stdout)![1]!;
    const verified = await harness(['tape', 'verify', tape, '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, firstBroken: null });
    for (const how of [[], ['--recorded']]) {
      const { code, stdout } = await harness(['replay', tape, '--json', ...how]);
      expect(code).toBe(0);
      const { decisions, differences, notReplayable } = JSON.parse(stdout);
      expect(differences).toEqual([]);
      expect(decisions).toBeGreaterThan(40);
      // The secret in the one file that is read is not on the tape.
      expect(notReplayable).toMatchObject([
        { event: 'tool.post', reason: expect.stringContaining('redacted') },
      ]);
    }
  });

  it('--json gives every event, and every decision that was not a plain allow right behind its event', async () => {
    const { code, stdout, stderr } = await harness(['demo', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter((line) => !('event' in line || 'outcome' in line))).toEqual([]);
    const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
    expect([events[0], events.at(-1)]).toEqual(['session.start', 'session.end']);
    expect(new Set(events)).toEqual(
      new Set([
        'session.start',
        'turn.start',
        'completion.pre',
        'completion.post',
        'tool.pre',
        'tool.post',
        'file.edited',
        'agent.stop',
        'turn.step',
        'turn.end',
        'session.end',
      ]),
    );
    const decisions = lines.flatMap(({ outcome }, i) => {
      if (outcome === undefined) return [];
      expect(lines[i - 1].event).toBe(outcome.event);
      return [`${outcome.event} ${outcome.action} ${outcome.hook}`];
    });
    expect(decisions).toEqual([
      'tool.pre block command_guard',
      'tool.pre block path_guard',
      'tool.pre block prefer_named_tools',
      'tool.pre block meta_tool_guard',
      'tool.post modify redact_secrets',
      'agent.stop block verify_before_stop',
      'completion.post block completion_window_guard',
    ]);
  });

  it('without a folder leaves nothing: no copy, no record of trust, no path that is gone', async () => {
    const [dir, TMPDIR] = [project(), project()];
    const { code, stdout } = await harness(['demo'], { cwd: dir, env: { HOME: dir, TMPDIR } });
    expect(code).toBe(0);
    expect([readdirSync(dir), readdirSync(TMPDIR)]).toEqual([[], []]);
    expect(stdout).not.toContain(TMPDIR);
    expect(stdout.replace(/\s+/g, ' ')).toContain('Try next harness demo my-demo ');
  });

  it('writes into no folder that has files, and takes no folder with --sandbox', async () => {
    const dir = project({ 'notes.txt': '' });
    const refused = await harness(['demo', dir]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('is not empty');
    expect(await harness(['demo', dir, '--sandbox'])).toMatchObject({ code: 2, stdout: '' });
    expect(readdirSync(dir)).toEqual(['notes.txt']);
  });
});
