/** The conversation of a run: what stands together in one step, and that parts of a long one are those of the whole. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tapeHeader, writeTape } from '../../test/support/tape.ts';
import type { Json } from '../base/json.ts';
import type { HookPart, TapeRecord } from '../tape/entry.ts';
import type { Step, StepLine } from './server/api.ts';
import { TapePass } from './tape-pass.ts';
import type { ShownTape } from './tapes.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-steps-'));
afterAll(() => rmSync(folder, { recursive: true }));

let dispatch = 0;
function decided(
  event: string,
  payload: Json,
  more: Partial<HookPart> & { callId?: string; run?: number } = {},
): TapeRecord {
  const { result = 'allow', reason, callId, run = 1 } = more;
  const said = result === 'allow' ? {} : { hook: 'guard', reason: reason ?? 'no' };
  return {
    type: 'decision',
    in: { dispatch: ++dispatch, run, event, payload, ...(callId !== undefined && { callId }) },
    out: {
      action: result,
      ...said,
      hooks: [
        { hook: 'guard', source: 'guard.md', ...(result !== 'allow' && { result, reason: reason ?? 'no' }) },
      ],
    },
  };
}

const pre = (id: string, command: string, more: Partial<HookPart> = {}) =>
  decided('tool.pre', { id, name: 'run_command', args: { command } }, { callId: id, ...more });
const post = (id: string, more: Partial<HookPart> = {}) =>
  decided(
    'tool.post',
    { call_id: id, name: 'run_command', args: {}, content: 'done' },
    { callId: id, ...more },
  );
const call = (callId: string, verdict: 'ran' | 'blocked' | 'unknown_tool'): TapeRecord => ({
  ...{ type: 'call', callId, tool: 'run_command', verdict },
  ...{ by: null, reason: verdict === 'ran' ? null : 'because', digest: null },
});
const answer = (content: string) =>
  decided('completion.post', {
    choices: [{ message: { content, tool_calls: [{ name: 'run_command' }] } }],
    usage: { input_tokens: 10, output_tokens: 2 },
  });

async function passOver(name: string, records: Iterable<TapeRecord>): Promise<TapePass> {
  const file = join(folder, `${name}.jsonl`);
  writeTape(file, records, { header: tapeHeader() });
  const { size: bytes, mtimeMs: written, ino: inode } = statSync(file);
  const tape: ShownTape = { id: name, file, state: `${bytes}`, bytes, inode, written };
  const pass = new TapePass(tape);
  await pass.catchUp(tape);
  return pass;
}

const isStep = (line: StepLine): line is Step & { line: 0 } => line.line === 0;
const stepsOf = async (pass: TapePass) => (await pass.stepLines(0, pass.counted('steps'))).filter(isStep);

describe('the steps of a run', () => {
  it('are prompts, answers and calls; messages, settings and the ends of calls are not', async () => {
    const pass = await passOver('plain', [
      { type: 'run', run: 1, actor: null, caller: null, settings: {} },
      decided('session.start', { source: 'startup' }),
      decided('turn.start', 'Fix the test'),
      { type: 'session', kind: 'message', data: { message: { role: 'user', content: 'Fix the test' } } },
      decided('completion.pre', { messages: [] }),
      answer('I will look.'),
      pre('a', 'ls'),
      pre('b', 'cat x'),
      post('a'),
      call('a', 'ran'),
      post('b'),
      call('b', 'ran'),
      decided('turn.step', { text: 'I will look.' }),
    ]);
    const steps = await stepsOf(pass);
    expect(steps.map(({ kind, text }) => [kind, text])).toEqual([
      ['prompt', 'Fix the test'],
      ['answer', 'I will look.'],
      ['call', 'ls'],
      ['call', 'cat x'],
    ]);
    expect(steps[1]!.tokens).toEqual({ sent: 10, received: 2 });
    expect(steps[2]!.parts.map(({ event }) => event)).toEqual(['tool.pre', 'tool.post', 'call']);
    expect(steps[2]).toMatchObject({ verdict: 'ran', tookMs: expect.any(Number), action: 'allow' });
  });

  it('say of a call that was stopped what it would have done, and by what it was stopped', async () => {
    const pass = await passOver('stopped', [
      decided('turn.start', 'Clean up'),
      pre('a', 'sudo rm -rf /var/lib/app', { result: 'block', reason: 'never' }),
      call('a', 'blocked'),
      pre('b', 'git push --force', { result: 'ask', reason: 'sure?' }),
      decided('agent.stop', { response: 'Done' }, { result: 'block', reason: 'run the tests first' }),
    ]);
    const [, blocked, asked, sentBack] = await stepsOf(pass);
    expect(blocked).toMatchObject({
      action: 'block',
      hook: 'guard',
      reason: 'never',
      verdict: 'blocked',
      lines: 3,
    });
    expect(blocked!.does.join(' ')).toMatch(/Deletes \/var\/lib\/app and everything in it/);
    expect(asked).toMatchObject({ action: 'ask', lines: 3 });
    expect(sentBack).toMatchObject({ kind: 'event', event: 'agent.stop', reason: 'run the tests first' });
  });

  it('show a result that was hidden beside its call, and a call that no guard was asked about', async () => {
    const pass = await passOver('hidden', [
      pre('a', 'env'),
      post('a', { result: 'block', reason: 'a secret' }),
      call('b', 'unknown_tool'),
    ]);
    expect(
      (await stepsOf(pass)).map(({ kind, event, verdict, action }) => [kind, event, verdict, action]),
    ).toEqual([
      ['call', 'tool.pre', null, 'allow'],
      ['event', 'tool.post', null, 'block'],
      ['event', 'call', 'unknown_tool', null],
    ]);
  });

  it('stand inside of the sub-agent that made them', async () => {
    const caller = { name: 'tester', depth: 1, chain: ['tester'], parent_session_id: 's' };
    const pass = await passOver('inside', [
      decided('delegation.pre', { id: 'd1', agent: 'tester', prompt: 'Run the tests' }),
      { type: 'run', run: 2, actor: null, caller, settings: {} },
      decided('turn.start', 'Run the tests', { run: 2 }),
      decided(
        'tool.pre',
        { id: 'x', name: 'run_command', args: { command: 'npm test' } },
        { callId: 'x', run: 2 },
      ),
      decided('delegation.post', { id: 'd1', result: 'all pass' }),
    ]);
    expect((await stepsOf(pass)).map(({ kind, depth, who }) => [kind, depth, who])).toEqual([
      ['agent', 0, null],
      ['prompt', 1, 'tester'],
      ['call', 1, 'tester'],
    ]);
    // A prompt of a sub-agent begins no turn of the run.
    expect(pass.turns).toHaveLength(0);
  });

  it('are the same wherever a part of a long run begins, and say how each ended', async () => {
    function* long(): Generator<TapeRecord> {
      for (let i = 0; i < 3000; i++) {
        if (i % 100 === 0) yield decided('turn.start', `prompt ${i} ${'x'.repeat(300)}`);
        yield pre(`c${i}`, `echo ${i}`, i % 37 === 5 ? { result: 'block' } : {});
        if (i % 37 === 5) yield call(`c${i}`, 'blocked');
        // Ends come late and in another order.
        if (i % 7 === 6)
          for (let back = 0; back < 7; back++) if ((i - back) % 37 !== 5) yield post(`c${i - back}`);
      }
    }
    const pass = await passOver('long', long());
    const all = await pass.stepLines(0, pass.counted('steps'));
    expect(all).toHaveLength(pass.counted('steps'));
    for (let from = 0; from < all.length; from += 411)
      expect(await pass.stepLines(from, from + 60)).toEqual(all.slice(from, from + 60));
    const calls = all.filter(isStep).filter(({ kind }) => kind === 'call');
    expect(calls).toHaveLength(3000);
    expect(calls.filter(({ tookMs, action }) => tookMs === null && action === 'allow').length).toBeLessThan(
      8,
    );
    expect(pass.turns).toHaveLength(30);
    expect(all[pass.turns[7]!.line]).toMatchObject({ seq: pass.turns[7]!.seq, kind: 'prompt' });
    // Also from the entry of its end.
    const step = calls[2500]!;
    expect(await pass.stepAt(step.parts[1]!.seq)).toMatchObject({
      step: { seq: step.seq },
      line: all.indexOf(step),
    });
  });
});
