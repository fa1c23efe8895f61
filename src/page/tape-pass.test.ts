/** A long tape in parts: what is read from the middle is what reading all of it gives. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tapeHeader, writeTape } from '../../test/support/tape.ts';
import type { Json } from '../base/json.ts';
import type { Fired, TapeRecord } from '../tape/entry.ts';
import { TapeFollower } from '../tape/follow.ts';
import { PayloadShortener } from '../tape/payload-dedup.ts';
import type { Story } from '../tape/stories.ts';
import { rowOf } from './rows.ts';
import { TapePass } from './tape-pass.ts';
import type { ShownTape } from './tapes.ts';

const TURNS = 400;
const folder = mkdtempSync(join(tmpdir(), 'harness-pass-'));
const file = join(folder, 'long.jsonl');
let tape: ShownTape;
afterAll(() => rmSync(folder, { recursive: true }));

/** A session: each turn a conversation that grows, a call, and its result, as the recorder shortens them. */
function* session(): Generator<TapeRecord> {
  const shortener = new PayloadShortener();
  const messages: Json[] = [];
  let dispatch = 0;
  const decided = (fired: Omit<Fired, 'dispatch' | 'run'>, action: 'allow' | 'block'): TapeRecord => {
    const whole = { ...fired, dispatch: ++dispatch, run: 1 };
    const hooks = [{ hook: 'guard', ...(action === 'block' && { result: action, reason: 'no' }) }];
    return {
      type: 'decision',
      in: shortener.shorten(whole),
      out: { action, ...(action === 'block' && { hook: 'guard', reason: 'no' }), hooks },
    };
  };
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: 'user', content: `turn ${turn} ${'x'.repeat(2000)}` });
    if (turn === 200)
      yield {
        type: 'session',
        kind: 'hook',
        data: {
          event: 'tool.pre',
          name: 'guard',
          source: 'late.md',
          layer: 'project',
          priority: 1,
          mode: 'enforce',
          frontEnd: 'markdown',
          digest: null,
        } as never,
      };
    yield decided(
      { event: 'completion.pre', payload: { messages: [...messages] } },
      turn % 50 === 7 ? 'block' : 'allow',
    );
    const call = { id: `c${turn}`, name: 'run', args: { command: `echo ${turn} ${'y'.repeat(200)}` } };
    yield decided(
      { event: 'tool.pre', payload: call, callId: `c${turn}` },
      turn % 40 === 3 ? 'block' : 'allow',
    );
    yield decided(
      { event: 'tool.post', payload: { ...call, result: `done ${turn}` }, callId: `c${turn}` },
      'allow',
    );
    yield {
      type: 'session',
      kind: 'message',
      data: { message: { role: 'assistant', content: `said ${turn}` } },
    };
  }
}

const shown = (): ShownTape => {
  const { size: bytes, mtimeMs: written, ino: inode } = statSync(file);
  return { id: 'long', file, state: `${bytes}`, bytes, inode, written };
};

beforeAll(() => {
  writeTape(file, session(), { header: tapeHeader() });
  tape = shown();
  expect(tape.bytes).toBeGreaterThan(1024 * 1024);
});

const all = () => [...new TapeFollower(file).all()];

describe('a part of a long tape', () => {
  it('has the same lines, wherever it begins', async () => {
    const pass = new TapePass(tape);
    await pass.catchUp(tape);
    const rows = all().map((chapter) => rowOf('long', chapter));
    expect(pass.counted('rows')).toBe(rows.length);
    for (let from = 0; from < rows.length; from += 331)
      expect(await pass.window('rows', from, from + 40)).toEqual(rows.slice(from, from + 40));
    const decisions = rows.filter(({ note }) => !note);
    expect(pass.counted('decisions')).toBe(decisions.length);
    expect(await pass.window('decisions', 900, 910)).toEqual(decisions.slice(900, 910));
    expect(pass.lastRows(64 * 1024).slice(0, 20)).toEqual(decisions.slice(-20).reverse());
  });

  it('gives a decision whole, with what its line leaves out, and those beside it', async () => {
    const pass = new TapePass(tape);
    await pass.catchUp(tape);
    const stories = all().flatMap((chapter): Story[] => (chapter.kind === 'decision' ? [chapter.story] : []));
    const seqs = stories
      .filter((_, i) => i % 97 === 0 || i > stories.length - 3)
      .map(({ dispatch }) => dispatch.seq);
    const found: Story[] = [];
    for await (const each of pass.storiesAt(seqs)) found.push(each!.story);
    expect(found).toEqual(stories.filter(({ dispatch }) => seqs.includes(dispatch.seq)));
    for (const i of [0, 1, 600, stories.length - 1])
      expect(await pass.beside(stories[i]!.dispatch.seq)).toEqual({
        previous: stories[i - 1]?.dispatch.seq ?? null,
        next: stories[i + 1]?.dispatch.seq ?? null,
      });
    const nothing: unknown[] = [];
    for await (const each of pass.storiesAt([10_000_000])) nothing.push(each);
    expect(nothing).toEqual([null]);
  });

  it('is there before the rest is read, and a tape that grew is read on from where it was', async () => {
    const pass = new TapePass(tape);
    const reading = pass.catchUp(tape);
    expect(pass.read(tape)).toBeLessThan(1);
    expect((await pass.window('rows', 0, 3)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await reading;
    const before = pass.counted('rows');
    writeTape(file, [{ type: 'session', kind: 'message', data: 'more' }]);
    const grown = shown();
    expect([pass.read(grown) < 1, pass.continues(grown)]).toEqual([true, true]);
    await pass.catchUp(grown);
    expect(pass.counted('rows')).toBeGreaterThan(before);
    expect(pass.stats.entries).toBe(pass.counted('rows'));
    expect(pass.continues({ ...grown, state: 'other', inode: grown.inode + 1 })).toBe(false);
    expect(pass.continues({ ...grown, state: 'edited in place' })).toBe(false);
  });
});
