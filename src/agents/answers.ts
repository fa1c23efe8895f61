/**
 * From a verdict to what a hook process prints, the same way for every agent: an adapter's dialect only says how one kind of
 * answer is written. Allow is silence: nothing is printed that an agent could take for an approval. What a dialect cannot
 * write for this very call becomes a block, which it can.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { Adapter, Answer, EventRow, NativeCall, Verdict } from './adapter.ts';
import { correctedArguments, type NativeTool, rewrittenInput, rewrittenOutput } from './tool-events.ts';
import type { ToolSet } from './tool-forms.ts';

/** Each gives the object that is printed as JSON. What is missing is not honoured at any event of the agent. */
export interface Dialect {
  /** The reason is never empty. */
  block(row: EventRow, reason: string): JsonObject;
  ask?(row: EventRow, reason: string): JsonObject;
  /** A call runs with another input. */
  input?(row: EventRow, input: Json): JsonObject;
  /**
   * The agent lays the input over the old one, so that an argument cannot be taken away: those that may stay, as they say
   * nothing about what is done.
   */
  readonly stays?: readonly string[];
  /** The model reads another result. */
  output?(row: EventRow, text: string): JsonObject;
  /** The model reads another prompt. */
  prompt?(row: EventRow, text: string): JsonObject;
  /** `answer` with a text beside it that the model reads. */
  context(row: EventRow, answer: JsonObject, text: string): JsonObject;
  /** `answer` with a text beside it that the person at the agent reads. */
  message?(answer: JsonObject, text: string): JsonObject;
  /** The tool call that a payload is about. */
  tool(native: JsonObject): NativeTool;
}

/** What the files of ours write into an agent that runs them inside it. */
export function inProcessDialect(toolIn: (native: JsonObject) => NativeTool | null): Dialect {
  return {
    block: (_row, reason) => ({ block: reason }),
    input: (_row, input) => ({ args: input }),
    output: (_row, text) => ({ output: text }),
    prompt: (_row, text) => ({ prompt: text }),
    context: (_row, answer, text) => ({ ...answer, context: text }),
    tool: (native) => toolIn(native) ?? { id: null, name: '', input: null },
  };
}

export const SILENCE: Answer = { stdout: '', stderr: '', exitCode: 0 };

export function answererOf(set: ToolSet, dialect: Dialect): Adapter['answer'] {
  return (row, call, verdict) => {
    const answer = body(set, dialect, row, call, verdict);
    const { message } = verdict;
    const isShown = message !== null && row.honours.message;
    const whole = (isShown ? dialect.message?.(answer ?? {}, message) : null) ?? answer;
    return whole === null ? SILENCE : { ...SILENCE, stdout: JSON.stringify(whole) };
  };
}

/** Null for nothing to say. */
function body(
  set: ToolSet,
  dialect: Dialect,
  row: EventRow,
  call: NativeCall | null,
  verdict: Verdict,
): JsonObject | null {
  const { honours } = row;
  switch (verdict.action) {
    case 'block':
      return blocked(dialect, row, verdict.reason);
    case 'ask':
      // After a yes it would run as the agent has it, not as it was asked about.
      if (verdict.payloads !== undefined) {
        return blocked(dialect, row, `${verdict.reason}\n${correctedArguments(verdict.payloads)}`);
      }
      if (!honours.ask || dialect.ask === undefined) return blocked(dialect, row, verdict.reason);
      return dialect.ask(row, filled(verdict.reason));
    case 'modify': {
      const rewrite = call === null ? null : rewritten(set, dialect, row, call, verdict.payloads);
      if (rewrite === null) return blocked(dialect, row, correctedArguments(verdict.payloads));
      return withContext(dialect, row, rewrite, verdict.context);
    }
    default:
      return withContext(dialect, row, null, verdict.context);
  }
}

function blocked(dialect: Dialect, row: EventRow, reason: string): JsonObject | null {
  return row.honours.block ? dialect.block(row, filled(reason)) : null;
}

/** Several agents ignore a block that gives no reason. */
function filled(reason: string): string {
  return reason.trim() === '' ? 'Blocked by the policy' : reason;
}

function rewritten(
  set: ToolSet,
  dialect: Dialect,
  row: EventRow,
  call: NativeCall,
  payloads: NativeCall['payloads'],
): JsonObject | null {
  if (!row.honours.modify) return null;
  if (row.event === 'tool.pre' && dialect.input !== undefined) {
    const tool = dialect.tool(call.native);
    const input = rewrittenInput(set, tool, call.payloads, payloads);
    if (input === null || (dialect.stays !== undefined && lacks(input, tool.input, dialect.stays)))
      return null;
    return dialect.input(row, input);
  }
  if (row.event === 'tool.post' && dialect.output !== undefined) {
    const text = rewrittenOutput(call.payloads, payloads);
    return text === null ? null : dialect.output(row, text);
  }
  const [prompt] = payloads;
  if (row.event !== 'turn.start' || typeof prompt !== 'string') return null;
  return dialect.prompt?.(row, prompt) ?? null;
}

function lacks(input: Json, before: Json, stays: readonly string[]): boolean {
  if (!isJsonObject(before)) return false;
  const gone = Object.keys(before).filter((key) => !isJsonObject(input) || !Object.hasOwn(input, key));
  return gone.some((key) => !stays.includes(key));
}

function withContext(
  dialect: Dialect,
  row: EventRow,
  answer: JsonObject | null,
  text: string | null,
): JsonObject | null {
  if (text === null || !row.honours.context) return answer;
  return dialect.context(row, answer ?? {}, text);
}

/** The object under `hookSpecificOutput` with more in it: the dialect that Claude Code began. */
export function hookSpecificAnswer({ native }: EventRow, answer: JsonObject, more: JsonObject): JsonObject {
  const inside = answer.hookSpecificOutput ?? { hookEventName: native };
  return { ...answer, hookSpecificOutput: { ...(inside as JsonObject), ...more } };
}
