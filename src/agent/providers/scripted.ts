/**
 * The scripted model: answers with the completions of a script, one item an attempt, whatever it is asked. Sessions run
 * with it offline and always the same. An `error` item is one failed attempt, so that a retry takes the next item.
 */
import { isJsonObject, type JsonObject, readJson } from '../../base/index.ts';
import { pause } from '../../machine/index.ts';
import { NO_USAGE, type ToolCall, type Usage } from '../message.ts';
import type { Attempt, Completion, CompletionRequest, Provider, StopReason } from '../provider.ts';
import { failureOf, failureOfStatus } from './failure.ts';

export interface ScriptedToolCall {
  readonly name: string;
  readonly args?: JsonObject;
  /** The arguments as the model wrote them, also where they are no JSON. */
  readonly arguments?: string;
  /** `call_1`, `call_2`, … by default. */
  readonly id?: string;
}

/** One item of a script, as in its YAML. */
export interface ScriptedCompletion {
  readonly text?: string;
  readonly tool_calls?: readonly ScriptedToolCall[];
  readonly usage?: Usage;
  readonly stop_reason?: StopReason;
  readonly cost_usd?: number;
  readonly delay_ms?: number;
  /** Milliseconds between two words, or two events of a stream. */
  readonly pace_ms?: number;
  readonly error?: { readonly status: number; readonly message: string; readonly retry_after_ms?: number };
}

export interface Script {
  /** What the person says, for a run of the script from beginning to end. */
  readonly prompts?: readonly string[];
  readonly completions: readonly ScriptedCompletion[];
}

export interface ScriptedProvider extends Provider {
  /** Every request so far, oldest first. */
  readonly requests: readonly CompletionRequest[];
}

export function scriptedProvider(script: Script): ScriptedProvider {
  const { completions } = script;
  const requests: CompletionRequest[] = [];
  let calls = 0;
  const nextId = () => `call_${++calls}`;
  return {
    name: 'scripted',
    requests,
    async complete(request, { signal, onText }): Promise<Attempt> {
      const place = requests.push(request) - 1;
      const item = completions[place];
      if (item === undefined)
        return { ok: false, failure: failureOf('bad_request', usedUp(completions.length)) };
      if (!(await pause(item.delay_ms ?? 0, signal))) {
        return { ok: false, failure: failureOf('aborted', 'the request was aborted') };
      }
      if (item.error !== undefined) {
        const { status, message, retry_after_ms } = item.error;
        return { ok: false, failure: failureOfStatus(status, message, retry_after_ms) };
      }
      for (const [place, word] of piecesOf(item).entries()) {
        if (place > 0 && !(await pause(item.pace_ms ?? 0, signal))) {
          return { ok: false, failure: failureOf('aborted', 'the request was aborted') };
        }
        onText?.(word);
      }
      return { ok: true, completion: completionOf(item, nextId) };
    },
  };
}

/** Word by word where it takes its time. */
function piecesOf({ text = '', pace_ms = 0 }: ScriptedCompletion): readonly string[] {
  if (text === '') return [];
  return pace_ms > 0 ? text.match(/\s*\S+\s*|\s+/g)! : [text];
}

function usedUp(length: number): string {
  return `the script has ${length === 1 ? '1 completion' : `${length} completions`} and was asked for completions[${length}]: add an item`;
}

function completionOf(item: ScriptedCompletion, nextId: () => string): Completion {
  const tool_calls = (item.tool_calls ?? []).map((call) => toolCall(call, nextId));
  return {
    text: item.text ?? '',
    tool_calls,
    stop_reason: item.stop_reason ?? (tool_calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: item.usage ?? NO_USAGE,
    ...(item.cost_usd === undefined ? {} : { cost_usd: item.cost_usd }),
  };
}

function toolCall(call: ScriptedToolCall, nextId: () => string): ToolCall {
  const id = call.id ?? nextId();
  if (call.arguments === undefined) return { id, name: call.name, args: call.args ?? {} };
  const args = decode(call.arguments);
  return isJsonObject(args)
    ? { id, name: call.name, args }
    : { id, name: call.name, args: {}, malformed: call.arguments };
}

/** Arguments that can be read in two ways, because a key stands twice, are as good as none. */
function decode(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}
