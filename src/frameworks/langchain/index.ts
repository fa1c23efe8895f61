/**
 * The policy in a program that uses LangChain's agents, as the middleware they take.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = createAgent(guardAgent(guard, { model, tools }, { createMiddleware, ToolMessage }));
 * ```
 */
import { digestOf, isJsonObject, type Json, type JsonObject, readJson, sameJson } from '../../base/index.ts';
import { machineHost } from '../../machine/index.ts';
import {
  type AgentOptions,
  type Checked,
  type Guard,
  openGuardIn,
  textOfParts,
  userTurns,
  withContext,
} from '../guard.ts';

export { type AgentOptions, Guard, type GuardOptions } from '../guard.ts';

export const openGuard = openGuardIn('LangChain', 'completion.pre', 'completion.post', 'agent.stop');

interface ToolCallRequest {
  readonly toolCall: { readonly id?: string; readonly name: string; readonly args: Record<string, unknown> };
}

interface ModelRequest {
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[];
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
  /**
   * What a tool throws is thrown on, for a middleware of yours that answers for it. Otherwise it is a message to the model, as in an agent
   * without middleware.
   */
  readonly throws?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a request of the framework's own types.
type Theirs = any;

/** The parameters of `createAgent`, with the policy as the last middleware: it judges what all others left. */
export function guardAgent<P extends object, M>(
  guard: Guard,
  params: P,
  parts: LangChainParts<M> & {
    /** The function, from `langchain`. */
    readonly createMiddleware: (config: Theirs) => Theirs;
  },
  options: AgentOptions = {},
): P {
  const { tools = [], middleware = [] } = params as { tools?: unknown; middleware?: readonly Theirs[] };
  if (!Array.isArray(tools))
    guard.refuse('tools', 'want a list of tools, got an object that runs them', options);
  for (const tool of [...(tools as unknown[]), ...middleware.flatMap(({ tools: added = [] }) => added)])
    if (typeof tool !== 'object' || tool === null) guard.refuse(String(tool), 'not a tool', options);
  const wrapsCalls = middleware.some(({ wrapToolCall }) => typeof wrapToolCall === 'function');
  const hookMessage = parts.createMiddleware(guardMiddleware(guard, { ...parts, throws: wrapsCalls }));
  return { ...params, middleware: [...middleware, hookMessage] };
}

/** For `createMiddleware`. A throw in `wrapToolCall` would end the run: a refusal is a message of the tool. */
export function guardMiddleware<M>(guard: Guard, { ToolMessage, throws = false }: LangChainParts<M>) {
  /** What each run has judged, by the writer that LangGraph makes for it: there a message stays the same object. */
  const runs = new WeakMap<object, WeakMap<Message, string>>();
  return {
    name: 'harness',
    // In the state of the run, so that what is rewritten stays so in every later request of it.
    beforeModel: async ({ messages }: Theirs, runtime?: Theirs): Promise<Theirs> => {
      const judged = runs.get(runtime?.writer) ?? new WeakMap<Message, string>();
      if (runtime?.writer !== undefined) runs.set(runtime.writer, judged);
      const open = userTextsOf(messages as readonly Message[]).filter(
        ({ message, text }) => judged.get(message) !== text && !isOurs(message, text),
      );
      const checked = await guard.prompts(open);
      if (!checked.ok) throw new Error(checked.reason);
      for (const { message, text } of open) judged.set(message, text);
      const rewritten = open.flatMap(({ message, text: before }, at) => {
        const text = checked.value[at] as string;
        return text === before
          ? []
          : [{ ...ours(text), id: message.id, content: contentWith(message, text) }];
      });
      const notes = checked.context.map(ours);
      return rewritten.length + notes.length === 0 ? undefined : { messages: [...rewritten, ...notes] };
    },
    wrapToolCall: async (request: Theirs, handler: (request: Theirs) => unknown): Promise<M> => {
      const { toolCall } = request as ToolCallRequest;
      const { id = '', name } = toolCall;
      let message: unknown;
      const answer = (content: string, status?: 'error') =>
        new ToolMessage({ content, tool_call_id: id, name, ...(status && { status }) });
      let called: Checked<string>;
      try {
        called = await guard.call(
          { id: toolCall.id, name, args: toolCall.args as JsonObject },
          async (args) => {
            message = await handler({
              ...(request as ToolCallRequest),
              toolCall: { ...toolCall, args },
            } as never);
            return judgedText(message);
          },
        );
      } catch (error) {
        if (throws || endsRun(error)) throw error;
        return answer(`${error}\n Please fix your mistakes.`, 'error');
      }
      if (!called.ok) return answer(called.reason, 'error');
      const { value, context } = called;
      if (value !== judgedText(message) && !rewriteCommand(message, value))
        return answer([value, ...context].join('\n\n'));
      for (const carrier of carriers(message)) carrier.content = withNotes(carrier.content, context);
      return message as M;
    },
    wrapModelCall: async (request: Theirs, handler: (request: Theirs) => unknown): Promise<never> => {
      const given = request as ModelRequest;
      // The first request of a run: nothing here sees the calls of a tool that the service runs.
      if (userTextsOf(given.messages as readonly Message[]).some(({ isNew }) => isNew))
        for (const tool of given.tools ?? []) if (!isClientTool(tool)) guard.atProvider(serverToolName(tool));
      return answered(guard, given, handler) as Promise<never>;
    },
  };
}

interface Message {
  readonly id?: string;
  content: unknown;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly role?: string;
  readonly getType?: () => string;
}

/** What the user says, by message. */
function userTextsOf(messages: readonly Message[]) {
  return userTurns(messages, roleOf).map(({ at, isNew }) => {
    const message = messages[at] as Message;
    return { message, text: textOfParts(message.content), isNew };
  });
}

/** Of this process: a client that sends the conversation back cannot mark another text. */
const SECRET = machineHost.uuid();
const markOf = (text: string) => digestOf([SECRET, text]);

/** A message with a text of hooks, which is not judged again, also where the conversation is stored in between. */
function ours(text: string) {
  return { role: 'user', content: text, additional_kwargs: { harness: markOf(text) } };
}

function isOurs({ additional_kwargs: { harness } = {} }: Message, text: string): boolean {
  return harness === markOf(text);
}

/** Parts that are not text stay. */
function contentWith({ content }: Message, text: string): unknown {
  if (!Array.isArray(content)) return text;
  const others = (content as { type?: unknown }[]).filter(({ type }) => type !== 'text');
  return [{ type: 'text', text }, ...others];
}

/** The messages that a tool gave: itself one, or in the update of a command. */
function carriers(output: unknown): Message[] {
  const { update } = (output ?? {}) as { update?: { messages?: readonly Message[] } };
  const all = [output as Message, ...(update?.messages ?? [])];
  return all.filter((message) => message?.getType?.() === 'tool');
}

/** Of a command: what its messages say, and the rest of its update. */
interface CommandText {
  readonly messages: readonly unknown[];
  readonly update: JsonObject;
}

function commandText(output: unknown): CommandText | null {
  const messages = carriers(output);
  const { update } = (output ?? {}) as { update?: Readonly<Record<string, unknown>> };
  if (messages.length === 0 || messages[0] === output || update === undefined || Array.isArray(update))
    return null;
  const { messages: _messages, ...rest } = update;
  return { messages: messages.map(({ content }) => content), update: rest as JsonObject };
}

/** What hooks read of a result. */
function judgedText(output: unknown): string {
  const command = commandText(output);
  return command === null ? contentOf(output) : JSON.stringify(command);
}

/** Puts what hooks left into the command itself, so that the state is updated as it says; false if that is not what they left. */
function rewriteCommand(output: unknown, text: string): boolean {
  const command = commandText(output);
  const read = command === null ? null : readJson(text);
  if (command === null || read?.ok !== true || !isJsonObject(read.value)) return false;
  const { messages, update } = read.value;
  if (!Array.isArray(messages) || messages.length !== command.messages.length || !isJsonObject(update))
    return false;
  const own = output as { update: Record<string, unknown> };
  carriers(output).forEach((carrier, at) => {
    carrier.content = messages[at];
  });
  const values = Object.entries(update).map(([key, value]) => {
    const before = own.update[key];
    return [key, JSON.stringify(before) === JSON.stringify(value) ? before : value];
  });
  own.update = { ...Object.fromEntries(values), messages: own.update.messages };
  return true;
}

/** A question to a person, the end of the run, or arguments that do not fit: LangChain answers for these itself. */
function endsRun(error: unknown): boolean {
  const { name, is_bubble_up } = (error ?? {}) as { name?: unknown; is_bubble_up?: unknown };
  return is_bubble_up === true || name === 'AbortError' || name === 'ToolInvocationError';
}

function withNotes(content: unknown, notes: readonly string[]): unknown {
  if (!Array.isArray(content)) return withContext(content, notes);
  return [...(content as unknown[]), ...notes.map((text) => ({ type: 'text', text }))];
}

/** As LangChain tells them apart: what can be called here is. */
function isClientTool(tool: unknown): boolean {
  return typeof (tool as { invoke?: unknown } | null)?.invoke === 'function';
}

function serverToolName(tool: unknown): string {
  const { name, type } = tool as { name?: unknown; type?: unknown };
  return String(name ?? type ?? 'a tool without a name');
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
  if (!sameJson(checked.value, before))
    throw new Error(
      'the policy rewrites what goes to the model or comes from it, which this framework cannot',
    );
}

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' };

/** A message of the kind `generic` names its role itself. */
function roleOf(message: Message): string {
  const type = message.getType?.() ?? 'generic';
  const role = type === 'generic' ? (message.role ?? 'user') : type;
  return ROLES[role] ?? role;
}

function plain(message: unknown): JsonObject {
  const { tool_calls: calls = [] } = message as { tool_calls?: readonly unknown[] };
  const text = { role: roleOf(message as Message), content: contentOf(message) };
  return calls.length === 0 ? text : { ...text, tool_calls: JSON.parse(JSON.stringify(calls)) as Json };
}

function contentOf(message: unknown): string {
  const { content } = (message ?? {}) as { content?: unknown };
  return typeof content === 'string' ? content : JSON.stringify(content ?? message ?? null);
}
