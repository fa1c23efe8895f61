/**
 * The two moments of a tool call that every agent has, before and after it runs, from what an adapter found in a payload to
 * payloads of the catalog, and a rewrite back to the native input. The adapters only say where the fields stand.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from '../base/index.ts';
import type { NativeCall } from './adapter.ts';
import { formOf, isNotACall, type NotACall, splitCall, type ToolSet } from './tool-forms.ts';
import type { CanonicalCall } from './tools.ts';

export interface NativeTool {
  /** The agent's id of the call, if it names one. */
  readonly id: string | null;
  /** As the tables know it. */
  readonly name: string;
  /** As the agent spells it, if that is not the same. */
  readonly spelled?: string;
  readonly input: Json;
  /** The folder a command runs in, if the agent tells it outside the input: judged with it, and not to be rewritten. */
  readonly cwd?: string | null;
}

export interface NativeResult {
  /** What the model will read. */
  readonly output: Json;
  /** Null if the agent does not say. */
  readonly isError: boolean | null;
}

/** What a payload comes to, beside where it comes from. */
export type EventParts = Pick<NativeCall, 'payloads' | 'also'> & Partial<Pick<NativeCall, 'callId'>>;

export function beforeTool(set: ToolSet, tool: NativeTool, session: string): EventParts | NotACall {
  const calls = callsOf(set, tool);
  if (isNotACall(calls)) return calls;
  const payloads = calls.map((call, i) => ({
    ...idOf('id', tool, calls.length, i),
    ...{ name: call.name, args: call.args },
    ...about(tool, call, session, i),
  }));
  const also = calls.filter(isDelegation).map(({ args }) => ({
    event: 'delegation.pre',
    payload: { ...delegation(args), prompt: textOf(args.prompt), session_id: session },
  }));
  return { payloads, callId: tool.id, ...(also.length > 0 ? { also } : {}) };
}

/** `each`: one result for each call of the list, if the agent gives them apart. */
export function afterTool(
  set: ToolSet,
  tool: NativeTool,
  result: NativeResult,
  session: string,
  each: readonly NativeResult[] = [],
): EventParts | NotACall {
  const calls = callsOf(set, tool);
  if (isNotACall(calls)) return calls;
  const payloads = calls.map((call, i) => {
    const { output, isError } = each.length === calls.length ? each[i]! : result;
    return {
      ...idOf('call_id', tool, calls.length, i),
      ...{ name: call.name, args: call.args, content: textOf(output) },
      ...(isError === null ? {} : { is_error: isError }),
      ...about(tool, call, session, i),
    };
  });
  const also = calls.filter(isDelegation).map(({ args }) => ({
    event: 'delegation.post',
    payload: { ...delegation(args), result: textOf(result.output), session_id: session },
  }));
  return { payloads, callId: tool.id, ...(also.length > 0 ? { also } : {}) };
}

/** The native input after a rewrite of canonical payloads; null if this tool cannot be given what the policy wants. */
export function rewrittenInput(
  set: ToolSet,
  tool: NativeTool,
  before: NativeCall['payloads'],
  after: NativeCall['payloads'],
): Json | null {
  const args: JsonObject[] = [];
  for (const [i, payload] of after.entries()) {
    const was = before[i];
    if (!isJsonObject(payload) || !isJsonObject(was) || !isJsonObject(payload.args)) return null;
    // Another tool is another call, which nobody has judged.
    if (payload.name !== was.name) return null;
    args.push(payload.args);
  }
  const own = withoutCwd(set, tool, args);
  if (own === null) return null;
  const unchanged = args.every((each, i) => sameJson(each, (before[i] as JsonObject).args));
  return unchanged ? tool.input : formOf(set, tool.name).join(tool.input, own);
}

function callsOf(set: ToolSet, tool: NativeTool): readonly CanonicalCall[] | NotACall {
  const calls = splitCall(set, tool.name, tool.input);
  if (isNotACall(calls)) return calls;
  return calls.map((call) => (hasCwdBeside(tool, call) ? withCwd(call, tool.cwd!) : call));
}

function hasCwdBeside({ cwd = null }: NativeTool, { name, args }: CanonicalCall): boolean {
  return cwd !== null && name === 'run_command' && !Object.hasOwn(args, 'cwd');
}

function withCwd({ name, args }: CanonicalCall, cwd: string): CanonicalCall {
  return { name, args: { ...args, cwd } };
}

/** The arguments as the native input has them. Null if a command was to run in another folder than the agent said. */
function withoutCwd(
  set: ToolSet,
  tool: NativeTool,
  after: readonly JsonObject[],
): readonly JsonObject[] | null {
  const calls = splitCall(set, tool.name, tool.input);
  if (isNotACall(calls)) return null;
  const own: JsonObject[] = [];
  for (const [i, args] of after.entries()) {
    const { cwd, ...rest } = args;
    const isBeside = calls[i] !== undefined && hasCwdBeside(tool, calls[i]);
    if (isBeside && cwd !== undefined && cwd !== tool.cwd) return null;
    own.push(isBeside ? rest : args);
  }
  return own;
}

/**
 * The text that takes the place of a result. Calls that share one result may be rewritten in one way only: null if two hooks
 * took different things out of it, as neither text is what both want.
 */
export function rewrittenOutput(
  before: NativeCall['payloads'],
  after: NativeCall['payloads'],
): string | null {
  const contents = (payloads: NativeCall['payloads']) =>
    payloads.map((payload) => (isJsonObject(payload) ? textOf(payload.content ?? '') : payload));
  const [was, is] = [contents(before), contents(after)];
  if (new Set(was).size > 1) return is.join('\n');
  const changed = new Set(is.filter((text, i) => text !== was[i]));
  if (changed.size > 1) return null;
  return [...changed][0] ?? is[0] ?? null;
}

/** Said in place of a rewrite that cannot be carried back. */
export function correctedArguments(after: NativeCall['payloads']): string {
  const shown = after.map((payload) => {
    if (!isJsonObject(payload)) return payload;
    return `${textOf(payload.name ?? '')} ${JSON.stringify(payload.args ?? {})}`;
  });
  const text = shown.join('\n');
  return `The policy wants this call changed, which cannot be done here. Use instead:\n${text.slice(0, 4_000)}`;
}

/** A text as it is, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** Of a call in many parts only the first has the native input beside it: on record it would stand there once for each. */
function about(
  { name, spelled = name, input }: NativeTool,
  { own = spelled }: CanonicalCall,
  session: string,
  i: number,
): JsonObject {
  return { session_id: session, native: i === 0 ? { name: own, input } : { name: own, part: i + 1 } };
}

function idOf(key: string, { id }: NativeTool, count: number, i: number): JsonObject {
  if (id === null) return {};
  return { [key]: count === 1 ? id : `${id}#${i + 1}` };
}

function isDelegation({ name }: CanonicalCall): boolean {
  return name === 'delegate';
}

function delegation({ agent }: JsonObject): { readonly agent: string } {
  return { agent: typeof agent === 'string' && agent !== '' ? agent : 'default' };
}
