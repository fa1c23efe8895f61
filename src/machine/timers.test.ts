import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { pause, within } from './timers.ts';

const never = new Promise<never>(() => {});

describe('a pause', () => {
  it('says whether it was whole, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect([await pause(1, signal), await pause(0)]).toEqual([true, true]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the abort', async () => {
    const controller = new AbortController();
    const waiting = pause(60_000, controller.signal);
    controller.abort();
    expect([await waiting, await pause(60_000, controller.signal)]).toEqual([false, false]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('work that is waited for', () => {
  it('gives its value or what it throws, and null once its time is over', async () => {
    expect([await within(60_000, Promise.resolve(7)), await within(1, never)]).toEqual([7, null]);
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
