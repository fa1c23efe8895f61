import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { requireEvent } from './describe.ts';
import { completePayload, PayloadProblem } from './payload.ts';
import { rewrite } from './rewrite.ts';

const pre = requireEvent('tool.pre');
const post = requireEvent('tool.post');
const call = { id: '1', name: 'run', args: { a: 1 } };

const complete = (spec: typeof pre, payload: Json) => {
  const normal = completePayload(spec, payload);
  if (normal instanceof PayloadProblem) throw new Error(normal.message);
  return normal as JsonObject;
};

/** What a hook of `event` leaves of a payload, as plain data. */
const modified = (spec: typeof pre, payload: Json, given: Json) => {
  const rewritten = rewrite(spec, complete(spec, payload), given);
  if (!rewritten.ok) return rewritten.message;
  return { payload: rewritten.payload, warnings: rewritten.warnings };
};

describe('a tool call before the first hook', () => {
  it('gets its text from the decoded arguments', () => {
    expect(complete(pre, call)).toEqual({ ...call, arguments: '{"a":1}' });
  });

  it('gets its decoded arguments from the text, and keeps the text as it was', () => {
    const payload = { name: 'run', arguments: '{ "a": 1 }' };
    expect(complete(pre, payload)).toEqual({ ...payload, args: { a: 1 } });
  });

  it('has empty arguments where it came with none', () => {
    expect(complete(pre, { name: 'run' })).toEqual({ name: 'run', args: {}, arguments: '{}' });
    expect(complete(pre, { name: 'run', arguments: '' })).toMatchObject({ args: {}, arguments: '{}' });
  });

  it('is refused if text and value disagree: guards would judge one, and somebody may run the other', () => {
    expect(completePayload(pre, { ...call, arguments: '{"a":2}' })).toBeInstanceOf(PayloadProblem);
    expect(completePayload(pre, { ...call, arguments: '{"a":1,"a":1}' })).toBeInstanceOf(PayloadProblem);
    expect(complete(pre, { ...call, arguments: '{ "a": 1 }' })).toMatchObject({
      arguments: '{"a":1}',
    });
  });

  it.each(['not json', '[1]', '"text"', '42', 'null'])('is a problem where the text is %s', (text) => {
    expect(completePayload(pre, { name: 'run', arguments: text })).toBeInstanceOf(PayloadProblem);
  });

  it('is a problem where the arguments are no object', () => {
    expect(completePayload(pre, { name: 'run', args: ['rm'] })).toBeInstanceOf(PayloadProblem);
  });

  it('makes the text only when it is read', () => {
    let reads = 0;
    const args = { toJSON: () => ++reads } as unknown as JsonObject;
    const payload = complete(pre, { name: 'run', args });
    expect(reads).toBe(0);
    expect(payload.arguments).toBe('1');
    expect(reads).toBe(1);
  });

  it('does not change the object the host gave', () => {
    const given = Object.freeze({ name: 'run', args: Object.freeze({}) });
    complete(pre, given);
    expect(Object.keys(given)).toEqual(['name', 'args']);
  });

  it('copies a __proto__ key as a key', () => {
    const payload = complete(pre, JSON.parse('{"name":"x","args":{},"__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect(Object.hasOwn(payload, '__proto__')).toBe(true);
    expect(payload.polluted).toBeUndefined();
  });
});

describe('a tool result before the first hook', () => {
  it('is decoded from JSON text, and is the text where that is no JSON', () => {
    expect(complete(post, { name: 'x', content: '{"a":1}' })).toEqual({
      name: 'x',
      content: '{"a":1}',
      is_error: false,
      result: { a: 1 },
    });
    expect(complete(post, { name: 'x', content: 'plain' }).result).toBe('plain');
    expect(complete(post, { name: 'x', content: 'null' }).result).toBe(null);
  });

  it('is written as text where only the value came', () => {
    expect(complete(post, { name: 'x', result: { a: 1 } })).toMatchObject({
      content: '{"a":1}',
    });
    expect(complete(post, { name: 'x', result: 'plain' }).content).toBe('plain');
  });

  it('keeps a rendering the host gave beside the value', () => {
    const payload = { name: 'x', content: 'stdout: hi', result: { stdout: 'hi' }, is_error: true };
    expect(complete(post, payload)).toBe(payload);
  });
});

describe('a modify', () => {
  it('[C021] lays the given keys over the payload and keeps the others', () => {
    expect(modified(pre, call, { name: 'other', note: 'x' })).toMatchObject({
      payload: { id: '1', name: 'other', note: 'x', args: { a: 1 }, arguments: '{"a":1}' },
    });
  });

  it('cannot change the identity of the operation, and says so', () => {
    const warnings = ['"id" identifies the operation and was not rewritten'];
    expect(modified(pre, call, { id: '2' })).toMatchObject({ payload: { id: '1' }, warnings });
    expect(modified(pre, { name: 'x' }, { id: '2' })).toEqual({
      payload: { name: 'x', args: {}, arguments: '{}' },
      warnings,
    });
    expect(modified(post, { call_id: 'c', name: 'x', content: '' }, { call_id: 'd' })).toMatchObject({
      payload: { call_id: 'c' },
    });
    expect(modified(pre, call, { id: '1' })).toMatchObject({ warnings: [] });
  });

  it('of args rewrites arguments, and of arguments rewrites args', () => {
    expect(modified(pre, call, { args: { b: 2 } })).toMatchObject({
      payload: { args: { b: 2 }, arguments: '{"b":2}' },
      warnings: [],
    });
    expect(modified(pre, call, { arguments: '{"b": 2}' })).toMatchObject({
      payload: { args: { b: 2 }, arguments: '{"b": 2}' },
    });
  });

  it('of both counts args where they disagree, with a warning', () => {
    expect(modified(pre, call, { args: { b: 2 }, arguments: '{"b":3}' })).toMatchObject({
      payload: { args: { b: 2 }, arguments: '{"b":2}' },
      warnings: ['"args" and "arguments" disagree; "args" counts'],
    });
    expect(modified(pre, call, { args: { b: 2 }, arguments: '{ "b":2 }' })).toMatchObject({
      payload: { arguments: '{ "b":2 }' },
      warnings: [],
    });
  });

  it('with the whole payload and one half changed means that half', () => {
    const whole = { ...call, arguments: '{"a":1}' };
    expect(modified(pre, call, { ...whole, args: { a: 2 } })).toMatchObject({
      payload: { args: { a: 2 }, arguments: '{"a":2}' },
      warnings: [],
    });
    expect(modified(pre, call, { ...whole, arguments: '{"a":3}' })).toMatchObject({
      payload: { args: { a: 3 }, arguments: '{"a":3}' },
      warnings: [],
    });
    expect(modified(pre, call, whole)).toMatchObject({ payload: whole, warnings: [] });
  });

  it('of a result rewrites the text, and of the text the result', () => {
    const done = { call_id: 'c', name: 'x', content: '{"secret":1}', result: { secret: 1 } };
    expect(modified(post, done, { content: 'hidden' })).toMatchObject({
      payload: { content: 'hidden', result: 'hidden' },
    });
    expect(modified(post, done, { result: { ok: 1 } })).toMatchObject({ payload: { content: '{"ok":1}' } });
    expect(modified(post, done, { result: { ok: 1 }, content: 'fine' })).toMatchObject({
      payload: { content: 'fine', result: { ok: 1 } },
      warnings: [],
    });
  });

  it.each<[Json, string]>([
    ['text', 'modify wants a dict, got string'],
    [null, 'modify wants a dict, got None'],
    [[1], 'modify wants a dict, got list'],
    [{ args: [1] }, 'modify wants "args" to be a dict, got list'],
    [{ args: null }, 'modify wants "args" to be a dict, got None'],
    [{ arguments: { a: 1 } }, 'modify wants "arguments" to be a string, got dict'],
    [{ arguments: 'x' }, 'modify wants "arguments" to be the JSON text of an object'],
  ])('of a tool call with %j is invalid', (given, message) => {
    expect(modified(pre, call, given)).toBe(message);
  });

  it('of a text wants a text', () => {
    const start = requireEvent('turn.start');
    expect(rewrite(start, 'a', 'b')).toEqual({ ok: true, payload: 'b', warnings: [] });
    expect(rewrite(start, 'a', { prompt: 'b' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('string'),
    });
  });

  it('of a custom event fits what was emitted', () => {
    const custom = requireEvent('custom.x');
    expect(rewrite(custom, { a: 1 }, { b: 2 })).toMatchObject({ payload: { a: 1, b: 2 } });
    expect(rewrite(custom, [1], 7)).toMatchObject({ payload: 7 });
    expect(rewrite(custom, 'text', 7)).toMatchObject({ ok: false });
    expect(rewrite(custom, { a: 1 }, 7)).toMatchObject({ ok: false });
  });

  it('of a __proto__ key sets a key, not the prototype', () => {
    const rewritten = rewrite(pre, complete(pre, call), JSON.parse('{"__proto__":{"name":"evil"}}'));
    const payload = (rewritten as { payload: JsonObject }).payload;
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect(payload.name).toBe('run');
  });

  it('of another key leaves the text as it was when the hook read it', () => {
    const first = complete(pre, call);
    expect(modified(pre, call, { copy: [{ text: first.arguments! }], args: { n: 1 } })).toMatchObject({
      payload: { copy: [{ text: '{"a":1}' }], arguments: '{"n":1}' },
    });
  });

  it('of a call gives a frozen copy: the hook cannot change afterwards what it returned', () => {
    const given = { args: { list: [1] }, note: { a: 1 } };
    const { payload } = modified(pre, call, given) as unknown as { payload: typeof given };
    given.args.list.push(2);
    given.note.a = 2;
    expect(payload).toMatchObject({ args: { list: [1] }, note: { a: 1 } });
    expect(Object.isFrozen(payload.args.list)).toBe(true);
  });
});
