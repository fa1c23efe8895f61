/**
 * The policy in a program that uses LangChain's agents, as the middleware they take.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = createAgent({ model, tools, middleware: [createMiddleware(guardMiddleware(guard, { ToolMessage }))] });
 * ```
 */
import type { JsonObject } from '../../base/json.ts';
import type { Guard } from '../frameworks/guard.ts';

export { Guard, type GuardOptions, openGuard } from '../frameworks/guard.ts';

interface ToolCallRequest {
  readonly toolCall: { readonly id?: string; readonly name: string; readonly args: Record<string, unknown> };
}

interface ModelRequest {
  readonly messages: readonly unknown[];
}

interface ToolMessageFields {
  readonly content: string;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status?: 'error' | 'success';
}

export interface LangChainParts<M> {
  /** The class, from `langchain` or `@langchain/core/messages`: messages of two copies of the package do not mix. */
  readonly ToolMessage: new (
    fields: ToolMessageFields,
  ) => M;
}

/** For `createMiddleware`. A throw in `wrapToolCall` would end the run: a refusal is a message of the tool. */
export function guardMiddleware<M>(guard: Guard, { ToolMessage }: LangChainParts<M>) {
  let notes: string[] = [];
  return {
    name: 'harness',
    wrapToolCall: async (request: never, handler: (request: never) => unknown): Promise<M> => {
      const { toolCall } = request as ToolCallRequest;
      const { id = '', name } = toolCall;
      let message: unknown;
      const called = await guard.call(
        { id: toolCall.id, name, args: toolCall.args as JsonObject },
        async (args) => {
          message = await handler({
            ...(request as ToolCallRequest),
            toolCall: { ...toolCall, args },
          } as never);
          return contentOf(message);
        },
      );
      if (!called.ok)
        return new ToolMessage({ content: called.reason, tool_call_id: id, name, status: 'error' });
      notes.push(...called.context);
      if (called.value === contentOf(message)) return message as M;
      return new ToolMessage({ content: called.value, tool_call_id: id, name });
    },
    wrapModelCall: async (request: never, handler: (request: never) => unknown): Promise<never> => {
      const given = request as ModelRequest;
      const last = given.messages.at(-1);
      const kind = (last as { getType?: () => string } | undefined)?.getType?.();
      const texts = notes;
      notes = [];
      if (kind === 'human') {
        const checked = await guard.prompt(contentOf(last));
        if (!checked.ok) throw new Error(checked.reason);
        texts.push(...checked.context);
        if (checked.value !== contentOf(last)) texts.push(checked.value);
        const messages = checked.value === contentOf(last) ? given.messages : given.messages.slice(0, -1);
        return (await handler(withNotes(given, messages, texts))) as never;
      }
      return (await handler(withNotes(given, given.messages, texts))) as never;
    },
  };
}

function withNotes(request: ModelRequest, messages: readonly unknown[], texts: readonly string[]): never {
  if (texts.length === 0 && messages === request.messages) return request as never;
  return {
    ...request,
    messages: [...messages, ...texts.map((content) => ({ role: 'user', content }))],
  } as never;
}

function contentOf(message: unknown): string {
  const { content } = (message ?? {}) as { content?: unknown };
  return typeof content === 'string' ? content : JSON.stringify(content ?? message ?? null);
}
