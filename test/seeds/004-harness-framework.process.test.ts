/** The hook lifecycle specification of The Harness Framework, claim by claim. */
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { transcriptLines } from '../../src/exports/agent.ts';
import { call, echo, play, tool, toolMessages } from '../support/agent.ts';
import { isGone, pidIn } from '../support/pid-file.ts';
import { SettingsProject, sh } from '../support/settings-project.ts';
import { afterTime, until } from '../support/until.ts';
import { data } from './support.ts';

const BASH: Json = { name: 'Bash', args: { command: 'ls', description: 'List' } };

function project(event: string, script: string, more: object = {}, name = 'hooks/Hook.sh') {
  return new SettingsProject({ hooks: { [event]: [{ path: name, ...more }] } }, { [name]: script });
}

const seenBy = async (event: string, payload: Json) => {
  const one = project(event, sh('cat > seen.json'));
  await one.decide(event, payload);
  return JSON.parse(readFileSync(`${one.dir}/seen.json`, 'utf8')) as Record<string, unknown>;
};

describe('Lifecycle Events', () => {
  it('"A new AI session begins", "The user sends a message", "Before a tool executes", "A subagent completes its task", "The AI generates a response", "The session terminates": the six fire there', async () => {
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStop', 'Stop', 'SessionEnd'];
    const one = new SettingsProject(
      { hooks: Object.fromEntries(events.map((event) => [event, [{ path: 'note.sh' }]])) },
      { 'note.sh': sh(`sed 's/.*"hook_event_name":"\\([^"]*\\)".*/\\1/' >> events.txt; echo >> events.txt`) },
    );
    const { hooks } = await one.load();
    await play({
      hooks,
      tools: [echo],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    expect(readFileSync(`${one.dir}/events.txt`, 'utf8').split('\n').filter(Boolean)).toEqual(events);
  });
});

describe('Event Payloads', () => {
  it('BasePayload: "session_id — Unique identifier for the current session", "hook_event_name — The event that triggered this hook"', async () => {
    for (const event of ['SessionStart', 'Stop', 'SessionEnd'])
      expect(Object.keys(await seenBy(event, event === 'Stop' ? { response: 'x' } : null))).toEqual([
        'session_id',
        'transcript_path',
        'hook_event_name',
      ]);
  });

  it('UserPromptPayload: "prompt — The user\'s message text"', async () => {
    expect(await seenBy('UserPromptSubmit', 'Research it')).toMatchObject({
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Research it',
    });
  });

  it('PreToolUsePayload: "tool_name — Name of the tool about to execute", "tool_input — The parameters being passed to the tool"', async () => {
    expect(await seenBy('PreToolUse', BASH)).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: 'ls', description: 'List' },
    });
  });

  it('"transcript_path: Filesystem path to the session transcript": a file with what was said', async () => {
    const one = project(
      'Stop',
      sh('cat > seen.json; cp "$(sed \'s/.*"transcript_path":"\\([^"]*\\)".*/\\1/\' seen.json)" copy.jsonl'),
    );
    const { hooks } = await one.load();
    await play({ hooks, prompt: 'hello there', completions: [{ text: 'general' }] });
    expect(statSync(`${one.dir}/copy.jsonl`).isFile()).toBe(true);
    expect(readFileSync(`${one.dir}/copy.jsonl`, 'utf8')).toContain('hello there');
  });
});

describe('Hook Output Model', () => {
  it('"Any text written to stdout is injected into the AI\'s context"', async () => {
    const { hooks } = await project('SessionStart', sh('echo "Current project: MyApp (v2.3.1)"')).load();
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(provider.requests[0])).toContain('Current project: MyApp (v2.3.1)');
  });

  it.each([
    [0, 'Normal completion: Hook ran successfully, continue execution', 'allow', null],
    [2, 'Hard block: Operation is prevented', 'block', null],
    [1, 'Any other: Error, execution continues (fail-open)', 'allow', 'COMMAND_EXIT'],
    [3, 'Any other: Error, execution continues (fail-open)', 'allow', 'COMMAND_EXIT'],
  ])('exit code %i: "%s"', async (code, _meaning, action, failure) => {
    const outcome = await project('PreToolUse', sh(`exit ${code}`)).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.trace[0]!.failure?.code ?? null]).toEqual([action, failure]);
  });

  it('"2 Hard block … AI is notified": of a call, and of a session that begins', async () => {
    const { hooks } = await project('PreToolUse', sh('echo "protected" >&2; exit 2')).load();
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([
      { is_error: true, content: expect.stringContaining('protected') },
    ]);
    const start = await project('SessionStart', sh('echo "not ready" >&2; exit 2')).load();
    const begun = await play({ hooks: start.hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(begun.provider.requests[0])).toContain('not ready');
  });

  it.each([
    ['{"continue": true}', 'allow', null],
    [
      '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}',
      'block',
      'Cannot delete protected path: /etc/hosts',
    ],
    [
      '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}',
      'ask',
      'This will force-push to main. Are you sure?',
    ],
  ])(
    '"Allow the operation", "Block with explanation", "Prompt user for confirmation": %s',
    async (json, action, reason) => {
      const outcome = await project('PreToolUse', sh(`cat <<'END'\n${json}\nEND`)).decide('PreToolUse', BASH);
      expect([outcome.action, outcome.reason]).toEqual([action, reason]);
    },
  );
});

describe('Hook File Structure: the sample, unchanged, on a machine that has only Node', () => {
  const destructive = data('SecurityValidator.ts.txt').match(/includes\("([^"]+)"\)/)![1]!;

  it.each([[0o755], [0o644]])('blocks with its message (mode %o)', async (mode) => {
    const one = new SettingsProject({
      hooks: {
        PreToolUse: [{ path: 'hooks/SecurityValidator.ts', timeout: 20_000, matcher: { tool_name: 'Bash' } }],
      },
    });
    one.write('hooks/SecurityValidator.ts', data('SecurityValidator.ts.txt'), mode);
    expect(await one.problems()).toEqual([]);
    expect(await one.decide('PreToolUse', { name: 'Bash', args: { command: destructive } })).toMatchObject({
      action: 'block',
      reason: 'Blocked: recursive deletion of root filesystem',
    });
    expect(await one.decide('PreToolUse', BASH)).toMatchObject({ action: 'allow' });
    const { hooks } = await one.load();
    expect(hooks[0]).toMatchObject({
      name: 'SecurityValidator',
      description: 'Validates tool operations against security policies',
    });
  });

  it('a documentation header that names another event is a warning', async () => {
    const one = project('Stop', '#!/bin/sh\n// Hook: X\n// Event: PreToolUse\n');
    expect((await one.problems()).join()).toContain('HEADER_MISMATCH');
  });
});

describe('Configuration', () => {
  it('"path … Required: Yes"; "timeout — Maximum execution time in milliseconds (default: 5000)"; "matcher … No"', async () => {
    const { hooks } = await project('PreToolUse', sh('exit 0')).load();
    expect(hooks[0]).toMatchObject({ timeoutMs: 5000, condition: null });
    expect(
      (await new SettingsProject({ hooks: { PreToolUse: [{ timeout: 5 }] } }).problems()).join(),
    ).toContain('path');
  });

  it('"A hook with no matcher fires on every event of its type. A hook with a matcher fires only when the … conditions are satisfied"', async () => {
    const one = project('PreToolUse', sh('exit 2'), { matcher: { tool_name: 'Write' } });
    expect((await one.decide('PreToolUse', BASH)).action).toBe('allow');
    expect((await one.decide('PreToolUse', { name: 'Write', args: {} })).action).toBe('block');
  });
});

describe('Design Principles', () => {
  it('"MUST NOT block the AI session indefinitely": "If a hook exceeds its timeout, the framework kills it and continues execution"', async () => {
    const outcome = await project('PreToolUse', sh('sleep 20'), { timeout: 300 }).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.trace[0]!.failure?.code]).toEqual(['allow', 'HOOK_TIMEOUT']);
  });

  it('"Hook failures MUST NOT crash the AI session … logged and skipped"', async () => {
    const { hooks } = await new SettingsProject({
      hooks: { PreToolUse: [{ path: 'hooks/gone.ts' }] },
    }).load();
    let runs = 0;
    const played = await play({
      hooks,
      tools: [tool('echo', () => ++runs)],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect([played.result.reason, runs]).toEqual(['end_turn', 1]);
  });

  it('"Compose behavior through multiple hooks on the same event"', async () => {
    const one = new SettingsProject(
      { hooks: { PreToolUse: [{ path: 'a.sh' }, { path: 'b.sh' }] } },
      { 'a.sh': sh('echo one'), 'b.sh': sh('echo two >&2; exit 2') },
    );
    expect(await one.decide('PreToolUse', BASH)).toMatchObject({
      action: 'block',
      reason: 'two',
      effects: [{ text: 'one' }],
    });
  });

  it('"If a hook injects context, the injected content should be visible in the session transcript"', async () => {
    const { hooks } = await project('SessionStart', sh('echo injected')).load();
    const { events } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(events.find(({ type }) => type === 'reminder')).toMatchObject({
      text: expect.stringContaining('injected'),
    });
  });

  it('"a broken hook": its script cannot run, which is known before the first call', async () => {
    const one = new SettingsProject({ hooks: { PreToolUse: [{ path: 'hooks/gone.ts' }] } });
    expect(await one.problems()).toEqual([expect.stringContaining('COMMAND_MISSING')]);
  });
});

describe('Configuration: the settings of the page, as printed', () => {
  const SETTINGS = JSON.parse(data('settings.json.txt')) as { hooks: Record<string, { path: string }[]> };
  const FILES = Object.fromEntries(
    Object.values(SETTINGS.hooks)
      .flat()
      .map(({ path }) => [path, '#!/usr/bin/env node\nprocess.exit(0);\n']),
  );

  it('"Hooks are registered in the framework\'s settings.json file under the hooks key": four, without a problem', async () => {
    const one = new SettingsProject(SETTINGS, FILES);
    expect(await one.problems()).toEqual([]);
    expect((await one.load()).hooks.map(({ name, timeoutMs }) => `${name} ${timeoutMs}`)).toEqual([
      'LoadContext 5000',
      'SecurityValidator 3000',
      'WriteProtector 3000',
      'SessionSummary 10000',
    ]);
  });

  it('"path — Filesystem path to the hook script (relative to framework root)"', async () => {
    const one = new SettingsProject(SETTINGS);
    expect((await one.problems()).join('\n')).toContain('hooks/LoadContext.ts');
  });

  it.each([
    ['path', { path: 7 }],
    ['timeout', { path: 'a.sh', timeout: 'soon' }],
    ['matcher', { path: 'a.sh', matcher: 7 }],
  ])('the type of %s is held', async (field, entry) => {
    const one = new SettingsProject({ hooks: { PreToolUse: [entry] } }, { 'a.sh': sh('exit 0') });
    expect((await one.problems()).join('\n')).toContain(field);
  });

  it('"a documentation header": name and description are what lists show', async () => {
    const header =
      '#!/bin/sh\n# Hook: HookName\n# Event: PreToolUse\n# Description: What this hook does in one sentence\nexit 0\n';
    const { hooks } = await project('PreToolUse', header).load();
    expect(hooks[0]?.description).toBe('What this hook does in one sentence');
  });
});

describe('Transparency', () => {
  it('"If a hook blocks an operation, it MUST provide a clear explanation": one that says nothing is named', async () => {
    const outcome = await project('PreToolUse', sh('exit 2')).decide('PreToolUse', BASH);
    expect(outcome).toMatchObject({
      action: 'block',
      hook: 'Hook',
      reason: 'the hook blocked this and gave no reason',
    });
  });

  it('"Running the same hook twice with the same payload should produce the same result"', async () => {
    const one = project('PreToolUse', sh('cat >&2; exit 2'));
    const [first, second] = [await one.decide('PreToolUse', BASH), await one.decide('PreToolUse', BASH)];
    expect([second.action, second.reason]).toEqual([first.action, first.reason]);
  });
});

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStop', 'Stop', 'SessionEnd'];

describe('Payloads, as the page prints them', () => {
  /** What hooks of all six events were given in a session with a sub-agent, in the order they ran. */
  const story = async () => {
    const one = new SettingsProject(
      { hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ path: 'note.sh' }]])) },
      { 'note.sh': sh('cat >> seen.jsonl; echo >> seen.jsonl') },
    );
    await play({
      hooks: (await one.load()).hooks,
      prompt: 'Research the current state of container orchestration',
      tools: [echo],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    const lines = readFileSync(`${one.dir}/seen.jsonl`, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('"All events include a base payload with these fields": each of the six', async () => {
    const seen = await story();
    expect(seen.map(({ hook_event_name: name }) => name)).toEqual(EVENTS);
    for (const payload of seen) {
      expect(payload).toMatchObject({ session_id: 's1', transcript_path: expect.stringMatching(/./) });
      expect(
        statSync(String(payload.transcript_path), { throwIfNoEntry: false })?.isFile() ?? 'gone',
      ).not.toBe(false);
    }
    expect(new Set(seen.map(({ transcript_path: path }) => path)).size).toBe(1);
    expect(seen[1]).toMatchObject({ prompt: 'Research the current state of container orchestration' });
    expect(seen[2]).toMatchObject({ tool_name: 'delegate', tool_input: { agent: 'helper', prompt: 'look' } });
  });
});

describe('"executable scripts (TypeScript, shell, or any language)"', () => {
  it.each([
    ['shell', 'a.sh', '#!/bin/sh\nread line\necho "$line" | grep -q Bash && { echo stop >&2; exit 2; }\n'],
    [
      'JavaScript',
      'a.mjs',
      "#!/usr/bin/env node\nimport { readFileSync } from 'node:fs';\nif (JSON.parse(readFileSync(0, 'utf8')).tool_name === 'Bash') { console.error('stop'); process.exit(2); }\n",
    ],
    [
      'TypeScript, types and all',
      'a.ts',
      "import { readFileSync } from 'fs';\ninterface P { tool_name: string }\nconst p: P = JSON.parse(readFileSync('/dev/stdin', 'utf-8')) as P;\nif (p.tool_name === 'Bash') { console.error('stop'); process.exit(2); }\n",
    ],
    ['awk, without an ending', 'a', '#!/usr/bin/awk -f\n/"Bash"/ { print "stop" > "/dev/stderr"; exit 2 }\n'],
  ])('%s', async (_language, path, text) => {
    const one = new SettingsProject({ hooks: { PreToolUse: [{ path, timeout: 20_000 }] } }, { [path]: text });
    expect(await one.decide('PreToolUse', BASH)).toMatchObject({ action: 'block', reason: 'stop' });
    expect((await one.decide('PreToolUse', { name: 'Write', args: {} })).action).toBe('allow');
  });
});

describe('Stdout, exit codes and decisions, event by event', () => {
  it('"Example: SessionStart hook injecting project context": the three lines of the page', async () => {
    const lines = [
      'echo "Current project: MyApp (v2.3.1)"',
      'echo "Active branch: feature/auth-refactor"',
      'echo "Last session: Completed API migration, 3 tests failing"',
    ];
    const { hooks } = await project('SessionStart', sh(lines.join('\n'))).load();
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    for (const line of lines)
      expect(JSON.stringify(provider.requests[0])).toContain(line.slice('echo "'.length, -1));
  });

  it.each(['UserPromptSubmit', 'PreToolUse'])(
    '"Any text written to stdout is injected": of %s',
    async (event) => {
      const { hooks } = await project(event, sh('echo "a word from the hook"')).load();
      const { provider } = await play({
        hooks,
        tools: [echo],
        completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
      });
      const at = event === 'PreToolUse' ? 1 : 0;
      expect(JSON.stringify(provider.requests[at])).toContain('a word from the hook');
    },
  );

  it('"2 Hard block: Operation is prevented, AI is notified": a prompt does not reach the model', async () => {
    const { hooks } = await project('UserPromptSubmit', sh('echo "not that" >&2; exit 2')).load();
    const { provider, result } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(provider.requests).toEqual([]);
    expect(result.message).toContain('not that');
  });

  it('"2 Hard block … AI is notified": a Stop that is refused goes on with the reason', async () => {
    const { hooks } = await project(
      'Stop',
      sh('[ -e once ] && exit 0; touch once; echo "run the tests first" >&2; exit 2'),
    ).load();
    const { provider } = await play({ hooks, completions: [{ text: 'done' }, { text: 'tests pass' }] });
    expect(JSON.stringify(provider.requests[1])).toContain('run the tests first');
  });

  it('"Any other — Error: Logged as warning, execution continues (fail-open)": the session knows, the tool runs', async () => {
    const { hooks } = await project('PreToolUse', sh('echo broken >&2; exit 7')).load();
    let runs = 0;
    const { fired } = await play({
      hooks,
      tools: [tool('echo', () => ++runs)],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    const failures = fired.flatMap(({ outcome }) => outcome.trace.flatMap(({ failure }) => failure ?? []));
    expect([runs, failures.map(({ code }) => code)]).toEqual([1, ['COMMAND_EXIT']]);
    expect(failures[0]?.message).toContain('7');
  });

  it('"{"decision": "ask"} — Prompt user for confirmation": the tool runs after a yes only', async () => {
    const { hooks } = await project(
      'PreToolUse',
      sh(`echo '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}'`),
    ).load();
    for (const approved of [true, false]) {
      let runs = 0;
      const asked: unknown[] = [];
      await play({
        hooks,
        tools: [tool('echo', () => ++runs)],
        approvals: {
          request: async ({ reason }) => {
            asked.push(reason);
            return { approved };
          },
        },
        completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
      });
      expect([asked, runs]).toEqual([
        [expect.stringContaining('This will force-push to main. Are you sure?')],
        approved ? 1 : 0,
      ]);
    }
  });

  it('{"decision": "block"} with exit 2 and with exit 0 gives the same message', async () => {
    for (const code of [0, 2]) {
      const script = sh(
        `echo '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}'; exit ${code}`,
      );
      expect(await project('PreToolUse', script).decide('PreToolUse', BASH)).toMatchObject({
        action: 'block',
        reason: 'Cannot delete protected path: /etc/hosts',
      });
    }
  });
});

describe('Matchers and principles, the other readings', () => {
  it.each([
    [{ tool_name: 'Bash' }, true],
    [{ tool_name: 'Bash', tool_input: { command: 'ls' } }, true],
    [{ tool_name: 'Bash', tool_input: { command: 'pwd' } }, false],
    [{ tool_input: { description: 'List' } }, true],
    [{}, true],
  ])('"Conditions that must match for the hook to fire": %j', async (matcher, fires) => {
    const one = project('PreToolUse', sh('exit 2'), { matcher });
    expect((await one.decide('PreToolUse', BASH)).action).toBe(fires ? 'block' : 'allow');
  });

  it('"If a hook exceeds its timeout, the framework kills it": it is gone', async () => {
    const one = project('PreToolUse', sh('echo $$ > pid; sleep 3600'), { timeout: 400 });
    const pid = () => pidIn(`${one.dir}/pid`);
    await afterTime(
      400,
      () => pid() !== null,
      () => one.decide('PreToolUse', BASH),
    );
    await until(() => isGone(pid()!));
  });

  it('"MUST NOT silently modify user intent": a hook that answers with other input rewrites nothing', async () => {
    const json =
      '{"hookSpecificOutput": {"updatedInput": {"command": "other"}}, "tool_input": {"command": "other"}}';
    const outcome = await project('PreToolUse', sh(`echo '${json}'`)).decide('PreToolUse', BASH);
    expect(outcome.payload).toMatchObject({ args: { command: 'ls' } });
  });

  it('"the injected content should be visible in the session transcript": it is in the file', async () => {
    const { hooks } = await project('SessionStart', sh('echo injected')).load();
    const { events } = await play({ hooks, completions: [{ text: 'ok' }] });
    const { header, line } = transcriptLines({ sessionId: 's', startedAt: 0 });
    expect(header + events.map(line).join('')).toContain('injected');
  });

  it('"Only exit code 2 (hard block) prevents an operation": killed by a signal is an error like any other', async () => {
    const outcome = await project('PreToolUse', sh('kill -9 $$')).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.trace[0]!.failure !== null]).toEqual(['allow', true]);
  });

  it('"Every hook SHOULD include a documentation header": one without is a hook like another', async () => {
    expect(await project('PreToolUse', sh('exit 0')).problems()).not.toContainEqual(
      expect.stringContaining('HEADER'),
    );
  });
});

describe('The use cases of the six events, from the table', () => {
  const agents = [{ name: 'helper', description: 'Helps.', system: 'You help.' }];
  const transcript = `$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')`;

  it('SessionStart: "Load context, inject project state, display greeting": it is on the first request', async () => {
    const { hooks } = await project('SessionStart', sh('echo "Good morning. Branch: main"')).load();
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(provider.requests[0])).toContain('Good morning. Branch: main');
  });

  it('UserPromptSubmit: "Format enforcement, auto-categorization, work tracking"', async () => {
    const script = sh(
      'cat > prompt.json; grep -q "TICKET-" prompt.json || { echo "name a ticket" >&2; exit 2; }; echo "category: work"',
    );
    const one = project('UserPromptSubmit', script);
    const { hooks } = await one.load();
    const loose = await play({ hooks, prompt: 'do it', completions: [{ text: 'ok' }] });
    expect(loose.result.message).toContain('name a ticket');
    const good = await play({ hooks, prompt: 'TICKET-7: do it', completions: [{ text: 'ok' }] });
    expect(JSON.stringify(good.provider.requests[0])).toContain('category: work');
    expect(readFileSync(`${one.dir}/prompt.json`, 'utf8')).toContain('TICKET-7');
  });

  it('PreToolUse: "Security validation, permission checks, input sanitization": input that is not clean does not reach the tool', async () => {
    const script = sh(`grep -q '"text":"[a-z]*"' || { echo "letters only" >&2; exit 2; }`);
    const { hooks } = await project('PreToolUse', script).load();
    const ran: unknown[] = [];
    await play({
      hooks,
      tools: [tool('say', ({ text }) => ran.push(text))],
      completions: [
        { tool_calls: [call('say', { text: 'fine' }), call('say', { text: '$(x)' })] },
        { text: 'ok' },
      ],
    });
    expect(ran).toEqual(['fine']);
  });

  it('SubagentStop: "Output capture, quality validation, result aggregation": the result of one that is not good enough is not handed on', async () => {
    const script = sh(
      `cp "${transcript}" seen.jsonl; grep -q "sources:" seen.jsonl || { echo "name your sources" >&2; exit 2; }`,
    );
    const one = project('SubagentStop', script);
    const { hooks } = await one.load();
    for (const [answer, told] of [
      ['it is so', 'name your sources'],
      ['it is so; sources: a book', 'sources: a book'],
    ]) {
      const played = await play({
        hooks,
        agents,
        completions: [
          { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
          { text: answer! },
          { text: 'done' },
        ],
      });
      expect(toolMessages(played)[0]?.content).toContain(told);
      expect(readFileSync(`${one.dir}/seen.jsonl`, 'utf8')).toContain('it is so');
    }
  });

  it('Stop: "Session summary, learning extraction, state persistence": the answer is in the transcript by then', async () => {
    const one = project('Stop', sh(`grep -c "the answer" "${transcript}" > summary.txt`));
    const { hooks } = await one.load();
    await play({ hooks, completions: [{ text: 'the answer' }] });
    expect(Number(readFileSync(`${one.dir}/summary.txt`, 'utf8'))).toBeGreaterThan(0);
  });

  it('SessionEnd: "Cleanup, final state save, audit log finalization": once, after everything else', async () => {
    const script = sh(`echo "$(sed 's/.*"hook_event_name":"\\([^"]*\\)".*/\\1/')" >> audit.log`);
    const one = new SettingsProject(
      {
        hooks: {
          Stop: [{ path: 'log.sh' }],
          SessionEnd: [{ path: 'log.sh' }],
          SubagentStop: [{ path: 'log.sh' }],
        },
      },
      { 'log.sh': script },
    );
    const { hooks } = await one.load();
    await play({
      hooks,
      agents,
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    expect(readFileSync(`${one.dir}/audit.log`, 'utf8').trim().split('\n')).toEqual([
      'SubagentStop',
      'Stop',
      'SessionEnd',
    ]);
  });
});

describe('"Hooks communicate with the framework through three channels: stdout, stderr, and exit codes"', () => {
  const BLOCK = `{"decision": "block", "message": "no"}`;

  it.each([
    ['a line of log before the decision', `echo checking; echo '${BLOCK}'`],
    ['one after it, at exit 2', `echo '${BLOCK}'; echo done; exit 2`],
    ['the decision on stderr', `echo '${BLOCK}' >&2`],
    ['in several lines', `echo checking; printf '{\\n"decision": "block",\\n"message": "no"\\n}\\n'`],
  ])('"write a JSON object to stdout": a block with %s is a block', async (_how, lines) => {
    const outcome = await project('PreToolUse', sh(lines)).decide('PreToolUse', BASH);
    expect(outcome).toMatchObject({ action: 'block', reason: 'no' });
  });

  it('"Any text written to stdout is injected": also beside a block whose reason is on stderr', async () => {
    const { hooks } = await project(
      'PreToolUse',
      sh('echo "use make clean"; echo "not that" >&2; exit 2'),
    ).load();
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)[0]?.content).toContain('not that');
    expect(JSON.stringify(played.provider.requests[1])).toContain('use make clean');
  });

  it.each(['{"decision": "blok"}', '{"decision": true}', '{"decision": "block"'])(
    '"Any other — Error: Logged as warning, execution continues": %s is no decision, and it is said',
    async (printed) => {
      const outcome = await project('PreToolUse', sh(`echo '${printed}'`)).decide('PreToolUse', BASH);
      expect([outcome.action, outcome.trace[0]!.failure?.kind]).toEqual(['allow', 'invalid_return']);
    },
  );

  it('"injected … as a system-level message": marked as such on the last user message, see docs/from.md', async () => {
    const { hooks } = await project('SessionStart', sh('echo "Branch: main"')).load();
    const { provider, result } = await play({ hooks, prompt: 'hello', completions: [{ text: 'ok' }] });
    expect(provider.requests[0]!.messages).toEqual([
      { role: 'user', content: expect.stringMatching(/^hello\n\n<system-reminder>\n[\s\S]*Branch: main/) },
    ]);
    expect(result.messages[0]!.content).toBe('hello');
  });

  it('"the framework\'s settings.json": one at the root is taken over by init, not read, see docs/from.md', async () => {
    const one = new SettingsProject({ hooks: {} });
    one.write('settings.json', JSON.stringify({ hooks: { PreToolUse: [{ path: 'a.sh' }] } }), 0o644);
    expect((await one.load()).hooks).toEqual([]);
  });

  it('"A hook with a matcher fires only when the matcher conditions are satisfied": one that no tool could satisfy is refused', async () => {
    for (const name of ['', '*', 'Bash|Write'])
      expect(
        (await project('PreToolUse', sh('exit 0'), { matcher: { tool_name: name } }).problems()).join(),
      ).toContain('MATCHER_INVALID');
  });
});
