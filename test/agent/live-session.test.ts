/**
 * What hooks of a running session can rely on: the conversation as it stands, the turn as it is recorded, the budget at any
 * share, and that a call of theirs is on the tape before they run.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createHooks, HookRegistry, HookRuntime } from '../../src/exports/hooks.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { call, decisions, echo, on, play } from '../support/agent.ts';
import { tempProject } from '../support/temp-project.ts';

const TWO_STEPS = [
  {
    text: 'Looking.',
    tool_calls: [call('echo', { text: 'x' })],
    usage: { input_tokens: 40, output_tokens: 0 },
  },
  {
    text: 'Again.',
    tool_calls: [call('echo', { text: 'y' })],
    usage: { input_tokens: 35, output_tokens: 0 },
  },
  { text: 'Done.', usage: { input_tokens: 1, output_tokens: 0 } },
];

describe('post_turn', () => {
  it('[C072] is called after each model/tool turn, with what was said and what the calls gave', async () => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    hooks.registerSessionHook('post_turn', ({ text, iteration, tool_results = [] }) => {
      seen.push([iteration, text, tool_results.map(({ content }) => content)]);
    });
    await play({ hooks: hooks.registry, tools: [echo], completions: TWO_STEPS });
    expect(seen).toEqual([
      [1, 'Looking.', ['{"said":"x"}']],
      [2, 'Again.', ['{"said":"y"}']],
      [3, 'Done.', []],
    ]);
  });

  it('is called once the turn is in the history, before it is decided whether to go on', async () => {
    const hooks = createHooks();
    const order: string[] = [];
    hooks.registerSessionHook('post_turn', ({ transcript = [] }) => {
      order.push(`post_turn ${transcript.at(-1)?.role}`);
    });
    await play({
      hooks: [
        ...hooks.registry.list(),
        on('agent.stop', () => {
          order.push('agent.stop');
        }),
      ],
      tools: [echo],
      completions: [TWO_STEPS[0]!, TWO_STEPS[2]!],
    });
    expect(order).toEqual(['post_turn tool', 'post_turn assistant', 'agent.stop']);
  });

  it('can only watch: a veto is ignored and on record', async () => {
    const played = await play({
      hooks: [on('turn.step', () => decisions.block('no'))],
      completions: [{ text: 'Done.' }],
    });
    expect(played.result.reason).toBe('end_turn');
    expect(
      played.fired.find(({ event }) => event === 'turn.step')?.outcome.trace[0]?.vetoIgnored,
    ).toBeTruthy();
  });
});

describe('the live transcript', () => {
  it('is what session and tool hooks see, as it stands when they run, and cannot be changed by them', async () => {
    const hooks = createHooks();
    const lengths: unknown[] = [];
    hooks.registerSessionHook('session_start', ({ transcript }) => void lengths.push(transcript?.length));
    hooks.registerToolHook({
      pre: ({ transcript = [] }) => {
        lengths.push(transcript.map(({ role, content }) => `${role}: ${content}`));
        expect(() => (transcript as unknown[]).push('x')).toThrow();
        expect(() => Object.assign(transcript[0]!, { content: 'x' })).toThrow();
      },
    });
    hooks.registerSessionHook('session_end', ({ transcript }) => void lengths.push(transcript?.length));
    const played = await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [TWO_STEPS[0]!, TWO_STEPS[2]!],
    });
    expect(lengths).toEqual([0, ['user: go', 'assistant: Looking.'], 4]);
    expect(played.result.messages[0]).toEqual({ role: 'user', content: 'go' });
  });
});

describe('model.post', () => {
  it('[C076] is called once the assistant message is recorded', async () => {
    const registry = new HookRegistry();
    const recorded: unknown[] = [];
    let messages: () => readonly unknown[] = () => [];
    registry.register('model.post', {
      type: 'fn',
      name: 'meter',
      fn: () => {
        recorded.push(messages().at(-1));
        return {};
      },
    });
    const hooks = new HookRuntime({ registry });
    const { Session, scriptedProvider } = await import('../../src/exports/agent.ts');
    const session = new Session({ hooks, provider: scriptedProvider({ completions: [{ text: 'Done.' }] }) });
    messages = () => session.messages;
    await session.run('go').result;
    expect(recorded).toMatchObject([{ role: 'assistant', content: 'Done.' }]);
    expect(session.messages).toHaveLength(2);
  });

  it('an answer that a hook throws away leaves the history as it was', async () => {
    const played = await play({
      hooks: [on('completion.post', () => decisions.block('no'))],
      completions: [{ text: 'Done.' }],
    });
    expect(played.result).toMatchObject({ reason: 'completion_blocked' });
    expect(played.result.messages).toEqual([{ role: 'user', content: 'go' }]);
  });
});

describe('OnBudgetThreshold(pct)', () => {
  it('[C096] is called once, when that share is reached, whatever number it is', async () => {
    const hooks = createHooks();
    const seen: [string, number][] = [];
    hooks.registerPersonaHook(
      '*',
      'OnBudgetThreshold(70)',
      ({ percentage }) => void seen.push(['70', percentage]),
    );
    hooks.registerPersonaHook(
      '*',
      'OnBudgetThreshold(76)',
      ({ percentage }) => void seen.push(['76', percentage]),
    );
    hooks.registerPersonaHook(
      '*',
      'OnBudgetThreshold(90)',
      ({ percentage }) => void seen.push(['90', percentage]),
    );
    await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: TWO_STEPS,
      config: { limits: { maxTokens: 100 } },
    });
    expect(seen).toEqual([
      ['70', 70],
      ['76', 76],
    ]);
  });
});

/** Its hook ends the process before it answers. */
const KILLS_ITSELF = `
import { Session } from './agent/session.ts';
import { scriptedProvider } from './agent/providers/scripted.ts';
import { createHooks } from './exports/hooks.ts';
import { machineHost } from './machine/host.ts';
import { openTape } from './tape/open-tape.ts';
const hooks = createHooks();
hooks.registerSessionHook('session_start', () => { process.kill(process.pid, 'SIGKILL'); });
const tape = openTape(process.argv[2], { session: 's1', hooks: hooks.registry.list(), host: machineHost });
const provider = scriptedProvider({ completions: [{ text: 'Done.' }] });
new Session({ provider, hooks: hooks.registry, recorder: tape.recorder }).run('go');
`;

describe('hook_call', () => {
  it('[C115] is on disk before the closure runs: one that kills the process leaves it behind', async () => {
    const dir = tempProject();
    const program = join(dir, 'program.cjs');
    const tape = join(dir, 'tape.jsonl');
    const resolveDir = fileURLToPath(new URL('../../src', import.meta.url));
    await build({
      stdin: { contents: KILLS_ITSELF, resolveDir, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: program,
      logLevel: 'error',
    });
    const killed = spawnSync(process.execPath, [program, tape], { encoding: 'utf8', timeout: 60_000 });
    expect([killed.signal, killed.stderr]).toEqual(['SIGKILL', '']);
    const entries = [...readTape(tape).entries].map(({ record }) => record);
    expect(entries.map(({ type }) => type).slice(-2)).toEqual(['dispatch', 'hook_call']);
    expect(entries.at(-1)).toMatchObject({ hook: 'session_hook::SessionStart' });
  });
});
