/**
 * A hook that an agent gives itself. It comes after the policy, and is held to saying no: a rewrite of what the policy has
 * already passed, or a permission for itself, would loosen it.
 */

import { type Json, SourceFile } from '../../../base/index.ts';
import {
  type Condition,
  type FrontEnd,
  failure,
  type Hook,
  isGate,
  ORIGINS,
  type Reply,
  resolveEvent,
} from '../../../engine/index.ts';
import { DEFAULT_TIMEOUT_MS } from '../../../files/index.ts';
import { markdownFrontEnd } from '../../../frontends/index.ts';
import { compileCondition, compileScript, type EventNames } from '../../../script/index.ts';
import { type Build, refused, textIn } from './augmentation.ts';

const DEFAULT_PRIORITY = 100;

export const runtimeFrontEnd: FrontEnd = {
  ...markdownFrontEnd,
  name: 'runtime',
  interpret: (returned, hook, event) => {
    const reply = markdownFrontEnd.interpret(returned, hook, event);
    const action = reply.decision?.action;
    const loosens =
      action === 'permit' || (action === 'modify' && isGate(event) && !event.startsWith('custom.'));
    return loosens ? tooMuch(`a hook registered at run time cannot ${action} ${event}`) : reply;
  },
};

function tooMuch(message: string): Reply {
  return { failure: failure('invalid_return', message) };
}

export const buildHook: Build = async ({ state }, spec) => {
  const name = textIn(spec, 'name', 'a hook');
  const what = `hook "${name}"`;
  const { registry } = state.engine;
  const written = textIn(spec, 'event', what);
  const resolved = resolveEvent(written);
  if (!resolved.ok) throw refused(`${what}: ${resolved.message}${resolved.hint}`);
  const { event } = resolved;
  const names = { canonical: event, written: written.trim() };
  if (ORIGINS.runtime.barred.includes(event)) {
    throw refused(`${what}: a hook registered at run time may not listen to ${event}`);
  }
  if (registry.list().some((other) => other.name === name)) {
    throw refused(`${what}: there is a hook of that name, and a trace could not tell them apart`);
  }
  const hook: Hook = {
    name,
    event,
    ...(names.written !== event && { writtenEvent: names.written }),
    priority: Math.max(ORIGINS.runtime.floor, priorityOf(what, spec.priority)),
    source: '<runtime>',
    position: registry.size,
    frontEnd: runtimeFrontEnd,
    origin: 'runtime',
    mode: 'enforce',
    onError: isGate(event) ? 'block' : 'allow',
    onWhenError: 'skip',
    timeoutMs: DEFAULT_TIMEOUT_MS,
    condition: conditionOf(what, spec.when, names),
    body: await bodyOf(what, textIn(spec, 'script', what), names),
  };
  return { payload: { name, event, priority: hook.priority }, add: () => registry.add(hook) };
};

function priorityOf(what: string, given: Json | undefined): number {
  if (given === undefined || given === null) return DEFAULT_PRIORITY;
  if (typeof given === 'number' && Number.isSafeInteger(given)) return given;
  throw refused(`${what}: priority wants a whole number`);
}

function conditionOf(what: string, given: Json | undefined, names: EventNames): Condition | null {
  if (given === undefined || given === null || given === '') return null;
  if (typeof given !== 'string') throw refused(`${what}: when wants a text`);
  const compiled = compileCondition(new SourceFile('<runtime>', given.trimEnd()), 'when', names);
  if (compiled.ok) return compiled.condition;
  throw refused(`${what}: ${compiled.mistakes.map(({ message }) => message).join('; ')}`);
}

async function bodyOf(what: string, script: string, names: EventNames): Promise<Hook['body']> {
  const compiled = await compileScript(new SourceFile('<runtime>', script), names);
  if (compiled.ok) return compiled.body;
  throw refused(`${what}: ${compiled.mistakes.map(({ message }) => message).join('; ')}`);
}
