/**
 * What runs is what was judged: a call is frozen when it is judged, whatever holds a reference to it, and two readings of
 * one payload are refused.
 */
import { describe, expect, it } from 'vitest';
import { ToolHookRegistry } from '../../src/engine/interceptors.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { call, decisions, hook, type Play, type Played, play, tool, toolMessages } from '../support/agent.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const PLACES = { managed: null, user: null };

/** Whatever says `evil` is blocked. */
const GUARD = hookFile(
  'def handle(event, payload):\n    return block("evil") if "evil" in str(payload["args"]) else allow()',
);
const REWRITER = hookFile(
  'def handle(event, payload):\n    return modify({"args": {"text": {"in": "rewritten"}}})',
);

const TEXT_REWRITER = hookFile(
  'def handle(event, payload):\n    return modify({"arguments": json.encode({"text": {"in": "rewritten"}})})',
);

const policyOf = (hooks: Readonly<Record<string, string>>): Promise<Policy> =>
  openPolicy(
    tempProject(
      Object.fromEntries(Object.entries(hooks).map(([name, text]) => [`.harness/hooks/${name}.md`, text])),
    ),
    { places: PLACES },
  );

/** Writes into a call where it can: deep inside and at its top. */
function spoil(args: unknown): void {
  const target = args as Record<string, unknown>;
  attempt(() => Object.assign(target, { text: 'evil' }));
  attempt(() => Object.assign(target.text as object, { in: 'evil' }));
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // It is frozen, as it should be.
  }
}

interface Ran {
  readonly ran: readonly unknown[];
  readonly played: Played;
}

async function one(options: Omit<Play, 'completions' | 'tools'>): Promise<Ran> {
  const ran: unknown[] = [];
  const played = await play({
    completions: [{ tool_calls: [call('echo', { text: { in: 'good' } })] }, { text: 'done' }],
    tools: [
      tool('echo', (args) => {
        ran.push(structuredClone(args));
        return 'ok';
      }),
      tool('other', () => {
        ran.push('the other tool');
        return 'ok';
      }),
    ],
    ...options,
  });
  return { ran, played };
}

describe('arguments that somebody changes by reference', () => {
  const ways: readonly (readonly [string, () => Omit<Play, 'completions' | 'policy'>])[] = [
    [
      'permissions.decide',
      () => ({
        permissions: {
          decide: ({ args }) => {
            spoil(args);
            return { decision: 'auto' };
          },
        },
      }),
    ],
    [
      'permissions.decide, after its answer',
      () => ({
        permissions: {
          decide: async ({ args }) => {
            queueMicrotask(() => spoil(args));
            setTimeout(() => spoil(args), 0);
            return { decision: 'auto' };
          },
        },
      }),
    ],
    ['an onEvent listener', () => ({ onEvent: (event) => 'args' in event && spoil(event.args) })],
    [
      'an onEvent listener, in payloads of hooks',
      () => ({
        onEvent: (event) => {
          if (event.type !== 'hook') return;
          for (const payload of [event.payload, event.outcome.payload] as { args?: unknown }[]) {
            spoil(payload.args ?? {});
            attempt(() => Object.assign(payload, { name: 'other' }));
            attempt(() => Object.assign(payload, { args: { text: 'evil' } }));
          }
        },
      }),
    ],
    [
      'an interceptor',
      () => {
        const interceptors = new ToolHookRegistry();
        interceptors.registerBefore('*', async (_name, input) => {
          spoil(input);
          return {} as never;
        });
        return { interceptors };
      },
    ],
    [
      'the tool before it',
      () => ({
        onEvent: (event) => event.type === 'tool.start' && spoil(event.args),
      }),
    ],
  ];

  describe.each([
    ['as the model sent it', { guard: GUARD }, { text: { in: 'good' } }],
    ['as a hook rewrote it', { guard: GUARD, rewriter: REWRITER }, { text: { in: 'rewritten' } }],
    ['as a hook rewrote its text', { guard: GUARD, rewriter: TEXT_REWRITER }, { text: { in: 'rewritten' } }],
  ])('of a call %s', (_title, hooks, judged) => {
    it.each(ways)('do not run if it is %s', async (_way, options) => {
      const { ran } = await one({ policy: await policyOf(hooks), ...options() });
      for (const args of ran) expect(args).toEqual(judged);
    });
  });

  it('do not run if the hook that rewrote them has kept them', async () => {
    const kept = { text: { in: 'kept' } };
    const { ran } = await one({
      policy: await policyOf({ guard: GUARD }),
      hooks: [
        hook({ name: 'keeps', priority: 1, body: () => decisions.modify({ args: kept }) }),
        hook({
          name: 'spoils',
          priority: 99,
          body: async () => {
            kept.text.in = 'evil';
          },
        }),
      ],
    });
    expect(ran).toEqual([{ text: { in: 'kept' } }]);
  });

  it('run if an interceptor says openly what they should be and every guard agrees', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', async () => ({
      blocked: false,
      modifiedInput: { text: { in: 'other' } },
    }));
    const { ran } = await one({ policy: await policyOf({ guard: GUARD }), interceptors });
    expect(ran).toEqual([{ text: { in: 'other' } }]);
  });

  it('do not run if an interceptor makes of them what a guard refuses', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', async () => ({ blocked: false, modifiedInput: { text: 'evil' } }));
    const { ran, played } = await one({ policy: await policyOf({ guard: GUARD }), interceptors });
    expect(ran).toEqual([]);
    expect(toolMessages(played)[0]!.content).toContain('blocked by hook "guard": evil');
  });

  it('are judged again by permissions in code too', async () => {
    const seen: unknown[] = [];
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', async () => ({ blocked: false, modifiedInput: { text: 'later' } }));
    await one({
      policy: await policyOf({ guard: GUARD }),
      interceptors,
      permissions: {
        decide: ({ args }) => {
          seen.push(args);
          return { decision: 'auto' };
        },
      },
    });
    expect(seen).toEqual([{ text: { in: 'good' } }, { text: 'later' }]);
  });
});

describe('two readings of one payload', () => {
  it('are refused by decide: args and arguments that disagree', async () => {
    const policy = await policyOf({ guard: GUARD });
    const payload = { id: '1', name: 'echo', args: { text: 'good' }, arguments: '{"text":"evil"}' };
    expect(await policy.decide('tool.pre', payload)).toMatchObject({ action: 'block', hook: null });
    expect(await policy.decide('tool.pre', { ...payload, arguments: '{"text":"good"}' })).toMatchObject({
      action: 'allow',
    });
  });

  it('are refused by decide: a key twice in the text of the arguments', async () => {
    const policy = await policyOf({ guard: GUARD });
    const payload = { id: '1', name: 'echo', arguments: '{"text":"evil","text":"good"}' };
    expect(await policy.decide('tool.pre', payload)).toMatchObject({ action: 'block', hook: null });
  });

  it('are refused by a session: a key twice in what the model sent', async () => {
    const ran: unknown[] = [];
    const played = await play({
      policy: await policyOf({ guard: GUARD }),
      completions: [
        { tool_calls: [{ name: 'echo', arguments: '{"text":"evil","text":"good"}' }] } as never,
        { text: 'done' },
      ],
      tools: [
        tool('echo', (args) => {
          ran.push(args);
          return 'ok';
        }),
      ],
    });
    expect(ran).toEqual([]);
    expect(toolMessages(played)[0]!.content).toContain('invalid arguments');
  });
});
