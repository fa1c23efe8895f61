import { describe, expect, it } from 'vitest';
import { SettingsProject, sh } from '../../../test/support/settings-project.ts';
import { Engine } from '../../engine/engine.ts';
import type { Hook } from '../../engine/hook.ts';
import { Registry } from '../../engine/registry.ts';
import { RunState } from '../../engine/run-state.ts';
import { machineHost } from '../../machine/host.ts';

const OK = sh('exit 0');
const CALL = { name: 'Bash', args: { command: 'ls' } };

/** Prints the payload it got as its reason, so that a test sees what a hook sees. */
const MIRROR = sh('cat >&2; exit 2');

function preToolUse(...entries: readonly unknown[]): unknown {
  return { hooks: { PreToolUse: entries } };
}

describe('settings.json registers hooks [C149]', () => {
  it('the example of the specification, in the order of the file [C008]', async () => {
    const project = new SettingsProject(
      {
        hooks: {
          SessionStart: [{ path: 'hooks/LoadContext.sh', timeout: 5000 }],
          PreToolUse: [
            { path: 'hooks/SecurityValidator.sh', timeout: 3000, matcher: { tool_name: 'Bash' } },
            { path: 'hooks/WriteProtector.sh', timeout: 3000, matcher: { tool_name: 'Write' } },
          ],
          Stop: [{ path: 'hooks/SessionSummary.sh', timeout: 10000 }],
        },
      },
      Object.fromEntries(
        ['LoadContext', 'SecurityValidator', 'WriteProtector', 'SessionSummary'].map((name) => [
          `hooks/${name}.sh`,
          OK,
        ]),
      ),
    );
    const { hooks, problems } = await project.load();
    expect(problems).toEqual([]);
    const registry = new Registry(hooks);
    expect(registry.events()).toEqual(['agent.stop', 'session.start', 'tool.pre']);
    expect(
      registry.list('tool.pre').map((hook) => [hook.name, hook.timeoutMs, hook.condition?.text]),
    ).toEqual([
      ['SecurityValidator', 3000, 'tool_name = "Bash"'],
      ['WriteProtector', 3000, 'tool_name = "Write"'],
    ]);
    expect(registry.list('agent.stop')[0]!.timeoutMs).toBe(10_000);
  });

  it('a hook without a timeout has 5000 ms, fails open and cannot rewrite [C030] [C035]', async () => {
    const { hooks } = await new SettingsProject(preToolUse({ path: 'a.sh' }), { 'a.sh': OK }).load();
    expect(hooks[0]).toMatchObject({ timeoutMs: 5000, onError: 'allow', origin: 'project', priority: 0 });
    expect(hooks[0]!.frontEnd.powers.modify).toBe(false);
  });

  it('the policy and the mode of a hook can be stated', async () => {
    const entry = { path: 'a.sh', on_error: 'block', mode: 'shadow' };
    const { hooks } = await new SettingsProject(preToolUse(entry), { 'a.sh': OK }).load();
    expect(hooks[0]).toMatchObject({ onError: 'block', mode: 'shadow' });
  });

  it('one script registered twice has two names', async () => {
    const { hooks } = await new SettingsProject(preToolUse({ path: 'a.sh' }, { path: 'a.sh' }), {
      'a.sh': OK,
    }).load();
    expect(hooks.map((hook) => hook.name)).toEqual(['a', 'a (2)']);
  });

  it('a file without hooks, or no file, is fine', async () => {
    const { problems } = await new SettingsProject({ permissions: { allow: [] }, model: 'x' }).load();
    expect(problems.map((problem) => problem.code)).toEqual(['PROJECT_EMPTY']);
  });
});

describe('what a hook sees', () => {
  const base = { session_id: 'abc123-def456', transcript_path: '/tmp/transcript.jsonl' };

  it.each([
    ['PreToolUse', { id: '7', ...CALL }, { tool_name: 'Bash', tool_input: { command: 'ls' } }],
    ['UserPromptSubmit', 'Research it', { prompt: 'Research it' }],
    ['SubagentStop', { agent: 'x', result: 'done' }, {}],
    ['Stop', { response: 'done' }, {}],
  ])('%s: exactly what the specification shows [C084] [C122]', async (name, payload, fields) => {
    const project = new SettingsProject(
      { hooks: { [name]: [{ path: 'mirror.sh' }] } },
      { 'mirror.sh': MIRROR },
    );
    const { reason } = await project.decide(name, payload);
    expect(JSON.parse(reason!)).toEqual({ ...base, hook_event_name: name, ...fields });
  });

  it.each(['SessionStart', 'SessionEnd'])(
    '%s: the base fields alone, and a veto is ignored but told',
    async (name) => {
      const project = new SettingsProject(
        { hooks: { [name]: [{ path: 'mirror.sh' }] } },
        { 'mirror.sh': MIRROR },
      );
      const outcome = await project.decide(name, { model: 'm', reason: 'end_turn' });
      expect(outcome.action).toBe('allow');
      expect(outcome.trace[0]!.vetoIgnored).toContain('nothing can block');
      expect(JSON.parse(outcome.trace[0]!.reason!)).toEqual({ ...base, hook_event_name: name });
    },
  );

  it('a command of the nested form also sees what scripts of coding agents expect', async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'cat >&2; exit 2' }] }] };
    const { reason } = await new SettingsProject({ hooks }).decide('tool.pre', { id: '7', ...CALL });
    expect(JSON.parse(reason!)).toEqual({
      ...base,
      hook_event_name: 'PreToolUse',
      cwd: '/tmp',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: '7',
    });
  });

  it('it runs in the project and is told where that is', async () => {
    const script = sh('echo "$PWD $HARNESS_PROJECT_DIR $CLAUDE_PROJECT_DIR" >&2; exit 2');
    const project = new SettingsProject(preToolUse({ path: 'where.sh' }), { 'where.sh': script });
    const { reason } = await project.decide('tool.pre', CALL);
    expect(reason).toBe(`${project.dir} ${project.dir} ${project.dir}`);
  });

  it('text it prints is context, visible in the outcome [C114] [C150]', async () => {
    const project = new SettingsProject(
      { hooks: { SessionStart: [{ path: 'context.sh' }] } },
      { 'context.sh': sh('echo "Current project: MyApp (v2.3.1)"; echo "Active branch: main"') },
    );
    const { effects } = await project.decide('session.start', null);
    const text = 'Current project: MyApp (v2.3.1)\nActive branch: main';
    expect(effects).toEqual([{ kind: 'context', hook: 'context', text }]);
  });
});

describe('object matchers [C043]', () => {
  const matches = async (matcher: unknown, payload: { name: string; args: object }) => {
    const project = new SettingsProject(preToolUse({ path: 'mirror.sh', matcher }), { 'mirror.sh': MIRROR });
    expect(await project.problems()).toEqual([]);
    return (await project.decide('tool.pre', payload as never)).action === 'block';
  };

  it.each<[unknown, boolean]>([
    [{ tool_name: 'Bash' }, true],
    [{ tool_name: 'bash' }, false],
    [{ tool_name: 'Bash', tool_input: { command: 'ls' } }, true],
    [{ tool_name: 'Bash', tool_input: { command: 'rm' } }, false],
    [{ tool_name: 'Write', tool_input: { command: 'ls' } }, false],
    [{ session_id: 'abc123-def456' }, true],
    [{ session_id: 'other', tool_name: 'Bash' }, false],
    [{ tool_input: { absent: null } }, false],
    [{}, true],
  ])('%o on a call of Bash: %s', async (matcher, expected) => {
    expect(await matches(matcher, { ...CALL, args: { command: 'ls', description: 'list' } })).toBe(expected);
  });

  it('the tool name is what the chain is indexed by', async () => {
    const { hooks } = await new SettingsProject(
      preToolUse({ path: 'a.sh', matcher: { tool_name: 'Bash' } }),
      { 'a.sh': OK },
    ).load();
    expect(hooks[0]!.condition!.indexable).toEqual({ key: 'name', values: ['Bash', 'run_command'] });
  });

  it.each([
    [{ toolname: 'Bash' }, 'PreToolUse has no field "toolname" (did you mean tool_name?)'],
    [{ tool_name: ['Bash'] }, 'tool_name is a string and never equals a list'],
    [{ tool_name: 'Bash|Write' }, '"Bash|Write" is the name of no tool'],
    [{ tool_name: 'mcp__*' }, 'make an entry for each tool'],
  ])('%o could never hold, so it is refused and a stand-in guards the event', async (matcher, message) => {
    const project = new SettingsProject(preToolUse({ path: 'a.sh', matcher }), { 'a.sh': OK });
    expect((await project.problems()).join()).toContain(message);
    expect(await project.decide('tool.pre', CALL)).toMatchObject({
      action: 'block',
      hook: 'hooks.PreToolUse[0]',
    });
  });
});

describe('the nested form of existing files', () => {
  const group = (matcher: string | undefined, handler: object = {}) =>
    preToolUse({ matcher, hooks: [{ type: 'command', command: 'echo no >&2; exit 2', ...handler }] });

  it.each<[string | undefined, string, boolean]>([
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit|Write', 'MultiEdit', false],
    ['Edit, Write', 'Write', true],
    ['mcp__.*', 'mcp__files__read', true],
    ['^Notebook', 'NotebookEdit', true],
    ['^Notebook', 'MyNotebook', false],
  ])('matcher %j on %s: %s', async (matcher, name, expected) => {
    const project = new SettingsProject(group(matcher));
    expect(await project.problems()).toEqual([]);
    expect((await project.decide('tool.pre', { name, args: {} })).action).toBe(expected ? 'block' : 'allow');
  });

  it.each<[string | object, string, string, boolean]>([
    ['Bash', 'run_command', 'exec_command', true],
    ['shell', 'run_command', 'Bash', true],
    [{ tool_name: 'shell' }, 'run_command', 'Bash', true],
    ['run_command', 'run_command', 'Bash', true],
    ['^exec_', 'run_command', 'exec_command', true],
    ['^Ba', 'run_command', 'exec_command', true],
    ['^run_', 'run_command', 'exec_command', true],
    ['Edit', 'edit_file', 'apply_patch', true],
    ['NotebookEdit', 'edit_file', 'NotebookEdit', true],
    ['NotebookEdit', 'edit_file', 'apply_patch', false],
    ['Write', 'edit_file', 'apply_patch', false],
    ['mcp_web_get', 'mcp__web__get', 'mcp_web_get', true],
  ])('matcher %j on a call of %s that its agent knows as %s: %s', async (matcher, name, own, expected) => {
    const payload = { name, args: {}, native: { name: own } };
    const project = new SettingsProject(group(matcher as string));
    expect((await project.decide('tool.pre', payload)).action).toBe(expected ? 'block' : 'allow');
  });

  it.each(['Edit', 'edit_file', 'NotebookEdit', 'MultiEdit', 'Bash', 'run_command'])(
    'the index finds what the matcher %s holds for, of agents and of programs',
    async (matcher) => {
      const { hooks } = await new SettingsProject(group(matcher)).load();
      const { indexable: _, ...condition } = hooks[0]!.condition!;
      const indexed = { ...hooks[0]!, body: null };
      const matches = async (hook: Hook, payload: { name: string }) => {
        const engine = new Engine({ hooks: [hook], host: machineHost, run: new RunState() });
        return (await engine.decide('tool.pre', payload)).trace[0]!.matched;
      };
      const names = ['Edit', 'edit_file', 'NotebookEdit', 'MultiEdit', 'Bash', 'run_command', 'other'];
      for (const name of names) {
        for (const own of [null, ...names]) {
          const payload = { name, args: {}, ...(own !== null && { native: { name: own } }) };
          const byIndex = await matches(indexed, payload);
          const byEach = await matches({ ...indexed, condition }, payload);
          expect([name, own, byIndex]).toEqual([name, own, byEach]);
        }
      }
    },
  );

  it('a script is shown the name that its matcher has for the tool', async () => {
    const project = new SettingsProject(group('shell', { command: 'cat >&2; exit 2' }));
    const call = { name: 'run_command', args: { command: 'ls' }, native: { name: 'Bash' } };
    expect(JSON.parse((await project.decide('tool.pre', call)).reason!)).toMatchObject({
      tool_name: 'shell',
    });
  });

  it.each(['Bash(rm:*)', 'Bash(git push)', '/Bash/', '!Write', 'not Write', '"Bash"', 'Bash Write'])(
    'matcher %j would never match, so it is refused and a stand-in guards the event',
    async (matcher) => {
      const project = new SettingsProject(group(matcher));
      expect(await project.problems()).toEqual([expect.stringContaining('matches nothing')]);
      expect((await project.decide('tool.pre', { name: 'Bash', args: {} })).action).toBe('block');
    },
  );

  it('commands run through the shell, with the variable such files use', async () => {
    const command = '"$CLAUDE_PROJECT_DIR"/guards/no.sh | cat >&2; exit 2';
    const project = new SettingsProject(group('Bash', { command }), { 'guards/no.sh': sh('echo "from $0"') });
    expect((await project.decide('tool.pre', CALL)).reason).toBe(`from ${project.dir}/guards/no.sh`);
  });

  it('their timeout is in seconds, and they may have arguments instead of a shell', async () => {
    const handler = { command: 'sh', args: ['-c', 'echo "$0" >&2; exit 2', '$HOME'], timeout: 3 };
    const project = new SettingsProject(group('Bash', handler));
    expect((await project.load()).hooks[0]).toMatchObject({
      timeoutMs: 3000,
      name: 'PreToolUse[0].hooks[0]',
    });
    expect((await project.decide('tool.pre', CALL)).reason).toBe('$HOME');
  });

  it('a denial in the words of a coding agent is a block', async () => {
    const answer = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'policy' } };
    const project = new SettingsProject(group('Bash', { command: `echo '${JSON.stringify(answer)}'` }));
    expect(await project.decide('tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'policy' });
  });

  it('events nothing here fires are named, and are no error', async () => {
    const hooks = { Notification: [{ hooks: [{ type: 'command', command: 'x' }] }] };
    const problems = await new SettingsProject({ hooks }).problems();
    expect(problems[0]).toBe(
      '3:5 EVENT_UNKNOWN hooks.Notification: nothing here fires Notification, so its hooks never run',
    );
  });

  it('a hook of a kind that is not run here fails visibly each time', async () => {
    const project = new SettingsProject(group('Bash', { type: 'prompt', command: undefined, prompt: 'ok?' }));
    expect((await project.problems()).join()).toContain('hooks of type prompt are not run here');
    const { action, trace } = await project.decide('tool.pre', CALL);
    expect(action).toBe('allow');
    expect(trace[0]).toMatchObject({ failure: { code: 'HANDLER_UNSUPPORTED' } });
    expect((await project.decide('tool.pre', { name: 'Read', args: {} })).trace[0]!.state).toBe('unmatched');
  });
});

describe('the documentation header [C147]', () => {
  const load = (script: string) =>
    new SettingsProject(preToolUse({ path: 'a.sh' }), { 'a.sh': script }).load();

  it('describes the hook', async () => {
    const { hooks, problems } = await load(
      '#!/bin/sh\n# Hook: a\n# Event: PreToolUse\n# Description: Keeps root safe\n',
    );
    expect(hooks[0]!.description).toBe('Keeps root safe');
    expect(problems).toEqual([]);
  });

  it('that names another event is a warning; the registration counts', async () => {
    const { hooks, problems } = await load('#!/bin/sh\n# Event: SessionStart (once)\n');
    expect(hooks[0]!.event).toBe('tool.pre');
    expect(problems).toMatchObject([{ severity: 'warning', code: 'HEADER_MISMATCH' }]);
  });
});

describe('what is wrong with a file is said with its place', () => {
  it.each<[string, unknown, string]>([
    [
      'no JSON',
      '{\n  "hooks": {,\n}',
      '2:13 JSON_INVALID not JSON: wanted a key in double quotes or "}", got ","',
    ],
    ['a list at the top', '[]', '1:1 FIELD_TYPE wanted an object at the top, got a list'],
    [
      'hooks as a list',
      { hooks: [] },
      '2:12 FIELD_TYPE hooks: wanted an object with a key for each event, got a list',
    ],
    [
      'an event that is no list',
      { hooks: { Stop: {} } },
      '3:13 FIELD_TYPE hooks.Stop: wanted a list of hooks, got an object',
    ],
    [
      'an unknown event',
      { hooks: { PreTolUse: [{ path: 'a.sh' }] } },
      '3:5 EVENT_UNKNOWN hooks: unknown event "PreTolUse" (did you mean PreToolUse?)',
    ],
    [
      'an entry that is no object',
      preToolUse('a.sh'),
      '4:7 FIELD_TYPE hooks.PreToolUse[0]: wanted an object, got the text',
    ],
    ['no path', preToolUse({ timeout: 5 }), '4:7 FIELD_MISSING hooks.PreToolUse[0]: path is missing'],
    [
      'a path that is no string',
      preToolUse({ path: 5 }),
      '5:17 FIELD_TYPE hooks.PreToolUse[0].path: wanted a string, got the number 5',
    ],
    [
      'a timeout in words',
      preToolUse({ path: 'a.sh', timeout: '5s' }),
      '6:20 FIELD_TYPE hooks.PreToolUse[0].timeout: wanted milliseconds above 0, got the text',
    ],
    [
      'a timeout of nothing',
      preToolUse({ path: 'a.sh', timeout: 0 }),
      '6:20 FIELD_TYPE hooks.PreToolUse[0].timeout: wanted milliseconds above 0, got the number 0',
    ],
    [
      'a policy nobody knows',
      preToolUse({ path: 'a.sh', on_error: 'blok' }),
      '6:21 FIELD_TYPE hooks.PreToolUse[0].on_error: wanted one of block, allow, throw, got the text "blok" (did you mean block?)',
    ],
    [
      'a command outside a list',
      preToolUse({ type: 'command', command: 'x' }),
      '4:7 FIELD_MISSING hooks.PreToolUse[0]: a command belongs into a list',
    ],
    [
      'both forms at once',
      preToolUse({ path: 'a.sh', hooks: [] }),
      '4:7 FIELD_TYPE hooks.PreToolUse[0]: has both path and hooks',
    ],
    [
      'a matcher that is no expression',
      preToolUse({ matcher: '(', hooks: [] }),
      '5:20 MATCHER_INVALID hooks.PreToolUse[0].matcher: matcher "(": missing closing )',
    ],
    [
      'a key written twice',
      '{"hooks": {"Stop": [], "Stop": []}}',
      '1:12 FIELD_REPEATED hooks: "Stop" is written twice',
    ],
  ])('%s', async (_name, settings, expected) => {
    const project = new SettingsProject(settings, { 'a.sh': OK });
    const problems = await project.problems();
    expect(
      problems.some((problem) => problem.startsWith(expected)),
      problems.join('\n'),
    ).toBe(true);
    // Whatever could not be read may have been a guard.
    const { event } = (await project.load()).hooks[0]!;
    const outcome = await project.decide(event === 'agent.stop' ? 'agent.stop' : 'tool.pre', {
      ...CALL,
      response: '',
    });
    expect(outcome.action).toBe('block');
    expect(outcome.trace.find((entry) => entry.failure !== null)!.failure!.code).toBe('HOOK_NOT_LOADED');
  });

  it.each<[string, unknown, string]>([
    ['an unknown key', preToolUse({ path: 'a.sh', timout: 5 }), '6:9 FIELD_UNKNOWN'],
    ['a timeout that looks like seconds', preToolUse({ path: 'a.sh', timeout: 10 }), '6:20 FIELD_TYPE'],
    ['a misspelt hooks', { hoks: {} }, '2:3 FIELD_UNKNOWN unknown key "hoks" (did you mean hooks?)'],
    [
      'a switch that is not honoured',
      { disableAllHooks: true, hooks: {} },
      '2:3 FIELD_UNKNOWN disableAllHooks is not honoured',
    ],
    [
      'a matcher where nothing can be matched',
      { hooks: { Stop: [{ matcher: 'x', hooks: [] }] } },
      '5:20 MATCHER_INVALID',
    ],
  ])('%s is a warning', async (_name, settings, expected) => {
    const project = new SettingsProject(settings, { 'a.sh': OK });
    const problems = await project.problems();
    expect(
      problems.some((problem) => problem.startsWith(expected)),
      problems.join('\n'),
    ).toBe(true);
    expect((await project.load()).problems.every((problem) => problem.severity === 'warning')).toBe(true);
  });

  it('a missing script is an error, and the hook fails under its own policy until it is there', async () => {
    const project = new SettingsProject(preToolUse({ path: 'late.sh', on_error: 'block' }));
    expect(await project.problems()).toEqual([
      '5:17 COMMAND_MISSING hooks.PreToolUse[0].path: script late.sh does not exist',
    ]);
    expect((await project.decide('tool.pre', CALL)).trace[0]!.failure!.code).toBe('COMMAND_MISSING');
    project.write('late.sh', OK);
    expect((await project.decide('tool.pre', CALL)).action).toBe('allow');
  });

  it('one bad entry does not take the others along', async () => {
    const project = new SettingsProject(preToolUse({ path: 5 }, { path: 'a.sh' }), { 'a.sh': OK });
    const { hooks } = await project.load();
    expect(hooks.map((hook) => hook.name).sort()).toEqual(['a', 'hooks.PreToolUse[0]']);
  });
});
