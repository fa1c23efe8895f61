import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import { requireEvent } from '../engine/describe.ts';
import type { HookCall } from '../engine/hook.ts';
import { wrapJson } from '../starlark/index.ts';
import { compileCondition } from './compile-script.ts';

const PAYLOAD = { id: 'x', name: 'run_command', args: { command: 'ls' }, arguments: '{"command":"ls"}' };

function conditionOf(text: string) {
  const compiled = compileCondition(new SourceFile('x', text), 'when');
  if (!compiled.ok) throw new Error(compiled.mistakes[0]?.message);
  return compiled.condition;
}

const raises = (text: string) => {
  const call = { event: 'tool.pre', timeoutMs: 1000, hook: {} } as HookCall;
  try {
    conditionOf(text).test(wrapJson(PAYLOAD), call);
    return false;
  } catch {
    return true;
  }
};
const mayRaise = (text: string) => conditionOf(text).mayRaise?.(requireEvent('tool.pre'));

describe('whether a condition can raise', () => {
  it.each([
    'payload["name"] == "a" and payload.get("missing") == None',
    '"command" in payload["args"]',
    '"command" in payload.get("args", {})',
    'payload.get("args").get("command", "") in ["ls", event]',
    'not payload["name"].lower().startswith("a")',
    'payload["name"].endswith(("a", "b")) or "x" not in payload["arguments"]',
    'payload["name"].strip(" ") in (1, None, "a")',
  ])('%s cannot', (text) => {
    expect([mayRaise(text), raises(text)]).toEqual([false, false]);
  });

  it.each([
    'payload["missing"] == 1',
    '1 in 2',
    'payload["name"].lower("x") == "a"',
    'payload["name"].startswith(1)',
    'payload.get({}) == None',
    '1 in payload["name"]',
    'payload.get("missing").get("x") == 1',
  ])('%s does, and is known to', (text) => {
    expect([mayRaise(text), raises(text)]).toEqual([true, true]);
  });
});
