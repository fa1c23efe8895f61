/** Every sample that the five pages print, taken from `samples/` as it stands there and run. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { convertSystem } from '../../src/cli/init/from.ts';
import { scriptedProvider } from '../../src/exports/agent.ts';
import * as harness from '../../src/index.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { call, echo, play } from '../support/agent.ts';
import { SettingsProject, sh } from '../support/settings-project.ts';
import { loadHooks, tempProject } from '../support/temp-project.ts';
import { data, decided, hook } from './support.ts';

const lines = (name: string) => data(name).split('\n').filter(Boolean);

describe('AI Harness', () => {
  it('the file of the schema page: blocks, lets pass, and its body is not sent to the model', async () => {
    const files = { command_guard: data('file_shape.md') };
    const [destructive] = data('file_shape.md').match(/(?<=if ")[^"]+/)!;
    const said = async (args: Json) =>
      (await decided(files, 'tool.pre', { name: 'run_command', args } as Json)).reason;
    expect(await said({ command: destructive })).toBe('dangerous command pattern blocked');
    expect([await said({ command: 'ls' }), await said({})]).toEqual([null, null]);
    const { hooks } = await loadHooks(files);
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(provider.requests)).not.toContain('MARK');
  });

  it.each(
    ['run_command', 'edit_file', 'failed', 'long'].map((fits, at) => [lines('conditions.txt')[at]!, fits]),
  )('when: %s', async (when, fits) => {
    const shown = {
      run_command: { name: 'run_command', content: '', is_error: false },
      edit_file: { name: 'edit_file', content: '', is_error: false },
      failed: { name: 'x', content: '', is_error: true },
      long: { name: 'x', content: 'x'.repeat(4001), is_error: false },
    };
    const files = { x: hook('return allow()', `event: tool.post\npriority: 1\nwhen: ${when}`) };
    for (const [kind, payload] of Object.entries(shown))
      expect([kind, (await decided(files, 'tool.post', payload)).trace[0]!.matched]).toEqual([
        kind,
        kind === fits,
      ]);
  });

  it.each(
    data('payloads.star')
      .split(/^# /m)
      .filter(Boolean)
      .map((part) => [part.split('\n')[0]!, part.slice(part.indexOf('\n'))]),
  )('the payload of %s reaches a script as it is printed', async (event, literal) => {
    const told = async (expression: string, fired: Json) => {
      const text = hook(
        `log.info(json.encode(${expression}))\nreturn allow()`,
        `event: ${event}\npriority: 1`,
      );
      return JSON.parse(
        ((await decided({ x: text }, event, fired)).effects[0] as { message: string }).message,
      ) as Json;
    };
    const payload = await told(literal, event === 'turn.start' ? '' : { name: 'x', text: '' });
    const seen = await told('payload', payload);
    if (typeof payload === 'string') expect(seen).toBe(payload);
    else expect(seen).toMatchObject(withoutSpaces(payload) as object);
  });
});

/** The text of a call is compared by what it says. */
function withoutSpaces(payload: Json): Json {
  const { arguments: text, ...rest } = payload as { arguments?: string };
  return text === undefined ? rest : { ...rest, arguments: JSON.stringify(JSON.parse(text)) };
}

describe('Harn', () => {
  const HOOKS = [
    ['PreToolUse', 'exec_*', 'gate_exec'],
    ['PostToolUse', '*', 'cap'],
    ['PreToolUse', 'fetch_*', 'fetching'],
    ['PreStep', 'merge_*.audit', 'auditing'],
    ['UserPromptSubmit', '*', 'reject_secrets'],
    ['permission_asked', '*', 'never_unattended'],
    ['file_edited', '*', 'lint'],
  ] as const;
  const manifest = HOOKS.map(
    ([event, pattern, name]) =>
      `[[hooks]]\nevent = "${event}"\npattern = "${pattern}"\nhandler = "policy::${name}"\n`,
  ).join('\n');
  const policy = () =>
    openPolicy(tempProject({ 'harn.toml': manifest, 'policy.star': data('closures.star') }));

  it('the entry of the page is read as it stands', async () => {
    const dir = tempProject({ 'harn.toml': data('harn.toml'), 'policy.star': data('closures.star') });
    const opened = await openPolicy(dir);
    expect(opened.problems).toEqual([]);
    expect((await opened.decide('turn.start', 'my secret')).reason).toBe(
      'policy violation: secret in prompt',
    );
  });

  it.each([
    ['tool.pre', { name: 'exec_ls', args: {} }, { action: 'block', reason: 'exec is gated' }],
    [
      'tool.pre',
      { name: 'fetch_page', args: {} },
      {
        action: 'allow',
        effects: [{ kind: 'reminder', reminder: { body: 'Network fetch is about to run' } }],
      },
    ],
    [
      'step.pre',
      { persona: 'merge_bot', step: 'audit', args: ['main'] },
      { payload: { args: ['main'] }, effects: [{ reminder: { tags: ['audit'] } }] },
    ],
    ['turn.start', 'a secret', { action: 'block', reason: 'policy violation: secret in prompt' }],
    ['turn.start', 'hello', { action: 'allow' }],
    [
      'permission.asked',
      { name: 'exec_root', args: {} },
      { action: 'block', reason: 'exec_root never runs unattended' },
    ],
    [
      'file.edited',
      { path: 'a.rs' },
      { effects: [{ kind: 'log', message: 're-running clippy after edit to a.rs' }] },
    ],
    ['file.edited', { path: 'a.ts' }, { effects: [] }],
  ] as const)('the closures of the page in Starlark: %s %j', async (event, payload, outcome) => {
    expect(await (await policy()).decide(event as string, payload as never)).toMatchObject(outcome);
  });

  it('max_output: 4000', async () => {
    const { payload } = await (await policy()).decide('tool.post', { name: 'x', content: 'y'.repeat(9000) });
    expect((payload as { content: string }).content.length).toBeLessThanOrEqual(4000);
  });

  it('init --from harn lists every closure of the page with its event, and translates those without code', () => {
    const taken = convertSystem(
      'harn',
      tempProject({ 'harn.toml': data('harn.toml'), 'policy.harn': data('closures.harn') }),
    );
    const notes = 'notes' in taken ? taken.notes.filter((note) => note.startsWith('translate')) : [];
    expect(notes.map((note) => note.match(/^translated?|(?<=: )\w+/g)?.join(' '))).toEqual([
      'translate UserPromptSubmit',
      'translated PreToolUse',
      'translated PostToolUse',
      'translate PreToolUse',
      'translate PreStep',
      'translate user_prompt_submit',
      'translate permission_asked',
      'translate file_edited',
    ]);
  });

  it.each(['UserPromptSubmit', 'user_prompt_submit'])(
    '"The event name maps 1:1 to the runtime enum": subscribed as %s, a handler may ask for it by any spelling',
    async (written) => {
      for (const asked of [
        'event["event"] == "user_prompt_submit"',
        '"UserPromptSubmit" == event.get("event")',
        'event["event"] in ["session_start", "turn.start"]',
        'event["event"] not in ("session_start",)',
      ]) {
        const dir = tempProject({
          'harn.toml': `[[hooks]]\nevent = "${written}"\nhandler = "policy::f"\n`,
          'policy.star': `def f(event):\n    return {"block": True, "reason": "mine"} if ${asked} else None\n`,
        });
        expect([asked, (await (await openPolicy(dir)).decide('turn.start', 'hi')).reason]).toEqual([
          asked,
          'mine',
        ]);
      }
    },
  );
});

describe('Loom', () => {
  /** The sample as a function of what it imports and of what the page leaves to its reader. */
  const wired = (text: string, given: Readonly<Record<string, unknown>>) => {
    const [all, names] = text.match(/import \{([^}]*)\} from '@ownware\/loom'/)!;
    const imported = names!
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const values = imported.map((name) => (harness as Readonly<Record<string, unknown>>)[name]);
    const body = `${text.replace(all, '')}\nreturn session`;
    return new Function(...imported, ...Object.keys(given), body)(
      ...values,
      ...Object.values(given),
    ) as harness.Session;
  };
  const run = async (text: string) => {
    const archived: unknown[] = [];
    const provider = scriptedProvider({
      completions: [
        { tool_calls: [call('echo', { file_path: '/srv/prod/x' })] },
        { tool_calls: [call('echo', { file_path: '/srv/dev/x' })] },
        { text: 'ok' },
      ],
    });
    const session = wired(text, {
      provider,
      config: { model: 'm', systemPrompt: 'Careful.', maxTurns: 5, temperature: 0.1, sessionId: 's1' },
      tools: [{ ...echo, parameters: { type: 'object' } }],
      archiveRun: (...run: unknown[]) => void archived.push(run),
    });
    const { messages } = await session.run('go').result;
    return { archived, results: messages.filter(({ role }) => role === 'tool'), provider };
  };

  it('the wiring of the page, with nothing changed but where it is imported from', async () => {
    const { archived, results, provider } = await run(data('wiring.ts.txt'));
    expect(archived).toEqual([['s1', 'end_turn']]);
    expect(provider.requests[0]).toMatchObject({ model: 'm', system: 'Careful.' });
    expect(JSON.stringify(provider.requests[1])).toContain('blocked the action: Production paths');
    expect(results).toMatchObject([
      {
        is_error: true,
        content: expect.stringContaining('Production paths are off-limits in this session.'),
      },
      { is_error: false },
    ]);
  });

  it('its command spec: a script that is not there blocks', async () => {
    const { results } = await run(
      data('wiring.ts.txt').replace('const session', `${data('command.ts.txt')}\nconst session`),
    );
    expect(results).toMatchObject([
      { is_error: true },
      { is_error: true, content: expect.stringContaining('policy-check') },
    ]);
  });
});

describe('The Harness Framework', () => {
  const SCRIPTS = Object.fromEntries(
    ['LoadContext', 'WriteProtector', 'SessionSummary'].map((name) => [
      `hooks/${name}.ts`,
      'process.exit(0);\n',
    ]),
  );

  it('settings.json with its four hooks, one of them the printed one', async () => {
    const one = new SettingsProject(data('settings.json.txt'), {
      ...SCRIPTS,
      'hooks/SecurityValidator.ts': data('SecurityValidator.ts.txt'),
    });
    expect(await one.problems()).toEqual([]);
    const payload = JSON.parse(lines('payloads.jsonl')[2]!) as { tool_input: Json };
    const outcome = await one.decide('PreToolUse', { name: 'Bash', args: payload.tool_input });
    expect(outcome.reason).toBe('Blocked: recursive deletion of root filesystem');
  });

  it('the matcher of the page', async () => {
    const entry = { path: 'a.sh', ...(JSON.parse(data('matcher.json.txt')) as object) };
    const one = new SettingsProject({ hooks: { PreToolUse: [entry] } }, { 'a.sh': sh('exit 2') });
    const said = async (name: string) => (await one.decide('PreToolUse', { name, args: {} })).action;
    expect([await said('Bash'), await said('Write')]).toEqual(['block', 'allow']);
  });

  it.each([
    [0, 'SessionStart', null],
    [1, 'UserPromptSubmit', 'Research the current state of container orchestration'],
    [2, 'PreToolUse', { name: 'Bash' }],
  ])('payload %i is what a hook of %s gets', async (at, event, payload) => {
    const printed = JSON.parse(lines('payloads.jsonl')[at]!) as Record<string, Json>;
    const one = new SettingsProject(
      { hooks: { [event]: [{ path: 'a.sh' }] } },
      { 'a.sh': sh('cat >&2; exit 2') },
    );
    const given = event === 'PreToolUse' ? { name: 'Bash', args: printed.tool_input! } : payload;
    const outcome = await one.decide(event, given as Json);
    const seen = outcome.reason ?? (outcome.effects[0] as { text: string }).text;
    expect(Object.keys(JSON.parse(seen))).toEqual(Object.keys(printed));
  });

  it('the lines that inject context, and the three decisions', async () => {
    const said = async (script: string, event: string) =>
      new SettingsProject({ hooks: { [event]: [{ path: 'a.sh' }] } }, { 'a.sh': sh(script) }).decide(
        event,
        event === 'SessionStart' ? null : { name: 'Bash', args: {} },
      );
    const { effects } = await said(data('context.sh.txt'), 'SessionStart');
    expect((effects[0] as { text: string }).text.split('\n')).toHaveLength(3);
    const actions = await Promise.all(
      lines('decisions.jsonl').map(
        async (json) => (await said(`cat <<'END'\n${json}\nEND`, 'PreToolUse')).action,
      ),
    );
    expect(actions).toEqual(['allow', 'block', 'ask']);
  });
});
