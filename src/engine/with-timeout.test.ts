import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { withTimeout } from './with-timeout.ts';

const never = new Promise<never>(() => {});

describe('work with a timeout', () => {
  it.each([
    ['ends', () => 7, { kind: 'value', value: 7 }],
    ['ends later', async () => 7, { kind: 'value', value: 7 }],
    [
      'throws',
      () => {
        throw 'x';
      },
      { kind: 'thrown', thrown: 'x' },
    ],
    ['rejects', () => Promise.reject('x'), { kind: 'thrown', thrown: 'x' }],
    [
      'takes too long',
      () => never,
      { kind: 'failed', failure: expect.objectContaining({ kind: 'timeout' }) },
    ],
  ])('that %s is told apart, and nothing stays behind', async (_what, work, settled) => {
    const { signal } = new AbortController();
    expect(await withTimeout(signal, 5, work)).toEqual(settled);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('has a signal that fires when its time is up, and with the outer one', async () => {
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      inner = signal;
      return never;
    };
    await withTimeout(outer.signal, 5, work);
    expect(inner?.aborted).toBe(true);
    const waiting = withTimeout(outer.signal, 0, work);
    expect(inner?.aborted).toBe(false);
    outer.abort();
    expect(await waiting).toMatchObject({ kind: 'failed', failure: { kind: 'aborted' } });
    expect(inner?.aborted).toBe(true);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  it('does not begin after the abort', async () => {
    let begun = false;
    const settled = await withTimeout(AbortSignal.abort(), 5, () => {
      begun = true;
    });
    expect(settled).toMatchObject({ kind: 'failed', failure: { kind: 'aborted' } });
    expect(begun).toBe(false);
  });
});
