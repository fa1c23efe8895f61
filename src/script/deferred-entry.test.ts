import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import { eventSpec } from '../engine/catalog.ts';
import type { HookCall } from '../engine/hook.ts';
import { type Callable, compile, Thread, type Value } from '../starlark/index.ts';
import { compileCondition, compileEntry, HOOK_SCRIPT } from './compile-script.ts';
import { DeferredEntry, declaredFunction } from './deferred-entry.ts';

const HANDLE = 'def handle(event, payload):\n    return helper(payload)\n';

function declared(script: string): boolean {
  const compiled = compile(new SourceFile('x', script), HOOK_SCRIPT);
  if (!compiled.ok) throw new Error(compiled.errors[0]?.message);
  return declaredFunction(compiled.program.file, 'handle') !== null;
}

async function entryOf(script: string): Promise<Callable> {
  const compiled = await compileEntry(new SourceFile('x', script), HOOK_SCRIPT);
  if (!compiled.ok || !('shared' in compiled.entry)) throw new Error('no shared entry');
  return compiled.entry.shared;
}

describe('a script whose top level only declares', () => {
  it.each([
    'def helper(p, n=1, m=None):\n    return p\n',
    '"""What it is."""\nLIMIT = 3\nWORDS = ["a", ("b", 1.5)]\nTABLE = {"a": [], "b": {}}\ndef helper(p):\n    return p\n',
  ])('is one of functions and constants: %j', (before) => {
    expect(declared(before + HANDLE)).toBe(true);
  });

  it.each([
    'def helper(p, n=len("x")):\n    return p\n',
    'def helper(p):\n    return p\nTABLE = {"a": 1, "a": 2}\n',
    'def helper(p):\n    return p\nTABLE = {[]: 1}\n',
    'def helper(p):\n    return p\nx = metrics.incr("loaded")\n',
    'helper = lambda p: p\nx = helper(1)\n',
    'None_ = [len]\ndef helper(p):\n    return p\n',
  ])('is none where anything else is computed: %j', (before) => {
    expect(declared(before + HANDLE)).toBe(false);
  });

  it('is run with the first call, which counts the same steps as the second', async () => {
    const entry = await entryOf(`LIMIT = 3\ndef helper(p):\n    return p + LIMIT\n${HANDLE}`);
    expect(entry).toBeInstanceOf(DeferredEntry);
    const steps = [1, 2].map((n) => {
      const thread = new Thread();
      expect(entry.direct(thread, 'tool.pre', n)).toBe(n + 3);
      return thread.steps;
    });
    expect(steps[0]).toBe(steps[1]);
  });

  it('takes the same arguments in the first call as in any other', async () => {
    const script = 'def handle(event, payload, *more, **named):\n    return [event, payload, more, named]\n';
    const entry = await entryOf(script);
    const call = () => entry.invoke(new Thread(), ['e', 1, 2, 3], ['x']) as Value;
    expect(String(JSON.stringify(call()))).toBe(JSON.stringify(call()));
  });

  it('is compiled once, however often it is called', async () => {
    let compiled = 0;
    const prepare = () => void compiled++;
    const made = await compileEntry(
      new SourceFile('x', 'def handle(event, payload):\n    return 1\n'),
      HOOK_SCRIPT,
      undefined,
      { prepare },
    );
    if (!made.ok || !('shared' in made.entry)) throw new Error('no shared entry');
    for (const _ of [1, 2]) made.entry.shared.direct(new Thread(), 'tool.pre', 1);
    expect(compiled).toBe(1);
  });
});

describe('a condition', () => {
  it('is compiled once, however often it is tested and asked whether it may raise', () => {
    let compiled = 0;
    const names = {
      get canonical() {
        compiled++;
        return 'tool.pre';
      },
      written: 'PreToolUse',
    };
    const made = compileCondition(new SourceFile('x', 'event == "tool.pre"'), 'when', names);
    if (!made.ok) throw new Error(made.mistakes[0]?.message);
    const once = compiled;
    expect(once).toBeGreaterThan(0);
    const spec = eventSpec('tool.pre')!;
    const call = { event: 'tool.pre', hook: {} } as HookCall;
    expect([made.condition.mayRaise?.(spec), made.condition.mayRaise?.(spec)]).toEqual([false, false]);
    expect([made.condition.test({}, call), made.condition.test({}, call)]).toEqual([false, false]);
    expect(compiled).toBe(once);
  });
});
