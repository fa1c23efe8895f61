import { describe, expect, it } from 'vitest';
import { SettingsProject, sh } from '../../../test/support/settings-project.ts';

const nested = (command: string, args?: string[]) => ({
  hooks: {
    PreToolUse: [{ matcher: '', hooks: [{ type: 'command', command, ...(args && { args }), timeout: 20 }] }],
  },
});

const TYPED = `#!/usr/bin/env bun
const said: string = "no";
console.error(said);
process.exit(2);
`;

const judged = async (command: string, scripts: Readonly<Record<string, string>> = {}) => {
  const project = new SettingsProject(nested(command), scripts);
  const { reason } = await project.decide('PreToolUse', { name: 'Bash', args: {} });
  return { reason, problems: await project.problems() };
};

describe('a command of the nested form', () => {
  it.each([
    './hooks/guard.ts',
    'hooks/guard.ts',
    '$CLAUDE_PROJECT_DIR/hooks/guard.ts',
    '"$CLAUDE_PROJECT_DIR"/hooks/guard.ts',
    '"$CLAUDE_PROJECT_DIR/hooks/guard.ts"',
    `\${CLAUDE_PROJECT_DIR}/hooks/guard.ts`,
    'bun hooks/guard.ts',
    'bun run "$CLAUDE_PROJECT_DIR/hooks/guard.ts"',
  ])('that only names a TypeScript file runs it with what there is: %s', async (command) => {
    expect(await judged(command, { 'hooks/guard.ts': TYPED })).toEqual({ reason: 'no', problems: [] });
  });

  it.each([
    ['no-such-program --check', 'COMMAND_MISSING', 'the program no-such-program is not on this machine'],
    ['./hooks/gone.sh', 'COMMAND_MISSING', './hooks/gone.sh does not exist'],
    ['./notes.txt', 'COMMAND_NOT_EXECUTABLE', './notes.txt is not executable: chmod +x ./notes.txt'],
    ['./gone.ts', 'COMMAND_MISSING', 'script ./gone.ts does not exist'],
    ['bash hooks/gone.sh', 'COMMAND_MISSING', 'hooks/gone.sh does not exist'],
    ['/bin/sh "$CLAUDE_PROJECT_DIR/gone.sh" x', 'COMMAND_MISSING', '/gone.sh does not exist'],
    ['node gone.mjs', 'COMMAND_MISSING', 'gone.mjs does not exist'],
  ])('that cannot run is a problem before it is called: %s', async (command, code, message) => {
    const project = new SettingsProject(nested(command));
    project.write('notes.txt', '', 0o644);
    expect(await project.problems()).toEqual([expect.stringMatching(new RegExp(`^\\d+:\\d+ ${code} `))]);
    expect((await project.problems())[0]).toContain(message);
  });

  it.each([
    'test -f x || exit 0',
    'FOO=1 no-such-program',
    'no-such-program | cat',
    'echo hi',
    'sh -c "exit 0"',
    'node hooks/without-ending',
    'cd hooks && ./x.ts',
    '$HOOK --run',
  ])('that the shell has to read is left to the shell: %s', async (command) => {
    expect(await new SettingsProject(nested(command)).problems()).toEqual([]);
  });

  it('with arguments is a program that must be there', async () => {
    const project = new SettingsProject(nested('no-such-program', ['-x']));
    expect(await project.problems()).toEqual([expect.stringContaining('COMMAND_MISSING')]);
    expect(await new SettingsProject(nested('sh', ['-c', 'exit 0'])).problems()).toEqual([]);
  });

  it('a script in shell still runs in the shell', async () => {
    const script = sh('echo "$0" >&2; exit 2');
    expect(await judged('./hooks/a.sh', { 'hooks/a.sh': script })).toEqual({
      reason: './hooks/a.sh',
      problems: [],
    });
  });
});
