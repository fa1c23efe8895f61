/**
 * Tool interceptors: functions of the embedding program around the execution of a tool, after the permission check, able
 * to rewrite its input and its result. A layer of its own, since no file may ever declare such power.
 *
 * Closed on failure: one that throws, never answers or answers nonsense before a tool stops the call; after a tool it
 * hides the result, which may be just what it was there to clean.
 */

import { kindOf } from '../base/index.ts';
import type { Failure } from './decision.ts';
import { describeThrown, failure } from './failure.ts';
import { isThenable, raceTimeout } from './race.ts';

export type ToolInput = Readonly<Record<string, unknown>>;

export interface ToolResult {
  readonly content: unknown;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

export interface BeforeHookResult {
  readonly blocked: boolean;
  /** Why, for the model. */
  readonly reason?: string;
  /** What the tool gets instead; absent where nobody changed it. */
  readonly modifiedInput?: ToolInput;
  /** The interceptor failed, and that is why the call is blocked. */
  readonly failure?: InterceptorFailure;
}

export interface InterceptorFailure extends Failure {
  /** Id of the interceptor. */
  readonly interceptor: string;
}

/** Nothing returned means: go on with the input as it is. */
export type BeforeToolHook<Context = unknown> = (
  toolName: string,
  input: ToolInput,
  context: Context,
) => MaybeLater<Omit<Partial<BeforeHookResult>, 'failure'> | undefined>;

/** Returns the whole result, changed or not. */
export type AfterToolHook<Context = unknown, Result extends ToolResult = ToolResult> = (
  toolName: string,
  input: ToolInput,
  result: Result,
  context: Context,
) => MaybeLater<Result>;

export interface InterceptorOptions {
  /** How long one interceptor may take; 5000 by default. */
  readonly timeoutMs?: number;
}

type MaybeLater<T> = T | PromiseLike<T>;

interface Registered<H> {
  readonly id: string;
  readonly toolName: string;
  readonly hook: H;
}

type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };

const EVERY_TOOL = '*';

export class ToolHookRegistry<Context = unknown, Result extends ToolResult = ToolResult> {
  private readonly timeoutMs: number;
  private before: Registered<BeforeToolHook<Context>>[] = [];
  private after: Registered<AfterToolHook<Context, Result>>[] = [];
  private count = 0;

  constructor({ timeoutMs = 5000 }: InterceptorOptions = {}) {
    this.timeoutMs = timeoutMs;
  }

  /** For one tool by its exact name, or for all with `*`. Returns the id to remove it by. */
  registerBefore(toolName: string, hook: BeforeToolHook<Context>, id?: string): string {
    const seat = { id: id ?? this.nextId('before', toolName), toolName, hook };
    this.before.push(seat);
    return seat.id;
  }

  registerAfter(toolName: string, hook: AfterToolHook<Context, Result>, id?: string): string {
    const seat = { id: id ?? this.nextId('after', toolName), toolName, hook };
    this.after.push(seat);
    return seat.id;
  }

  /** False where there is none of that id. */
  remove(id: string): boolean {
    const size = this.before.length + this.after.length;
    this.before = this.before.filter((seat) => seat.id !== id);
    this.after = this.after.filter((seat) => seat.id !== id);
    return this.before.length + this.after.length < size;
  }

  /** Those for every tool first. The first that blocks ends it; each sees the input as the one before left it. */
  async runBeforeHooks(toolName: string, input: ToolInput, context: Context): Promise<BeforeHookResult> {
    let current = input;
    for (const { id, hook } of chosen(this.before, toolName)) {
      const answer = await this.ask(() => hook(toolName, current, context));
      const said = answer.ok ? understand(answer.value) : answer;
      if (!said.ok) return refusal(id, said.failure);
      const { blocked, reason, modifiedInput } = said.value as Partial<BeforeHookResult>;
      if (blocked) return { blocked, reason: reason || `interceptor "${id}" blocked the call` };
      current = modifiedInput ?? current;
    }
    return current === input ? { blocked: false } : { blocked: false, modifiedInput: current };
  }

  /** Each sees the result as the one before left it. */
  async runAfterHooks(
    toolName: string,
    input: ToolInput,
    result: Result,
    context: Context,
  ): Promise<Result | ToolResult> {
    let current = result;
    for (const { id, hook } of chosen(this.after, toolName)) {
      const answer = await this.ask(() => hook(toolName, input, current, context));
      if (!answer.ok) return hidden(id, answer.failure);
      if (!isObject(answer.value)) {
        return hidden(id, failure('invalid_return', `want the result, got ${kindOf(answer.value)}`));
      }
      current = answer.value as Result;
    }
    return current;
  }

  private async ask(call: () => unknown): Promise<Answer> {
    try {
      const returned = call();
      if (!isThenable(returned)) return { ok: true, value: returned };
      const settled = await raceTimeout(returned, this.timeoutMs, null);
      if (settled.kind === 'value') return { ok: true, value: settled.value };
      if (settled.kind === 'failed') return { ok: false, failure: settled.failure };
      return { ok: false, failure: failure('error', describeThrown(settled.thrown)) };
    } catch (thrown) {
      return { ok: false, failure: failure('error', describeThrown(thrown)) };
    }
  }

  private nextId(when: string, toolName: string): string {
    return `${when}-${toolName}-${++this.count}`;
  }
}

function chosen<H>(seats: readonly Registered<H>[], toolName: string): Registered<H>[] {
  return [
    ...seats.filter((seat) => seat.toolName === EVERY_TOOL),
    ...seats.filter((seat) => seat.toolName === toolName && toolName !== EVERY_TOOL),
  ];
}

function understand(returned: unknown): Answer {
  if (returned === undefined || returned === null) return { ok: true, value: {} };
  if (!isObject(returned)) return invalid(`want {blocked, reason?, modifiedInput?}, got ${kindOf(returned)}`);
  const { blocked, modifiedInput } = returned;
  if (blocked !== undefined && typeof blocked !== 'boolean') {
    return invalid(`blocked wants true or false, got ${kindOf(blocked)}`);
  }
  if (modifiedInput !== undefined && !isObject(modifiedInput)) {
    return invalid(`modifiedInput wants an object, got ${kindOf(modifiedInput)}`);
  }
  return { ok: true, value: returned };
}

function invalid(message: string): Answer {
  return { ok: false, failure: failure('invalid_return', message) };
}

function refusal(id: string, failed: Failure): BeforeHookResult {
  return { blocked: true, reason: reasonOf(id, failed), failure: { ...failed, interceptor: id } };
}

function hidden(id: string, failed: Failure): ToolResult {
  const content = `the result is hidden: ${reasonOf(id, failed)}`;
  return { content, isError: true, failure: { ...failed, interceptor: id } };
}

function reasonOf(id: string, failed: Failure): string {
  return `interceptor "${id}" failed: ${failed.message}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
