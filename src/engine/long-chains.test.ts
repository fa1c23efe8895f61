/**
 * Chains of many hooks and long payloads: what is put off until somebody reads it reads as if it had always been there.
 */
import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now } from '../../test/support/plain-hook.ts';

const { allow, block } = decisions;

const chain = (count: number, blocking = -1) =>
  Array.from({ length: count }, (_, at) =>
    hook({
      name: `guard_${at}`,
      priority: at,
      indexable: { key: 'name', values: [`tool_${at}`], prefixes: at % 100 === 7 ? ['tool_3'] : [] },
      when: ({ name }: { readonly name?: unknown }) =>
        name === `tool_${at}` || (at % 100 === 7 && String(name).startsWith('tool_3')),
      body: at === blocking ? () => block('no') : allow,
    }),
  );

describe('the trace of a long chain', () => {
  it.each([
    [-1, 'tool_350'],
    [350, 'tool_350'],
    [207, 'tool_350'],
    [-1, 'other'],
  ])('is an array like any other (a block at %i, %s)', (blocking, name) => {
    const decide = () => now(engineOf(chain(400, blocking)).decide('tool.pre', { id: '1', name, args: {} }));
    const timeless = ({ ms: _, ...entry }: { readonly ms: number }) => entry;
    const copied = [...decide().trace].map(timeless);
    expect(copied).toHaveLength(400);
    const { trace } = decide();
    expect(Array.isArray(trace)).toBe(true);
    expect(trace.length).toBe(400);
    // Entry by entry, before anything has made a copy.
    for (let at = 0; at < 400; at++) expect(timeless(trace[at]!)).toEqual(copied[at]);
    expect(trace[400]).toBeUndefined();
    expect(trace.map(timeless)).toEqual(copied);
    expect(trace.filter(({ matched }) => matched).length).toBe(
      copied.filter((entry) => (entry as { matched?: boolean }).matched).length,
    );
    expect(trace.at(-1)).toMatchObject({ hook: 'guard_399' });
    expect((JSON.parse(JSON.stringify(decide().trace)) as { ms: number }[]).map(timeless)).toEqual(copied);
    expect(Object.keys(decide().trace)).toHaveLength(400);
    expect(structuredClone([...decide().trace]).map(timeless)).toEqual(copied);
    expect(decide().trace.findLast(({ state }) => state === 'ran')?.hook).toBe(
      (
        copied.findLast((entry) => (entry as { state?: string }).state === 'ran') as
          | { hook?: string }
          | undefined
      )?.hook,
    );
  });
});

describe('a long payload', () => {
  it('has the text of its arguments when somebody reads it', () => {
    const args = { content: 'x'.repeat(5000), list: [1, 2, { a: null }] };
    const payload = { id: '1', name: 'write_file', args };
    const decide = () => now(engineOf([hook({ body: allow })]).decide('tool.pre', payload));
    const whole = { ...payload, arguments: JSON.stringify(args) };
    expect(decide().payload).toEqual(whole);
    expect({ ...(decide().payload as object) }).toEqual(whole);
    expect(Object.keys(decide().payload as object)).toEqual(Object.keys(whole));
    expect(JSON.parse(JSON.stringify(decide().payload))).toEqual(whole);
    expect(structuredClone(decide().payload)).toEqual(whole);
    expect(Object.isFrozen(decide().payload)).toBe(true);
    expect('arguments' in payload).toBe(false);
  });
});
