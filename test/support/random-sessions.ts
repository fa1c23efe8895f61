/**
 * Random hooks and random sessions on tape: hooks that read, keep, emit, rewrite, break or never answer, and dispatches that
 * overlap and are aborted.
 */
import fc from 'fast-check';
import type { Json } from '../../src/base/json.ts';
import type { Hook, HookCall } from '../../src/engine/hook.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';
import { hook } from './plain-hook.ts';
import { taped } from './taped.ts';

type Step = (call: HookCall, found: Json[]) => unknown;

/** What a hook does before it answers; what it finds goes into the answer, so that no reading is without consequence. */
const STEPS: Readonly<Record<string, Step>> = {
  now: ({ host }, found) => found.push(host.now()),
  uuid: ({ host }, found) => found.push(host.uuid()),
  env: ({ host }, found) => found.push(host.env('TICK') ?? null),
  noEnv: ({ host }, found) => found.push(host.env('NOT_THERE') ?? null),
  get: ({ run }, found) => found.push(run.cache.get('k') ?? null),
  has: ({ run }, found) => found.push(run.cache.has('k')),
  set: ({ run, host }) => run.cache.set('k', [host.now(), { b: 1, a: 2 }]),
  remove: ({ run }, found) => found.push(run.cache.delete('k')),
  incr: ({ run }) => run.metrics.set('n', (run.metrics.get('n') ?? 0) + 1),
  all: ({ run }, found) => found.push([...run.metrics] as unknown as Json),
  turn: ({ run, host }, found) => {
    found.push(run.turn.size);
    run.turn.set(host.uuid(), true);
  },
  clear: ({ run }) => run.cache.clear(),
  log: (call, found) => call.log('info', `found ${found.length}`),
  effect: (call) => call.effect({ kind: 'context', hook: call.hook.name, text: call.host.uuid() }),
  http: async ({ host, signal }, found) => {
    const request = { method: 'GET', url: 'https://example.test/x', headers: {}, body: null } as const;
    const limits = { timeoutMs: 10, maxBytes: 10 };
    const answer = await host.http({ ...request, ...limits }, signal!).catch((error: Error) => error.message);
    found.push(answer as unknown as Json);
  },
  wait: () => new Promise((resolve) => setImmediate(resolve)),
  emit: async (call, found) => {
    if (call.depth > 1) return;
    const sent: Json = { found: [...found] };
    const emitted = (async () => call.emit('custom.note', sent))();
    found.push(await emitted.catch((error: Error) => error.message));
  },
};

const step = fc.constantFrom(...Object.keys(STEPS));

type Ending = (found: Json[]) => unknown;

const ENDINGS: Readonly<Record<string, Ending>> = {
  allow: () => undefined,
  block: (found) => ({ action: 'block', reason: JSON.stringify(found) }),
  blockSome: (found) => (found.length % 2 === 0 ? { action: 'block', reason: 'even' } : undefined),
  ask: () => ({ action: 'ask', reason: 'sure?' }),
  modify: (found) => ({ action: 'modify', payload: { note: found, args: { command: 'ls', found } } }),
  rename: () => ({ action: 'modify', payload: { id: 'other', name: 'cat' } }),
  badModify: () => ({ action: 'modify', payload: 7 }),
  delegate: (found) => ({ action: 'delegate', request: { found } }),
  permit: () => ({ action: 'permit', reason: 'fine' }),
  nonsense: () => ({ strange: true }),
  throws: (found) => {
    throw new Error(`broke on ${JSON.stringify(found)}`);
  },
  never: () => new Promise(() => {}),
};

export interface Sketch {
  readonly event: string;
  readonly steps: readonly string[];
  readonly ending: string;
  readonly mode: Hook['mode'];
  readonly onError: Hook['onError'];
  readonly onWhenError: Hook['onWhenError'];
  readonly when: 'always' | 'tool' | 'raises';
  readonly priority: number;
}

const sketch = fc.record<Sketch>({
  event: fc.constantFrom('tool.pre', 'tool.pre', 'tool.post', 'agent.stop', 'session.end', 'custom.note'),
  steps: fc.array(step, { maxLength: 5 }),
  ending: fc.constantFrom('allow', 'allow', ...Object.keys(ENDINGS)),
  mode: fc.constantFrom('enforce', 'enforce', 'warn', 'shadow'),
  onError: fc.constantFrom('block', 'allow', 'throw'),
  onWhenError: fc.constantFrom('skip', 'block'),
  when: fc.constantFrom('always', 'always', 'tool', 'raises'),
  priority: fc.integer({ min: 0, max: 3 }),
});

function bodyOf({ steps, ending }: Pick<Sketch, 'steps' | 'ending'>) {
  return (_seen: unknown, call: HookCall): unknown => {
    const found: Json[] = [];
    const doFrom = (at: number): unknown => {
      for (let i = at; i < steps.length; i++) {
        const pending = STEPS[steps[i]!]!(call, found);
        if (pending instanceof Promise) return pending.then(() => doFrom(i + 1));
      }
      call.steps = found.length;
      return ENDINGS[ending]!(found);
    };
    return doFrom(0);
  };
}

export function hookOf(given: Sketch, position: number): Hook {
  const { event, mode, onError, onWhenError, when, priority } = given;
  const test = (seen: { name?: string }) => {
    if (when === 'raises') throw new Error('the condition is broken');
    return seen.name === 'rm';
  };
  return hook({
    name: `h${position}`,
    position,
    event,
    mode,
    onError,
    onWhenError,
    priority,
    timeoutMs: 15,
    body: bodyOf(given),
    ...(when === 'always' ? {} : { when: test }),
  });
}

export interface Fired {
  readonly event: string;
  readonly name: string;
  readonly together: boolean;
  readonly abort: 'no' | 'before' | 'soon';
}

const fired = fc.record<Fired>({
  event: fc.constantFrom('tool.pre', 'tool.pre', 'tool.post', 'agent.stop', 'session.end'),
  name: fc.constantFrom('rm', 'ls'),
  together: fc.boolean(),
  abort: fc.constantFrom('no', 'no', 'no', 'no', 'before', 'soon'),
});

const PAYLOADS: Readonly<Record<string, (name: string) => Json>> = {
  'tool.pre': (name) => ({ name, args: { z: 1, a: [name] }, id: `call-${name}` }),
  'tool.post': (name) => ({ name, call_id: `call-${name}`, content: `{"b":1,"a":"${name}"}` }),
  'agent.stop': (name) => ({ id: name, response: 'done', finish_reason: 'end_turn', tool_calls: [] }),
  'session.end': () => ({ session_id: 's', reason: 'end_turn', turn: 0 }),
};

/** A machine on which nothing is ever the same twice. */
function restlessHost(): Host {
  let ticks = 0;
  return {
    ...machineHost,
    now: () => 1_700_000_000_000 + ticks++,
    uuid: () => `id-${ticks++}`,
    env: (name) => (name === 'TICK' ? String(ticks++) : undefined),
    http: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (ticks++ % 3 === 0) throw new Error(`no answer ${ticks}`);
      return { status: 200, headers: { b: '1', a: '2' }, body: String(ticks) };
    },
  };
}

export async function session(hooks: readonly Hook[], events: readonly Fired[]) {
  const { path, tape, engine } = taped(hooks, {
    host: restlessHost(),
    engineOptions: { canAsk: true, canDelegate: true },
  });
  const waiting: Promise<unknown>[] = [];
  for (const { event, name, together, abort } of events) {
    const controller = new AbortController();
    if (abort === 'before') controller.abort();
    const outcome = engine.decide(event, PAYLOADS[event]!(name), { signal: controller.signal });
    if (abort === 'soon') setImmediate(() => controller.abort());
    if (together) waiting.push(Promise.resolve(outcome));
    else await outcome;
  }
  await Promise.all(waiting);
  tape.close();
  return path;
}

export const sketches = fc.array(sketch, { minLength: 1, maxLength: 6 });
export const story = fc.array(fired, { minLength: 1, maxLength: 8 });
