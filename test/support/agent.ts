/**
 * Sessions for tests: a scripted model, tools made of functions, and everything that happened in one object.
 */

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import {
  type RunResult,
  type ScriptedCompletion,
  type ScriptedProvider,
  Session,
  type SessionEvent,
  type SessionOptions,
  scriptedProvider,
  type Tool,
  type ToolContext,
} from '../../src/exports/agent.ts';
import { decisions, type HookSketch, hook } from './plain-hook.ts';

export { decisions, hook };

export interface Fired {
  readonly event: string;
  readonly payload: Json;
  readonly outcome: Outcome;
}

export interface Played {
  readonly result: RunResult;
  readonly events: readonly SessionEvent[];
  /** Catalog events in the order they fired. */
  readonly fired: readonly Fired[];
  readonly provider: ScriptedProvider;
  readonly session: Session;
}

export interface Play extends Partial<Omit<SessionOptions, 'provider'>> {
  readonly completions: readonly ScriptedCompletion[];
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

/** Retries wait a millisecond here. */
const QUICK = { retry: { baseMs: 1, maxWaitMs: 5 } };

export async function play({
  completions,
  prompt = 'go',
  signal,
  config,
  ...options
}: Play): Promise<Played> {
  const provider = scriptedProvider({ completions });
  const session = new Session({
    workspace: '/workspace',
    ...options,
    config: { ...QUICK, sessionId: 's1', ...config },
    provider,
  });
  const run = session.run(prompt, signal === undefined ? {} : { signal });
  const events: SessionEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run.result, events, fired: firedIn(events), provider, session };
}

export function firedIn(events: readonly SessionEvent[]): Fired[] {
  return events.flatMap((event) =>
    event.type === 'hook' ? [{ event: event.event, payload: event.payload, outcome: event.outcome }] : [],
  );
}

export function names({ fired }: Pick<Played, 'fired'>): string[] {
  return fired.map(({ event }) => event);
}

export function payloadsOf({ fired }: Pick<Played, 'fired'>, event: string): JsonObject[] {
  return fired.filter((one) => one.event === event).map(({ payload }) => payload as JsonObject);
}

export function outcomeOf({ fired }: Pick<Played, 'fired'>, event: string): Outcome {
  const found = fired.find((one) => one.event === event);
  if (found === undefined) throw new Error(`${event} did not fire`);
  return found.outcome;
}

/** What the model was told of each call, in order. */
export function toolMessages({ result }: Pick<Played, 'result'>) {
  return result.messages.filter((message) => message.role === 'tool');
}

export function on(event: string, body: HookSketch['body'], more: HookSketch = {}) {
  return hook({ event, name: `on ${event}`, body, ...more });
}

export const ANY: JsonObject = { type: 'object', properties: {} };

export function tool(
  name: string,
  run: (args: JsonObject, context: ToolContext) => unknown,
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: `the tool ${name}`,
    parameters: ANY,
    source: '<test>',
    run: run as Tool['run'],
    ...more,
  };
}

/** Says what it was given. */
export const echo = tool('echo', (args) => ({ said: args.text ?? null }), {
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
});

export const call = (name: string, args: JsonObject = {}, id?: string) => ({
  name,
  args,
  ...(id === undefined ? {} : { id }),
});
