import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../engine/stores/memory-run-store.ts';
import { closeCall, openCall, refuseCall } from './pairing.ts';

const area = () => new MemoryRunStore().session('s');

async function value<T>(
  stored: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false }>,
): Promise<T> {
  const result = await stored;
  if (!result.ok) throw new Error('the store failed');
  return result.value;
}

describe('calls without ids', () => {
  it('a result goes to the first equal call that ran', async () => {
    const store = area();
    const [first, second] = [await value(openCall(store, 'x')), await value(openCall(store, 'x'))];
    expect(first).not.toBe(second);
    expect(await value(closeCall(store, 'x'))).toBe(first);
    expect(await value(closeCall(store, 'x'))).toBe(second);
  });

  it('a call that was refused has no result', async () => {
    const store = area();
    const [first, second] = [await value(openCall(store, 'x')), await value(openCall(store, 'x'))];
    await refuseCall(store, first);
    expect(await value(closeCall(store, 'x'))).toBe(second);
  });

  it('calls of another content are apart', async () => {
    const store = area();
    const a = await value(openCall(store, 'a'));
    const b = await value(openCall(store, 'b'));
    expect(await value(closeCall(store, 'b'))).toBe(b);
    expect(await value(closeCall(store, 'a'))).toBe(a);
  });

  it('a result of a call that nobody saw has an id of its own', async () => {
    const store = area();
    expect(await value(closeCall(store, 'x'))).toMatch(/^x-1$/);
  });
});
