/**
 * Files without an end in a checkout, or named by a call: pipes, devices, links to them. Nothing of ours waits for them, and what
 * they stand in the place of is not silently gone.
 */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { repository } from './repository.ts';

const HOOK =
  '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("no")\n---\n';

const call = (command: string) => JSON.stringify({ id: '1', name: 'run_command', args: { command } });

describe('a file without an end', () => {
  it.each(['.harness/lib/x.star', '.harness/hooks/x.md', '.harness/data/x.json', 'packs.yaml'])(
    'in the place of %s: a pipe, or a link to a device',
    async (path) => {
      for (const make of ['pipe', 'link']) {
        const { dir, home, write } = repository({ '.harness/hooks/a.md': HOOK });
        write(
          'harness.md',
          path === 'packs.yaml' ? '---\nuse: [./packs.yaml]\n---\n' : '---\nstrict: true\n---\n',
        );
        write(`${path}.d/x`, '');
        if (make === 'pipe') execFileSync('mkfifo', [join(dir, path)]);
        else symlinkSync('/dev/zero', join(dir, path));
        const done = await harness(['decide', 'tool.pre'], {
          cwd: dir,
          env: { HOME: home },
          input: call('ls'),
        });
        expect([make, done.signal]).toEqual([make, null]);
        expect(done.stdout).toMatch(/^block/);
        const input = JSON.stringify({
          session_id: 's',
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: 'ls' },
          cwd: dir,
        });
        const hook = await harness(['hook', 'claude-code', 'PreToolUse', '--dir', dir], {
          cwd: dir,
          env: { HOME: home },
          input,
        });
        expect([make, hook.signal]).toEqual([make, null]);
        expect(hook.stdout).toContain('deny');
      }
    },
    60_000,
  );

  it.each([
    ['.harness/mcp.lock', ['mcp', '--', 'true'], 'cannot read'],
    ['.harness/transcripts/x.jsonl', ['run', '--continue', '--script', 's', '--prompt', 'x'], 'no session'],
    ['.harness/runs/x.jsonl', ['tape', 'verify'], 'not a regular file'],
  ])('in the place of %s', async (path, args, why) => {
    const { dir, home, write } = repository({
      '.harness/hooks/a.md': HOOK,
      s: 'completions: [{text: Done.}]\n',
    });
    write(`${path}.d/x`, '');
    symlinkSync('/dev/zero', join(dir, path));
    const done = await harness(args, { cwd: dir, env: { HOME: home } });
    expect([done.signal, done.code === 0, done.stdout + done.stderr]).toEqual([
      null,
      false,
      expect.stringContaining(why),
    ]);
  });

  it.each(['patch -p1 < /dev/zero', 'git apply /dev/zero', 'git apply pipe', 'patch -p1 -i pipe'])(
    'that a call names: %s',
    async (command) => {
      const { dir, home } = repository({ '.harness/hooks/a.md': HOOK });
      execFileSync('mkfifo', [join(dir, 'pipe')]);
      const done = await harness(['decide', 'tool.pre'], {
        cwd: dir,
        env: { HOME: home },
        input: call(command),
      });
      expect(done.signal).toBe(null);
      expect(done.stdout).toMatch(/^block/);
    },
    60_000,
  );
});
