/**
 * The policy in a program that uses the AI SDK.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = new ToolLoopAgent(guardAgent(guard, { model, tools: { readFile, shell } }));
 * const result = await generateText(guardAgent(guard, { model, tools: { readFile, shell }, prompt }));
 * ```
 */
import { BoundedMap, digestOf, type Json, type JsonObject } from '../../base/index.ts';
import {
  type AgentOptions,
  addedFrom,
  argumentsOfInput,
  type Guard,
  inputLike,
  openGuardIn,
  textOfParts,
  withContext,
  withMethods,
} from '../guard.ts';
import { PolicyError } from './policy-error.ts';
import { recordAtProvider } from './provider-calls.ts';
import { judgedStream, type Piece } from './stream.ts';

export { type AgentOptions, Guard, type GuardOptions } from '../guard.ts';
export { PolicyError } from './policy-error.ts';
export { aiSdkProvider, type LanguageModel } from './provider.ts';

export const openGuard = openGuardIn('AI SDK', 'completion.pre', 'completion.post');

interface ExecutableTool {
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** What an agent is made of: the settings of `ToolLoopAgent`, or the options of `generateText` and `streamText`. */
interface AgentSettings {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly prepareCall?: unknown;
  readonly prepareStep?: unknown;
}

/**
 * The same settings under the policy: the user's prompts, requests and answers of the model, all tools, and what `prepareCall` and
 * `prepareStep` put in their place.
 */
export function guardAgent<S extends object>(guard: Guard, settings: S, options: AgentOptions = {}): S {
  if (typeof (settings as { generate?: unknown }).generate === 'function')
    guard.refuse(
      'agent',
      'an agent that is made already; write new ToolLoopAgent(guardAgent(guard, settings))',
      options,
    );
  const { model, tools, prepareCall, prepareStep } = settings as AgentSettings;
  const changes: Record<string, unknown> = {};
  if (model !== undefined) changes.model = guardedModel(guard, model, options);
  if (tools !== undefined) changes.tools = guardedTools(guard, tools as Record<string, AnyTool>, options);
  for (const [name, prepare] of Object.entries({ prepareCall, prepareStep })) {
    if (typeof prepare !== 'function') continue;
    changes[name] = async (...given: unknown[]) => {
      const prepared = (await prepare(...given)) as object | undefined;
      return prepared === undefined || prepared === null ? prepared : guardAgent(guard, prepared, options);
    };
  }
  return { ...settings, ...changes };
}

/** By which guard a model or tool is judged already: `prepareCall` is given the guarded settings and may give them back. */
const judgedBy = new WeakMap<object, Guard>();

function guardedModel(guard: Guard, model: unknown, options: AgentOptions): unknown {
  if (typeof model === 'string') {
    guard.refuse(
      `model ${model}`,
      'a name, which the SDK looks up by itself; write gateway(name) or provider(name)',
      options,
    );
    return model;
  }
  if (judgedBy.get(model as object) === guard) return model;
  const { transformParams, wrapGenerate, wrapStream } = guardModel(guard);
  const own = model as { modelId?: string; doGenerate: Call; doStream: Call };
  const judged = (params: unknown) => transformParams({ params: params as Prompted, model: own });
  const made = withMethods(own, {
    doGenerate: async (given: unknown) => {
      const params = await judged(given);
      return wrapGenerate({ doGenerate: () => own.doGenerate(params) as PromiseLike<Generated> });
    },
    doStream: async (given: unknown) => {
      const params = await judged(given);
      return wrapStream({ doStream: () => own.doStream(params) as PromiseLike<Streamed> });
    },
  });
  judgedBy.set(made, guard);
  return made;
}

type Call = (params: unknown) => PromiseLike<unknown>;

interface AnyTool extends ExecutableTool {
  readonly type?: string;
  /** Of a tool that a provider defines. */
  readonly isProviderExecuted?: boolean;
}

/** What a tool runs as: here, at the service of the model, or somewhere that nothing here sees. */
function guardedTools(
  guard: Guard,
  tools: Readonly<Record<string, AnyTool>>,
  options: AgentOptions,
): Record<string, AnyTool> {
  const made = Object.entries(tools).map(([name, tool]): [string, AnyTool] => {
    if (!KINDS.includes(tool.type)) guard.refuse(name, `a tool of the unknown kind "${tool.type}"`, options);
    const atProvider = tool.type === 'provider' && tool.isProviderExecuted !== false;
    if (tool.execute === undefined && !atProvider)
      guard.refuse(name, 'a tool without execute, so that another program runs it', options);
    return [name, guardTool(guard, name, tool)];
  });
  return Object.fromEntries(made);
}

const KINDS: readonly unknown[] = [undefined, 'function', 'dynamic', 'provider'];

/** The same tools; those that run here run only as the policy says. Tools without `execute` run elsewhere and are not changed. */
export function guardTools<T extends Readonly<Record<string, ExecutableTool>>>(guard: Guard, tools: T): T {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, name, tool)]);
  return Object.fromEntries(guarded) as T;
}

export function guardTool<T extends ExecutableTool>(guard: Guard, name: string, tool: T): T {
  const { execute } = tool;
  if (execute === undefined || judgedBy.get(tool) === guard) return tool;
  const run = execute as unknown as (input: unknown, options: unknown) => unknown;
  const guarded = async (input: unknown, options: { readonly toolCallId?: string } | undefined) => {
    const called = await guard.call(
      { id: options?.toolCallId, name, args: argumentsOfInput(input) },
      async (args) => last(await run(inputLike(input, args), options)),
    );
    if (!called.ok) throw new PolicyError(called.reason);
    return withContext(called.value, called.context);
  };
  const made = { ...tool, execute: guarded };
  judgedBy.set(made, guard);
  return made;
}

/** A tool may answer in pieces; the last is its result, and only that is judged and given on. */
async function last(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let final: unknown;
  for await (const piece of output as AsyncIterable<unknown>) final = piece;
  return final;
}

interface Prompted {
  readonly prompt: unknown;
}

interface Generated {
  readonly content?: readonly unknown[];
}

interface Streamed {
  readonly stream: ReadableStream<Piece>;
}

/**
 * What `wrapLanguageModel` takes as `middleware`: prompts, requests and answers are judged. A streamed answer is held until it is whole
 * where a hook listens to `completion.post`.
 */
export function guardModel(guard: Guard) {
  const rewritten = new BoundedMap<string, string>(MOST_REWRITTEN);
  const judged = async <P extends Prompted>(params: P, model: string): Promise<P> => {
    const messages = JSON.parse(JSON.stringify(params.prompt)) as Json[];
    const prompted = await guardPrompts(guard, rewritten, messages);
    const request = await guard.request({ model, messages: prompted as unknown as Json });
    if (!request.ok) throw new PolicyError(request.reason);
    const left = request.value.messages as Json[];
    const notes = request.context.map((text) => ({ role: 'user', content: [{ type: 'text', text }] }));
    const unchanged = JSON.stringify(left) === JSON.stringify(params.prompt) && notes.length === 0;
    return unchanged ? params : { ...params, prompt: [...left, ...notes] };
  };
  return {
    transformParams: async <P extends Prompted>({
      params,
      model,
    }: {
      params: P;
      model?: { modelId?: string };
    }) => judged(params, model?.modelId ?? ''),
    wrapGenerate: async <R extends Generated>({
      doGenerate,
    }: {
      doGenerate: () => PromiseLike<R>;
    }): Promise<R> => {
      const result = await doGenerate();
      const { content = [] } = result;
      for (const part of content) recordAtProvider(guard, part);
      const choices = [
        { message: { role: 'assistant', content: JSON.parse(JSON.stringify(content)) as Json } },
      ];
      const response = await guard.response({ choices });
      if (!response.ok) throw new PolicyError(response.reason);
      const [choice] = response.value.choices as readonly { message: { content: unknown[] } }[];
      const left = choice?.message.content ?? [];
      return JSON.stringify(left) === JSON.stringify(content) ? result : { ...result, content: left };
    },
    wrapStream: async <P extends Piece, R extends { readonly stream: ReadableStream<P> }>({
      doStream,
    }: {
      doStream: () => PromiseLike<R>;
    }): Promise<R> => {
      const result = await doStream();
      return { ...result, stream: judgedStream(guard, result.stream) };
    },
  };
}

/** The longest list of rewritten prompts that is remembered. */
const MOST_REWRITTEN = 1000;

/**
 * Every message that the request adds is judged. Each step of a run sends the whole conversation again, as the user wrote it: what was
 * rewritten is replaced there too, by the digest of the text, whichever run it is in.
 */
async function guardPrompts(
  guard: Guard,
  rewritten: Map<string, string>,
  messages: readonly Json[],
): Promise<readonly Json[]> {
  const given = messages as readonly JsonObject[];
  const from = addedFrom(given, ({ role }) => role === 'user');
  const left: Json[] = [];
  for (const [at, message] of given.entries()) {
    const text = textOfParts(message.content);
    if (at < from) {
      const again = message.role === 'user' ? rewritten.get(digestOf(text)) : undefined;
      left.push(again === undefined ? message : withText(message, again));
      continue;
    }
    const checked = await guard.prompt(text);
    if (!checked.ok) throw new PolicyError(checked.reason);
    if (checked.value !== text) rewritten.set(digestOf(text), checked.value);
    const after = [checked.value, ...checked.context].join('\n\n');
    left.push(after === text ? message : withText(message, after));
  }
  return left;
}

/** Its text as one part; files and images stay. */
function withText(message: JsonObject, text: string): JsonObject {
  const parts = Array.isArray(message.content) ? (message.content as JsonObject[]) : [];
  return { ...message, content: [{ type: 'text', text }, ...parts.filter(({ type }) => type !== 'text')] };
}
