/** Payloads of agents, in the shape they were seen in, and the adapters that read them. */
import { readFileSync } from 'node:fs';
import type { Adapter, NativeCall, Verdict } from '../../src/agents/adapter.ts';
import { isUnreadable } from '../../src/agents/read-native.ts';
import type { JsonObject } from '../../src/base/json.ts';

/** By name: the native event, and more words if there are several of it. */
export function fixturesOf(agent: string): Readonly<Record<string, JsonObject>> {
  const file = new URL(`../adapters/payloads/${agent}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The event that a payload is registered for. */
export const eventOf = (name: string): string => name.split(' ')[0]!;

export function readFixture(adapter: Adapter, name: string, changes: JsonObject = {}): NativeCall {
  const native = { ...fixturesOf(adapter.agent)[name]!, ...changes };
  const call = adapter.read(native, eventOf(name));
  if (isUnreadable(call)) throw new Error(`${name}: ${call.problem}`);
  return call;
}

/** What is judged, without what stands beside it in every payload. */
export function judged(call: NativeCall): readonly (JsonObject | string)[] {
  return call.payloads.map((payload) => {
    if (typeof payload === 'string') return payload;
    const { native: _native, session_id: _session, ...rest } = payload;
    return rest;
  });
}

/** What the adapter prints: parsed, since agents read it as JSON; null for silence. */
export function answered(adapter: Adapter, call: NativeCall, verdict: Verdict): unknown {
  const { stdout, stderr, exitCode } = adapter.answer(call.row, call, verdict);
  if (stderr !== '' || exitCode !== 0) throw new Error(`ended with ${exitCode}: ${stderr}`);
  return stdout === '' ? null : JSON.parse(stdout);
}

export const block = (reason: string): Verdict => ({ action: 'block', reason, message: null });
export const ask = (reason: string): Verdict => ({ action: 'ask', reason, message: null });
export const allow = (context: string | null = null): Verdict => ({
  action: 'allow',
  context,
  message: null,
});

/** The first payload with another argument, the others as they were. */
export function rewriteArgs(call: NativeCall, args: JsonObject, context: string | null = null): Verdict {
  const [first, ...rest] = call.payloads as readonly JsonObject[];
  const payload = { ...first!, args: { ...(first!.args as JsonObject), ...args } };
  return { action: 'modify', payloads: [payload, ...rest], context, message: null };
}

export function rewriteContent(call: NativeCall, content: string): Verdict {
  const payloads = (call.payloads as readonly JsonObject[]).map((payload) => ({ ...payload, content }));
  return { action: 'modify', payloads, context: null, message: null };
}
