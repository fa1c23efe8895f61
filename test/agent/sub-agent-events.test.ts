/**
 * What a session's sub-agents do is not the session's own start, prompt and end: hooks that were written for the session hear
 * those once. Guards hear everything, and are told whose call it is.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTranscript } from '../../src/agent/record/transcript.ts';
import type { Actor } from '../../src/engine/who.ts';
import { createHooks, HookRegistry, HookRuntime } from '../../src/exports/hooks.ts';
import { call, echo, play, toolMessages } from '../support/agent.ts';
import { SettingsProject, sh } from '../support/settings-project.ts';

const helper = { name: 'helper', description: 'Helps.', system: 'You help.' };
const HANDS_OVER = [
  { text: 'Asking.', tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
  { text: 'Looking.', tool_calls: [call('echo', { text: 'x' })] },
  { text: 'found it' },
  { text: 'done' },
];
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStop', 'Stop', 'SessionEnd'];

/** Hooks on every event of the specification; each appends what it read to a file. */
function listening(form: 'path' | 'nested', script = sh('cat >> seen.jsonl; echo >> seen.jsonl')) {
  const entry =
    form === 'path' ? { path: 'note.sh' } : { hooks: [{ type: 'command', command: './note.sh' }] };
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [entry]]));
  return new SettingsProject({ hooks }, { 'note.sh': script });
}

async function heard(form: 'path' | 'nested', actor: Actor | null = null) {
  const project = listening(form);
  const { hooks } = await project.load();
  const played = await play({ hooks, actor, agents: [helper], tools: [echo], completions: HANDS_OVER });
  expect(played.result.text).toBe('done');
  const lines = readFileSync(`${project.dir}/seen.jsonl`, 'utf8').trim().split('\n');
  return { played, seen: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe.each(['path', 'nested'] as const)('hooks of settings.json (%s form)', (form) => {
  it.each<[string, Actor | null]>([
    ['nobody', null],
    ['a person', { id: 'ann' }],
    ['a person with scopes', { id: 'ann', scopes: ['read'] }],
  ])('hear of the session of %s once, and of a sub-agent its calls and its end', async (_, actor) => {
    const { seen } = await heard(form, actor);
    expect(seen.map((one) => one.hook_event_name)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PreToolUse',
      'SubagentStop',
      'Stop',
      'SessionEnd',
    ]);
    expect(seen.filter((one) => 'caller' in one)).toHaveLength(1);
  });

  it('are told whose call it is', async () => {
    const { seen } = await heard(form);
    const [own, inner] = seen.filter((one) => one.hook_event_name === 'PreToolUse');
    expect([own, inner].map((one) => one?.tool_name)).toEqual(['delegate', 'echo']);
    expect(own).not.toHaveProperty('caller');
    expect(inner?.caller).toEqual({
      name: 'helper',
      depth: 1,
      chain: ['helper'],
      parent_session_id: 's1',
    });
    expect(inner?.agent_type).toBe(form === 'nested' ? 'helper' : undefined);
  });

  it('are always given a transcript that is there, with what was said so far', async () => {
    const { seen } = await heard(form);
    const paths = new Set(seen.map((one) => String(one.transcript_path)));
    expect(paths.size).toBe(1);
    const [path] = [...paths];
    expect(statSync(path!).isFile()).toBe(true);
    const entries = parseTranscript(readFileSync(path!, 'utf8'));
    expect(entries[0]).toMatchObject({ type: 'session', id: 's1' });
    expect(JSON.stringify(entries)).toContain('found it');
  });
});

describe('a transcript path', () => {
  it('is a file that exists where no session runs at all', async () => {
    const script = sh(
      'path=$(sed \'s/.*"transcript_path":"\\([^"]*\\)".*/\\1/\'); test -e "$path" || exit 2',
    );
    const project = listening('path', script);
    const { hooks } = await project.load();
    const { Engine } = await import('../../src/engine/engine.ts');
    const { RunState } = await import('../../src/engine/run-state.ts');
    const { machineHost } = await import('../../src/machine/host.ts');
    const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
    expect((await engine.decide('tool.pre', { name: 'Bash', args: {} })).action).toBe('allow');
  });

  it('is the one the session writes, for its sub-agents too', async () => {
    const project = listening('path');
    const { hooks } = await project.load();
    const transcriptPath = `${project.dir}/.harness/settings.json`;
    await play({
      hooks,
      agents: [helper],
      tools: [echo],
      completions: HANDS_OVER,
      config: { transcriptPath },
    });
    const text = readFileSync(`${project.dir}/seen.jsonl`, 'utf8').trim();
    for (const line of text.split('\n')) expect(JSON.parse(line).transcript_path).toBe(transcriptPath);
    expect(existsSync(transcriptPath)).toBe(true);
  });
});

describe('hooks in code', () => {
  it('session hooks hear of the session once, and tool hooks of every call with its caller', async () => {
    const hooks = createHooks();
    const heard: string[] = [];
    for (const event of ['session_start', 'user_prompt_submit', 'session_end'] as const)
      hooks.registerSessionHook(event, (seen) => void heard.push(`${seen.event} ${seen.session.id}`));
    hooks.registerToolHook({
      pattern: '*',
      pre: ({ tool, caller }) => void heard.push(`${tool.name} ${caller?.name ?? '-'}`),
    });
    await play({ hooks: hooks.registry, agents: [helper], tools: [echo], completions: HANDS_OVER });
    expect(heard).toEqual([
      'SessionStart s1',
      'UserPromptSubmit s1',
      'delegate -',
      'echo helper',
      'SessionEnd s1',
    ]);
  });

  it('registry hooks hear of the session once, and still block in a sub-agent', async () => {
    const heard: string[] = [];
    const registry = new HookRegistry();
    for (const event of ['session.start', 'user.prompt.submit', 'session.end', 'error'] as const)
      registry.register(event, {
        type: 'fn',
        name: event,
        fn: () => {
          heard.push(event);
          return {};
        },
      });
    registry.register('tool.pre', {
      type: 'fn',
      name: 'guard',
      fn: (context) => ({
        continue: context.event === 'tool.pre' && context.toolName !== 'echo',
        reason: `not ${context.caller?.name}`,
      }),
    });
    const hooks = new HookRuntime({ registry });
    const played = await play({ hooks, agents: [helper], tools: [echo], completions: HANDS_OVER });
    expect(heard).toEqual(['session.start', 'user.prompt.submit', 'session.end']);
    const inner = played.events.flatMap((event) => (event.type === 'agent' ? [event.event] : []));
    expect(inner.find((event) => event.type === 'tool.end')).toMatchObject({
      content: expect.stringContaining('not helper'),
      isError: true,
    });
    expect(toolMessages(played)).toMatchObject([{ content: 'found it' }]);
  });

  it('what was not told of a sub-agent is in its trace', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => null);
    const { events } = await play({
      hooks: hooks.registry,
      agents: [helper],
      tools: [echo],
      completions: HANDS_OVER,
    });
    const inner = events.flatMap((event) =>
      event.type === 'agent' && event.event.type === 'hook' && event.event.event === 'session.start'
        ? event.event.outcome.trace
        : [],
    );
    expect(inner).toMatchObject([{ state: 'unmatched', reason: expect.stringContaining('sub-agent') }]);
  });
});
