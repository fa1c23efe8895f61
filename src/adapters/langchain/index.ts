/**
 * The policy in a program that uses LangChain's agents, as the middleware they take.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = createAgent({ model, tools, middleware: [createMiddleware(guardMiddleware(guard, { ToolMessage }))] });
 * ```
 */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type Checked, type Guard, openGuardIn } from '../frameworks/guard.ts';

export { Guard, type GuardOptions } from '../frameworks/guard.ts';

export const openGuard = openGuardIn('LangChain', 'completion.pre', 'completion.post', 'agent.stop');

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

// biome-ignore lint/suspicious/noExplicitAny: a request of the framework's own types.
type Theirs = any;

/** For `createMiddleware`. A throw in `wrapToolCall` would end the run: a refusal is a message of the tool. */
export function guardMiddleware<M>(guard: Guard, { ToolMessage }: LangChainParts<M>) {
  let notes: string[] = [];
  return {
    name: 'harness',
    wrapToolCall: async (request: Theirs, handler: (request: Theirs) => unknown): Promise<M> => {
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
    wrapModelCall: async (request: Theirs, handler: (request: Theirs) => unknown): Promise<never> => {
      const given = request as ModelRequest;
      const last = given.messages.at(-1);
      const kind = (last as { getType?: () => string } | undefined)?.getType?.();
      const texts = notes;
      notes = [];
      const send = (asked: never) => answered(guard, asked as ModelRequest, handler) as Promise<never>;
      if (kind === 'human') {
        const checked = await guard.prompt(contentOf(last));
        if (!checked.ok) throw new Error(checked.reason);
        texts.push(...checked.context);
        if (checked.value !== contentOf(last)) texts.push(checked.value);
        const messages = checked.value === contentOf(last) ? given.messages : given.messages.slice(0, -1);
        return send(withNotes(given, messages, texts));
      }
      return send(withNotes(given, given.messages, texts));
    },
  };
}

/** So often in a row a model is sent back when it wants to stop. */
const MOST_STOPS = 6;

/** The answer to a request, both as the policy lets them pass; one that may not be the last is answered with why. */
async function answered(
  guard: Guard,
  request: ModelRequest,
  handler: (request: never) => unknown,
): Promise<unknown> {
  const { model } = request as { readonly model?: { readonly model?: unknown } };
  let { messages } = request;
  for (let stops = 0; ; stops++) {
    const asked = { model: String(model?.model ?? ''), messages: messages.map(plain) };
    passed(asked, await guard.request(asked));
    const answer = await handler({ ...request, messages } as never);
    const said = { choices: [{ message: plain(answer) }] };
    passed(said, await guard.response(said));
    const { tool_calls: calls = [] } = answer as { tool_calls?: readonly unknown[] };
    const why = calls.length > 0 || stops === MOST_STOPS ? null : await guard.stop(contentOf(answer));
    if (why === null) return answer;
    messages = [...messages, answer, { role: 'user', content: why }];
  }
}

/** Messages are instances of the framework's classes: what the policy would rewrite in them is refused. */
function passed(before: JsonObject, checked: Checked<JsonObject>): void {
  if (!checked.ok) throw new Error(checked.reason);
  if (canonicalJson(checked.value) !== canonicalJson(before))
    throw new Error(
      'the policy rewrites what goes to the model or comes from it, which this framework cannot',
    );
}

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' };

function plain(message: unknown): JsonObject {
  const {
    getType,
    role,
    tool_calls: calls = [],
  } = message as {
    getType?: () => string;
    role?: string;
    tool_calls?: readonly unknown[];
  };
  const kind = getType?.call(message) ?? role ?? 'user';
  const text = { role: ROLES[kind] ?? kind, content: contentOf(message) };
  return calls.length === 0 ? text : { ...text, tool_calls: JSON.parse(JSON.stringify(calls)) as Json };
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
