/**
 * The policy in a program that uses the AI SDK.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = new ToolLoopAgent(guardAgent(guard, { model, tools: { readFile, shell } }));
 * const result = await generateText(guardAgent(guard, { model, tools: { readFile, shell }, prompt }));
 * ```
 */
import type { Json, JsonObject } from '../../base/index.ts';
import {
  type AgentOptions,
  argumentsOfInput,
  type Guard,
  inputLike,
  openGuardIn,
  textOfParts,
  userTurns,
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
  const changes: Record<string, unknown> = { prepareStep: guardedSteps(guard, prepareStep, options) };
  if (model !== undefined) changes.model = guardedModel(guard, model, options);
  if (tools !== undefined) changes.tools = guardedTools(guard, tools as Record<string, AnyTool>, options);
  if (typeof prepareCall === 'function')
    changes.prepareCall = async (...given: unknown[]) => {
      const prepared = (await prepareCall(...given)) as object | undefined;
      return prepared === undefined || prepared === null ? prepared : guardAgent(guard, prepared, options);
    };
  return { ...settings, ...changes };
}

type PrepareStep = (step: { readonly steps: object; readonly model: unknown }) => unknown;

/** Runs by their list of steps, which the SDK makes for each and gives to every step of it. */
const runs = new WeakMap<object, PromptRun>();

/** Every step gets a model of its run, which knows what that run has judged. */
function guardedSteps(guard: Guard, prepareStep: unknown, options: AgentOptions): unknown {
  if (judgedBy.get(prepareStep as object) === guard) return prepareStep;
  const guarded: PrepareStep = async (step) => {
    const own = typeof prepareStep === 'function' ? (prepareStep as PrepareStep) : () => undefined;
    const prepared = ((await own(step)) ?? {}) as AgentSettings;
    const run = runs.get(step.steps) ?? [];
    runs.set(step.steps, run);
    const { tools } = prepared;
    return {
      ...prepared,
      ...(tools !== undefined && { tools: guardedTools(guard, tools as Record<string, AnyTool>, options) }),
      model: guardedModel(guard, prepared.model ?? step.model, options, run),
    };
  };
  judgedBy.set(guarded, guard);
  return guarded;
}

/** By which guard a model or tool is judged already: `prepareCall` is given the guarded settings and may give them back. */
const judgedBy = new WeakMap<object, Guard>();

/** What a guarded model stands for. */
const originals = new WeakMap<object, LanguageModelLike>();

interface LanguageModelLike {
  readonly modelId?: string;
  readonly doGenerate: Call;
  readonly doStream: Call;
}

function guardedModel(guard: Guard, model: unknown, options: AgentOptions, run?: PromptRun): unknown {
  if (typeof model === 'string') {
    guard.refuse(
      `model ${model}`,
      'a name, which the SDK looks up by itself; write gateway(name) or provider(name)',
      options,
    );
    return model;
  }
  const isJudged = judgedBy.get(model as object) === guard;
  if (isJudged && run === undefined) return model;
  const own = (isJudged ? originals.get(model as object) : model) as LanguageModelLike;
  const { transformParams, wrapGenerate, wrapStream } = middleware(guard, run);
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
  originals.set(made, own);
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
 * where a hook listens to `completion.post`. A model does not know which run it works for, so that each request is judged by itself.
 */
export function guardModel(guard: Guard) {
  return middleware(guard);
}

function middleware(guard: Guard, run?: PromptRun) {
  const judged = async <P extends Prompted>(params: P, model: string): Promise<P> => {
    const messages = JSON.parse(JSON.stringify(params.prompt)) as Json[];
    const prompted = await guardPrompts(guard, run ?? [], messages);
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

/** What the user says in one run, by its turn: as it was judged, and as the model reads it in every step. */
type PromptRun = { readonly text: string; readonly left: string }[];

/** Each step of a run sends the whole conversation again, as the user wrote it. */
async function guardPrompts(
  guard: Guard,
  run: PromptRun,
  messages: readonly Json[],
): Promise<readonly Json[]> {
  const left = [...messages] as JsonObject[];
  for (const [turn, { at, isNew }] of userTurns(left, ({ role }) => role).entries()) {
    const message = left[at]!;
    const text = textOfParts(message.content);
    if (run[turn]?.text !== text) {
      const checked = await guard.prompt({ text, isNew });
      if (!checked.ok) throw new PolicyError(checked.reason);
      run[turn] = { text, left: [checked.value, ...checked.context].join('\n\n') };
    }
    if (run[turn]!.left !== text) left[at] = withText(message, run[turn]!.left);
  }
  return left;
}

/** Its text as one part; files and images stay. */
function withText(message: JsonObject, text: string): JsonObject {
  const parts = Array.isArray(message.content) ? (message.content as JsonObject[]) : [];
  return { ...message, content: [{ type: 'text', text }, ...parts.filter(({ type }) => type !== 'text')] };
}
