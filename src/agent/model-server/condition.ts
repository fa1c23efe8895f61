/**
 * Conditions on a request: which item of the script answers it, and whether it is a side request. Texts are looked for as
 * they are written; every key that is given must hold, and of a list of texts one is enough.
 */
import { latestMessages, type ModelRequest, type RequestMessage } from './model-request.ts';

type Texts = string | readonly string[];

export interface Condition {
  /** In a user message or tool result since the model's last answer. */
  readonly latest?: Texts;
  /** In a tool result since the model's last answer. */
  readonly tool_result?: Texts;
  /** In any user message of the conversation: what tells one sub-agent from another for as long as it runs. */
  readonly prompt?: Texts;
  readonly system?: Texts;
  /** In the name of the model. */
  readonly model?: Texts;
  /** The name of a tool that is offered. */
  readonly tool?: Texts;
  readonly tools?: 'none' | 'some';
  /** The request allows at most this many tokens. */
  readonly max_tokens?: number;
}

type Key = keyof Condition;

const TESTS: Readonly<Record<Key, (wanted: Required<Condition>, request: ModelRequest) => boolean>> = {
  latest: ({ latest }, request) => textsOf(latestMessages(request)).some((text) => has(text, latest)),
  tool_result: ({ tool_result }, request) =>
    latestMessages(request).some((message) => message.role === 'result' && has(message.text, tool_result)),
  prompt: ({ prompt }, { messages }) =>
    messages.some((message) => message.role === 'user' && has(message.text, prompt)),
  system: (wanted, { system }) => has(system, wanted.system),
  model: (wanted, { model }) => has(model, wanted.model),
  tool: ({ tool }, { tools }) => tools.some(({ name }) => listed(tool).includes(name)),
  tools: (wanted, { tools }) => (tools.length === 0) === (wanted.tools === 'none'),
  max_tokens: ({ max_tokens }, { maxTokens }) => maxTokens !== null && maxTokens <= max_tokens,
};

export function conditionHolds(condition: Condition, request: ModelRequest): boolean {
  const keys = Object.keys(TESTS) as Key[];
  return keys.every((key) => {
    const isGiven = condition[key] !== undefined && condition[key] !== null;
    return !isGiven || TESTS[key](condition as Required<Condition>, request);
  });
}

function textsOf(messages: readonly RequestMessage[]): string[] {
  return messages.map((message) => (message.role === 'call' ? '' : message.text));
}

function has(text: string, wanted: Texts): boolean {
  return listed(wanted).some((one) => text.includes(one));
}

function listed(texts: Texts): readonly string[] {
  return typeof texts === 'string' ? [texts] : texts;
}
