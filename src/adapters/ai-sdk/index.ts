/**
 * The policy in a program that uses the AI SDK.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const result = await generateText({
 *   model: wrapLanguageModel({ model, middleware: guardModel(guard) }),
 *   tools: guardTools(guard, { readFile, shell }),
 *   prompt,
 * });
 * ```
 */
import type { Json, JsonObject } from '../../base/json.ts';
import { argumentsOf, type Guard, openGuardIn } from '../frameworks/guard.ts';
import { PolicyError } from './policy-error.ts';
import { judgedStream, type Piece } from './stream.ts';

export { Guard, type GuardOptions } from '../frameworks/guard.ts';
export { PolicyError } from './policy-error.ts';
export { aiSdkProvider, type LanguageModel } from './provider.ts';

export const openGuard = openGuardIn('AI SDK', 'completion.pre', 'completion.post');

interface ExecutableTool {
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** The same tools; those that run here run only as the policy says. Tools without `execute` run elsewhere and are not changed. */
export function guardTools<T extends Readonly<Record<string, ExecutableTool>>>(guard: Guard, tools: T): T {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, name, tool)]);
  return Object.fromEntries(guarded) as T;
}

export function guardTool<T extends ExecutableTool>(guard: Guard, name: string, tool: T): T {
  const { execute } = tool;
  if (execute === undefined) return tool;
  const run = execute as unknown as (input: unknown, options: unknown) => unknown;
  const guarded = async (input: unknown, options: { readonly toolCallId?: string } | undefined) => {
    const called = await guard.call(
      { id: options?.toolCallId, name, args: argumentsOf(input) },
      async (args) => last(await run(args, options)),
    );
    if (!called.ok) throw new PolicyError(called.reason);
    return withContext(called.value, called.context);
  };
  return { ...tool, execute: guarded };
}

/** A tool may answer in pieces; the last is its result, and only that is judged and given on. */
async function last(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let final: unknown;
  for await (const piece of output as AsyncIterable<unknown>) final = piece;
  return final;
}

function withContext(value: unknown, context: readonly string[]): unknown {
  if (context.length === 0 || typeof value !== 'string') return value;
  return [value, ...context].join('\n\n');
}

interface Prompted {
  readonly prompt: unknown;
}

interface Generated {
  readonly content?: readonly unknown[];
}

/**
 * What `wrapLanguageModel` takes as `middleware`: prompts, requests and answers are judged. A streamed answer is held until it is whole
 * where a hook listens to `completion.post`.
 */
export function guardModel(guard: Guard) {
  const judged = async <P extends Prompted>(params: P, model: string): Promise<P> => {
    const messages = JSON.parse(JSON.stringify(params.prompt)) as Json[];
    const prompted = await guardPrompt(guard, messages);
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

/** The last message, if a person wrote it and it has not been judged: a request is sent once for each step of a run. */
async function guardPrompt(guard: Guard, messages: readonly Json[]): Promise<readonly Json[]> {
  const at = messages.length - 1;
  const message = messages[at] as JsonObject | undefined;
  if (message?.role !== 'user' || !Array.isArray(message.content)) return messages;
  const parts = await Promise.all(
    message.content.map(async (part) => {
      const { type, text } = part as JsonObject;
      if (type !== 'text' || typeof text !== 'string') return part;
      const checked = await guard.prompt(text);
      if (!checked.ok) throw new PolicyError(checked.reason);
      return { ...(part as JsonObject), text: [checked.value, ...checked.context].join('\n\n') };
    }),
  );
  return [...messages.slice(0, at), { ...message, content: parts }];
}
