import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import type { HookCall } from '../engine/hook.ts';
import { wrapJson } from '../starlark/index.ts';
import { parseExpression } from '../starlark/syntax/parse.ts';
import { compileCondition } from './compile-script.ts';
import { indexableIn } from './selector.ts';

function selects(text: string) {
  const { expr, errors } = parseExpression(new SourceFile('x', text));
  if (expr === null) throw new Error(errors[0]?.message);
  const found = indexableIn(expr);
  const edges = [
    ...(found?.prefixes ?? []).map((text) => `${text}*`),
    ...(found?.suffixes ?? []).map((text) => `*${text}`),
  ];
  return found && `${found.key}: ${[...found.values, ...edges].join(' ')}`;
}

describe('what an index can know of a condition', () => {
  it.each([
    ['payload["name"] == "a"', 'name: a'],
    ['"a" == payload["name"]', 'name: a'],
    ['payload["name"] in ["a", "b"]', 'name: a b'],
    ['payload["name"] in ("a", "b")', 'name: a b'],
    ['payload["name"] in ["a", 1]', 'name: a'],
    ['payload.get("name") == "a"', 'name: a'],
    ['payload.get("name", "") in ["a"]', 'name: a'],
    ['(payload["name"] == "a") and len(payload["args"]) > 3', 'name: a'],
    ['payload["name"] == "a" and payload["x"] == "b" and True', 'name: a'],
    ['payload["name"] == "a" or payload["name"] == "b"', 'name: a b'],
    ['(payload["name"] == "a" or payload["name"] in ["b"]) and x', 'name: a b'],
    ['payload["name"].startswith("a")', 'name: a*'],
    ['payload["name"].startswith(("a", "b"))', 'name: a* b*'],
    ['payload["name"].endswith("a") and x', 'name: *a'],
    [
      'payload["name"].startswith("a") or payload["name"].endswith("b") or payload["name"] == "c"',
      'name: c a* *b',
    ],
  ])('%s selects %s', (text, wanted) => {
    expect(selects(text)).toBe(wanted);
  });

  it.each([
    'payload["name"] in ["a", "b"] and payload["missing"]',
    'payload.get("name", "") == "a" and fail("reached")',
    '(payload["name"] == "a" or payload["name"] == "b") and payload["missing"] == 1',
    'payload["name"].startswith("ab") and payload["missing"]',
    'payload["name"].endswith(("ab", "cd")) and payload["missing"]',
  ])('%s is false for every other string, before anything in it can raise', (text) => {
    const compiled = compileCondition(new SourceFile('x', text), 'when');
    if (!compiled.ok) throw new Error(compiled.mistakes[0]?.message);
    const { test, indexable } = compiled.condition;
    expect(indexable).toBeDefined();
    for (const name of ['', 'c', 'A', '__proto__', 'a ']) {
      const call = { event: 'tool.pre', timeoutMs: 1000, hook: {} } as HookCall;
      expect(test(wrapJson({ name }), call)).toBe(false);
    }
  });

  it.each([
    'payload["name"] == "a"',
    'payload["name"] in ["a", "b", 1]',
    'payload.get("name", "") == "a" or payload["name"] == "b"',
  ])('%s is the whole condition: true for each of its strings', (text) => {
    const compiled = compileCondition(new SourceFile('x', text), 'when');
    if (!compiled.ok) throw new Error(compiled.mistakes[0]?.message);
    const { test, indexable } = compiled.condition;
    expect(indexable?.whole).toBe(true);
    const call = { event: 'tool.pre', timeoutMs: 1000, hook: {} } as HookCall;
    for (const name of indexable?.values ?? []) expect(test(wrapJson({ name }), call)).toBe(true);
  });

  it.each([
    'payload["name"] == "a" and True',
    '(payload["name"] == "a" and payload["x"]) or payload["name"] == "b"',
  ])('%s is more than its selection', (text) => {
    const compiled = compileCondition(new SourceFile('x', text), 'when');
    expect(compiled.ok && compiled.condition.indexable?.whole).not.toBe(true);
  });

  it.each([
    'payload["name"] != "a"',
    'payload["name"] not in ["a"]',
    'not payload["name"] == "a"',
    'payload["name"] in ("a")',
    'payload["name"] == event',
    'payload["name"] in [event]',
    'payload["name"].lower() == "a"',
    'payload["x"]["name"] == "a"',
    'len(payload["args"]) > 3 and payload["name"] == "a"',
    'payload["name"] == "a" or payload["other"] == "b"',
    'payload["name"] == "a" or len(payload) > 2',
    'payload.get("name", payload["x"]) == "a"',
    'payload.get(*["name"]) == "a"',
    'event == "tool.pre"',
    '"a" if payload["name"] == "a" else "b"',
    '"a" in payload["name"]',
    'payload.get("name").startswith("a")',
    'payload["name"].startswith("a", 1)',
    'payload["name"].startswith(event)',
    'payload["name"].startswith(("a", event))',
    'payload["name"].lower().startswith("a")',
    'not payload["name"].startswith("a")',
    'payload["x"]["name"].endswith("a")',
  ])('%s selects nothing', (text) => {
    expect(selects(text)).toBeUndefined();
  });
});
