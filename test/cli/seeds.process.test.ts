/** The samples of the five documents, typed as their users would, through the built command. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const SAMPLE = readFileSync(new URL('../seeds/samples/SecurityValidator.ts.txt', import.meta.url), 'utf8');
const ROOT = `rm -${'rf'} /`;

const decided = async (dir: string, event: string, payload: unknown) =>
  JSON.parse(
    (await harness(['decide', event, '--dir', dir, '--json'], { input: JSON.stringify(payload) })).stdout,
  );

const bash = (command: string, name = 'Bash') => ({ id: '1', name, args: { command } });

describe('The Harness Framework: the configuration of the page', () => {
  const dir = project({
    '.harness/settings.json': JSON.stringify({
      hooks: {
        SessionStart: [{ path: 'hooks/LoadContext.ts', timeout: 5000 }],
        PreToolUse: [
          { path: 'hooks/SecurityValidator.ts', timeout: 3000, matcher: { tool_name: 'Bash' } },
          { path: 'hooks/WriteProtector.ts', timeout: 3000, matcher: { tool_name: 'Write' } },
        ],
      },
    }),
    'hooks/LoadContext.ts': 'console.log("Current project: MyApp (v2.3.1)");\n',
    'hooks/SecurityValidator.ts': SAMPLE,
    'hooks/WriteProtector.ts':
      'import { readFileSync } from "fs";\nconsole.log(JSON.stringify({ decision: "block", message: readFileSync(0, "utf8") }));\nprocess.exit(2);\n',
  });

  it('the TypeScript sample, unchanged, blocks the deletion of the root, twice: also with what the first run has kept', async () => {
    for (const _ of ['first', 'second'])
      expect(await decided(dir, 'tool.pre', bash(ROOT))).toMatchObject({
        action: 'block',
        hook: 'SecurityValidator',
        reason: 'Blocked: recursive deletion of root filesystem',
      });
    expect(await decided(dir, 'tool.pre', bash('ls'))).toMatchObject({ action: 'allow' });
  });

  it('a matcher that names a tool by its other name has the script see the name it was written for', async () => {
    expect(await decided(dir, 'tool.pre', bash(`${ROOT}x`, 'run_command'))).toMatchObject({
      hook: 'SecurityValidator',
    });
    const { reason } = await decided(dir, 'tool.pre', { id: '1', name: 'write_file', args: { path: 'a' } });
    expect(JSON.parse(reason)).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { path: 'a', file_path: 'a' },
    });
  });

  it.each([
    [
      'The Harness Framework',
      { session_id: 'abc', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: ROOT } },
    ],
    ['Loom', { event: 'tool.pre', turnIndex: 0, toolName: 'Bash', toolInput: { command: ROOT } }],
    ['Harn', { event: 'PreToolUse', tool: { name: 'Bash', args: { command: ROOT } }, tool_call_id: 'c1' }],
  ])('decide reads the payload as %s prints it', async (_system, payload) => {
    expect(await decided(dir, 'PreToolUse', payload)).toMatchObject({
      hook: 'SecurityValidator',
      payload: { name: 'Bash', args: { command: ROOT } },
    });
  });

  it('a call that is named twice is refused, not chosen between', async () => {
    const twice = { toolName: 'ls', tool_name: 'Bash', tool_input: { command: ROOT } };
    expect(await decided(dir, 'PreToolUse', twice)).toMatchObject({
      action: 'block',
      reason: 'tool.pre: the tool has no name',
    });
  });

  it('"SessionStart hook injecting project context"', async () => {
    expect((await decided(dir, 'SessionStart', null)).effects).toMatchObject([
      { kind: 'context', text: 'Current project: MyApp (v2.3.1)' },
    ]);
  });
});

describe('AI Harness: "harness validate exits non-zero on any of the above"', () => {
  const hook = (fields: string) => project({ '.harness/hooks/command_guard.md': `---\n${fields}\n---\n` });
  const handler = (line: string) =>
    `event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      ${line}`;

  it.each([
    ['event: tool.before\npriority: 1', 'hooks[0].event "tool.before" is invalid'],
    ['priority: 1', 'hook "command_guard": event field is required in frontmatter'],
    ['event: tool.pre\nwhen: [', 'parse hook command_guard.md: yaml: line 3: '],
    ['event: tool.pre\nscript: 42', 'parse hook command_guard.md: yaml: line 3: script must be a string'],
  ])('%j: %s', async (fields, message) => {
    const { code, stdout } = await harness(['validate', hook(fields)]);
    expect(code).toBe(1);
    expect(stdout).toContain(message);
  });

  it('"a hook that returns 42 will load fine and warn at dispatch time"; under strict it is an error', async () => {
    const dir = hook(handler('return 42'));
    expect(await harness(['validate', dir])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('RETURN_TYPE'),
    });
    expect((await decided(dir, 'tool.pre', bash('ls'))).trace[0]).toMatchObject({
      decision: 'allow',
      warnings: ['handle returned 42, not a decision: treated as allow()'],
    });
    const strict = project({
      'harness.md': '---\nstrict: true\n---\n',
      '.harness/hooks/a.md': `---\n${handler('return 42')}\n---\n`,
    });
    expect(await harness(['validate', strict])).toMatchObject({ code: 1 });
  });
});
