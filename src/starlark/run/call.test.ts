import { describe, expect, it } from 'vitest';
import { Tuple } from '../values/list.ts';
import { repr } from '../values/repr.ts';
import type { Value } from '../values/value.ts';
import { asStarlarkError, attempt, call, invokeCallable } from './call.ts';
import { fail, StarlarkError } from './errors.ts';
import { builtin } from './signature.ts';
import { Thread } from './thread.ts';

const pair = builtin('pair', 'a, b=None', (_thread, a, b) => new Tuple([a, b]));

describe('call', () => {
  it('passes positional and keyword arguments', () => {
    const thread = new Thread();
    expect(repr(call(thread, pair, [1]) as Value)).toBe('(1, None)');
    expect(repr(call(thread, pair, [1], new Map([['b', 2]])) as Value)).toBe('(1, 2)');
  });

  it('refuses what cannot be called', () => {
    expect(() => invokeCallable(new Thread(), 5, [], null)).toThrow('invalid call of non-function (int)');
  });

  it('turns the limits of the engine into limits of the script', () => {
    const overflow = (): null => overflow();
    const cases: [() => Value, string][] = [
      [overflow, 'depth'],
      [() => 'x'.repeat(2 ** 30), 'memory'],
      [() => void new Array(-1) as unknown as null, 'memory'],
      [() => 2n ** (2n ** 31n), 'intsize'],
    ];
    for (const [body, kind] of cases) {
      const fn = builtin('f', '', body);
      expect(() => call(new Thread(), fn, [])).toThrow(
        expect.objectContaining({ kind, name: 'StarlarkError' }),
      );
    }
  });

  it('lets every other host error through as it is', () => {
    const broken = new TypeError('a bug of the host');
    expect(asStarlarkError(broken)).toBe(broken);
    const fn = builtin('f', '', () => {
      throw broken;
    });
    expect(() => call(new Thread(), fn, [])).toThrow(broken);
  });
});

describe('attempt', () => {
  it('gives a failure as a value and leaves the thread as it was', () => {
    const thread = new Thread();
    thread.depth = 3;
    const result = attempt(thread, () => {
      thread.depth = 9;
      return fail('no');
    });
    expect(result).toEqual({ ok: false, error: new StarlarkError('eval', 'no') });
    expect(thread.depth).toBe(3);
    expect(attempt(thread, () => 5)).toEqual({ ok: true, value: 5 });
  });

  it('throws what is no failure of the script', () => {
    expect(() =>
      attempt(new Thread(), () => {
        throw new TypeError('bug');
      }),
    ).toThrow(TypeError);
  });

  it('works the same on promises', async () => {
    const thread = new Thread();
    thread.depth = 2;
    const failed = await attempt(thread, async () => {
      thread.depth = 7;
      await Promise.resolve();
      return fail('later');
    });
    expect(failed).toMatchObject({ ok: false, error: { message: 'later' } });
    expect(thread.depth).toBe(2);
    const slow = builtin('slow', '', async () => 1, { async: true });
    expect(await attempt(thread, () => call(thread, slow, []))).toEqual({ ok: true, value: 1 });
  });
});
