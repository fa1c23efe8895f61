/**
 * What a payload leaves out because the tape has it already comes back exactly, whatever the payloads are.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../base/json.ts';
import type { Fired } from './entry.ts';
import { PayloadRestorer, PayloadShortener } from './payload-dedup.ts';

const LONG = 'a text that is long enough to be worth saying where it is';

function fired(dispatch: number, event: string, payload: Json, more: Partial<Fired> = {}): Fired {
  return { dispatch, event, payload, run: 1, ...more };
}

/** As written, and as read again. */
function through(all: readonly Fired[]): { readonly written: Fired[]; readonly read: (Json | undefined)[] } {
  const [shortener, restorer] = [new PayloadShortener(), new PayloadRestorer()];
  const written = all.map((one) => shortener.shorten(one));
  // Nothing but the text is shared.
  const read = written.map((one) => restorer.restore(JSON.parse(JSON.stringify(one)) as Fired));
  return { written, read };
}

describe('a payload on the tape', () => {
  it('of a growing conversation holds what is new', () => {
    const messages = Array.from({ length: 6 }, (_, i) => ({ role: 'user', content: `${i} ${LONG}` }));
    const request = (count: number) => ({ model: 'm', messages: messages.slice(0, count), system: LONG });
    const all = [1, 3, 4, 4].map((count, i) => fired(i + 1, 'completion.pre', request(count)));
    const { written, read } = through(all);
    expect(written.map(({ same }) => same)).toEqual([
      undefined,
      { messages: [1, 'messages', 1], system: [1, 'system'] },
      { messages: [2, 'messages', 3], system: [2, 'system'] },
      { messages: [3, 'messages', 4], system: [3, 'system'] },
    ]);
    expect(written[2]!.payload).toEqual({ model: 'm', messages: [messages[3]], system: null });
    expect(read).toEqual(all.map(({ payload }) => payload));
  });

  it('that is rewritten in its middle is written from there on', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
    const all = [
      fired(1, 'completion.pre', { messages: [a!, b!, c!] }),
      fired(2, 'completion.pre', { messages: [a!, c!] }),
      fired(3, 'completion.pre', { messages: [c!] }),
    ];
    const { written, read } = through(all);
    expect(written.map(({ payload }) => (payload as { messages: Json[] }).messages.length)).toEqual([
      3, 1, 1,
    ]);
    expect(read).toEqual(all.map(({ payload }) => payload));
  });

  it('of a result names the arguments of its call, and is written once as text', () => {
    const args = { command: LONG };
    const result = { z: LONG, a: [1] };
    const all = [
      fired(1, 'tool.pre', { id: 'c1', name: 'x', args }, { callId: 'c1' }),
      fired(2, 'tool.post', { args, content: JSON.stringify(result), result }, { callId: 'c1' }),
      fired(3, 'tool.post', { content: LONG, result: LONG }, { callId: 'c2' }),
    ];
    const { written, read } = through(all);
    expect(written.map(({ same }) => same)).toEqual([
      undefined,
      { args: [1, 'args'], result: 'content' },
      { result: [3, 'content'] },
    ]);
    expect(read).toEqual(all.map(({ payload }) => payload));
    expect(JSON.stringify(read[1])).toBe(JSON.stringify(all[1]!.payload));
  });

  it('of another call, another run or another event has nothing to refer to', () => {
    const payload = { messages: [{ content: LONG }], args: { command: LONG } };
    const { written } = through([
      fired(1, 'tool.pre', payload, { callId: 'c1' }),
      fired(2, 'tool.pre', payload, { callId: 'c2' }),
      fired(3, 'completion.pre', payload),
      fired(4, 'completion.pre', payload, { run: 2 }),
      fired(5, 'turn.end', payload),
      fired(6, 'session.start', payload),
    ]);
    expect(written.map(({ same }) => same)).toEqual(Array(6).fill(undefined));
  });

  it('that is text is not taken for the data it reads like', () => {
    const args = { command: LONG };
    const all = [JSON.stringify(args), args, JSON.stringify(args)].map((given, i) =>
      fired(i + 1, 'tool.pre', { args: given }, { callId: 'c1' }),
    );
    expect(through(all).read).toEqual(all.map(({ payload }) => payload));
  });

  it('cannot be made to look as if something had been left out', () => {
    const payload = {
      messages: [{ same: { x: [1, 'x'] } }],
      same: { messages: [1, 'messages'] },
      x: 'content',
    };
    const all = [1, 2, 3].map((dispatch) => fired(dispatch, 'completion.pre', payload));
    expect(through(all).read).toEqual([payload, payload, payload]);
  });

  it('that refers to what is not there is not made up', () => {
    const restorer = new PayloadRestorer();
    for (const same of [
      { messages: [7, 'messages', 1] },
      { messages: 'nowhere' },
      { messages: [2, 'nothing'] },
      { messages: 7 },
      { messages: null },
    ] as unknown as Fired['same'][]) {
      const one = fired(2, 'completion.pre', { messages: null, text: 'not json' }, { same: same! });
      expect(restorer.restore(one)).toBeUndefined();
    }
    const text = fired(
      3,
      'completion.pre',
      { messages: null, text: 'not json' },
      { same: { messages: 'text' } },
    );
    expect(restorer.restore(text)).toBeUndefined();
    expect(restorer.restore(fired(4, 'x', 'plain', { same: { a: 'b' } }))).toBeUndefined();
  });

  it.each([
    [1, true],
    [128, true],
    [129, false],
    [300, false],
  ])('%i payloads later refers to it: %s', (distance, refers) => {
    const payload = { messages: [{ content: LONG }] };
    const all = [fired(1, 'completion.pre', payload)];
    for (let i = 1; i < distance; i++) {
      all.push(fired(all.length + 1, 'tool.pre', { args: { i, LONG } }, { callId: `c${i}` }));
      // These tie nothing together, and do not count.
      all.push(fired(all.length + 1, 'custom.x', payload));
    }
    all.push(fired(all.length + 1, 'completion.pre', payload));
    const { written, read } = through(all);
    expect(written.at(-1)!.same !== undefined).toBe(refers);
    expect(read).toEqual(all.map(({ payload }) => payload));
  });

  it('comes back whatever it is, in the order its keys stood', () => {
    const key = fc.constantFrom('messages', 'args', 'content', 'result', 'system', '__proto__', '7');
    const value = fc.oneof(
      fc.constantFrom<Json>(LONG, `${LONG}!`, '', null, 3, [], {}),
      fc.array(fc.constantFrom<Json>({ content: LONG }, { a: 1 }, [LONG], 'x', null), { maxLength: 4 }),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    );
    const payload = fc.oneof(
      fc.array(fc.tuple(key, value), { maxLength: 5 }).map((pairs): Json => Object.fromEntries(pairs)),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    );
    const one = fc.record({
      event: fc.constantFrom('completion.pre', 'tool.pre', 'tool.post', 'turn.end', 'custom.x'),
      payload,
      run: fc.constantFrom(1, 2),
      callId: fc.constantFrom('c1', 'c2', undefined),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (list) => {
        const all = list.map(({ event, payload, run, callId }, i) => {
          const plain = JSON.parse(JSON.stringify(payload)) as Json;
          return fired(i + 1, event, plain, { run, ...(callId !== undefined && { callId }) });
        });
        const { read } = through(all);
        expect(read.map((one) => JSON.stringify(one))).toEqual(
          all.map(({ payload }) => JSON.stringify(payload)),
        );
      }),
      { numRuns: 500 },
    );
  });
});
