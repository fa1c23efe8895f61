/**
 * `file.edited`: queued by whoever writes, fired at the boundary between two round trips.
 */
import { describe, expect, it } from 'vitest';
import { Session, type SessionEvent, scriptedProvider } from '../../src/exports/agent.ts';
import { call, decisions, firedIn, names, on, outcomeOf, payloadsOf, play, tool } from '../support/agent.ts';

const write = tool('write', (args, context) => {
  context.fileEdited(String(args.path), { bytes: 3 });
  context.fileEdited(`${args.path}.lock`);
  return 'ok';
});
const TWO_WRITES = [
  { tool_calls: [call('write', { path: 'b' }), call('write', { path: 'a' })] },
  { tool_calls: [call('write', { path: 'c' })] },
  { text: 'Done.' },
];

describe('[C089] file.edited', () => {
  it('[C089] fires once for each write, in order, after the tools of the round trip and before the next request', async () => {
    const played = await play({
      completions: TWO_WRITES,
      tools: [write],
      config: { limits: { parallelTools: 1 } },
    });
    expect(payloadsOf(played, 'file.edited').map(({ path }) => path)).toEqual([
      'b',
      'b.lock',
      'a',
      'a.lock',
      'c',
      'c.lock',
    ]);
    expect(payloadsOf(played, 'file.edited')[0]).toEqual({
      path: 'b',
      metadata: { bytes: 3 },
      session_id: 's1',
      turn: 0,
    });
    const order = names(played);
    const first = order.indexOf('file.edited');
    expect(order.slice(0, first)).not.toContain('agent.stop');
    expect(order.slice(first - 2, first)).toEqual(['tool.post', 'turn.step']);
    expect(order.slice(first, first + 5)).toEqual([...Array(4).fill('file.edited'), 'completion.pre']);
  });

  it('of two calls side by side fires in the order of the calls, whichever wrote first', async () => {
    const wait = tool('wait', async (args, context) => {
      if (args.path === 'slow') await new Promise((resolve) => setTimeout(resolve, 20));
      context.fileEdited(String(args.path));
      return 'ok';
    });
    const both = { tool_calls: [call('wait', { path: 'slow' }), call('wait', { path: 'quick' })] };
    const played = await play({ completions: [both, { text: 'Done.' }], tools: [wait] });
    expect(payloadsOf(played, 'file.edited').map(({ path }) => path)).toEqual(['slow', 'quick']);
  });

  it('reports a veto as ignored', async () => {
    const hooks = [on('file.edited', () => decisions.block('no'))];
    const played = await play({ completions: TWO_WRITES, tools: [write], hooks });
    expect(outcomeOf(played, 'file.edited').trace[0]!.vetoIgnored).toBeTruthy();
    expect(played.result.reason).toBe('end_turn');
  });

  it('takes writes from outside the tools, and loses none where a hook fails in between', async () => {
    const events: SessionEvent[] = [];
    let fails = true;
    const session = new Session({
      provider: scriptedProvider({ completions: [{ text: 'one' }, { text: 'two' }] }),
      config: { oneShot: false },
      hooks: [
        on(
          'file.edited',
          () => {
            if (fails) throw new Error('broken');
          },
          { onError: 'throw' },
        ),
      ],
      onEvent: (event) => events.push(event),
    });
    session.fileEdited('x', { by: 'editor' });
    session.fileEdited('y');
    expect((await session.run('a').result).reason).toBe('error');
    fails = false;
    expect((await session.run('b').result).reason).toBe('end_turn');
    await session.close();
    const fired = firedIn(events).filter(({ event }) => event === 'file.edited');
    expect(fired.map(({ payload }) => payload)).toMatchObject([
      { path: 'x', metadata: { by: 'editor' } },
      { path: 'y' },
    ]);
  });
});
