/**
 * The other way round: any language model of the AI SDK as the provider of a session of ours.
 */
import type {
  Attempt,
  CompletionRequest,
  Message,
  Provider,
  StopReason,
  ToolCall,
} from '../../agent/index.ts';
import { argumentsOf } from '../guard.ts';

/** As much of a language model as is used here; versions 2 and 3 of the specification are alike in it. */
export interface LanguageModel {
  readonly modelId: string;
  readonly provider: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

interface Generated {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly toolCallId?: string;
    readonly toolName?: string;
    readonly input?: string;
  }[];
  readonly finishReason: string | { readonly unified: string };
  readonly usage?: Readonly<Record<string, number | { readonly total?: number } | undefined>>;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
};

/** Give it to a session as `provider`. Retries, limits and hooks are the session's. */
export function aiSdkProvider(model: LanguageModel): Provider {
  return {
    name: model.provider,
    complete: async (request, { signal, onText }): Promise<Attempt> => {
      try {
        const generated = (await model.doGenerate(optionsOf(request, signal) as never)) as Generated;
        const completion = completionOf(generated);
        if (completion.text !== '') onText?.(completion.text);
        return { ok: true, completion };
      } catch (error) {
        return { ok: false, failure: failureOf(error, signal) };
      }
    },
  };
}

function optionsOf({ system, messages, tools, max_tokens }: CompletionRequest, abortSignal: AbortSignal) {
  return {
    prompt: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.map(messageOf)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: { type: 'auto' },
    }),
    ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
    abortSignal,
  };
}

function messageOf(message: Message) {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'assistant': {
      const text = message.content === '' ? [] : [{ type: 'text', text: message.content }];
      const calls = message.tool_calls.map(({ id, name, args }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: args,
      }));
      return { role: 'assistant', content: [...text, ...calls] };
    }
    default: {
      const { call_id, name, content, is_error } = message;
      const output = { type: is_error ? 'error-text' : 'text', value: content };
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: call_id, toolName: name, output }],
      };
    }
  }
}

function completionOf({ content, finishReason, usage = {} }: Generated) {
  const text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  const calls = content.flatMap((part): ToolCall[] =>
    part.type === 'tool-call' ? [callOf(part.toolCallId ?? '', part.toolName ?? '', part.input ?? '{}')] : [],
  );
  const reason =
    STOP_REASONS[typeof finishReason === 'string' ? finishReason : finishReason.unified] ?? 'end_turn';
  return {
    text,
    tool_calls: calls,
    stop_reason: reason === 'end_turn' && calls.length > 0 ? ('tool_use' as const) : reason,
    usage: { input_tokens: tokens(usage.inputTokens), output_tokens: tokens(usage.outputTokens) },
  };
}

/** What is no JSON object is answered with an error instead of run. */
function callOf(id: string, name: string, input: string): ToolCall {
  const args = argumentsOf(input);
  return Object.hasOwn(args, 'input') && args.input === input
    ? { id, name, args: {}, malformed: input }
    : { id, name, args };
}

function tokens(count: number | { readonly total?: number } | undefined): number {
  return typeof count === 'number' ? count : (count?.total ?? 0);
}

function failureOf(error: unknown, signal: AbortSignal) {
  const { message, statusCode, isRetryable } = error as {
    message?: string;
    statusCode?: number;
    isRetryable?: boolean;
  };
  const code = signal.aborted
    ? 'aborted'
    : statusCode === 429
      ? 'rate_limited'
      : statusCode === 401
        ? 'auth'
        : 'unknown';
  return {
    code,
    message: message ?? String(error),
    ...(statusCode !== undefined && { status: statusCode }),
    retryable: isRetryable === true,
  } as const;
}
