/**
 * The policy in a program that uses the OpenAI Agents SDK.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = new Agent({ name, instructions, tools: guardTools(guard, [shell]), inputGuardrails: [promptGuardrail(guard)] });
 * ```
 */
import { argumentsOf, type Guard, openGuardIn } from '../frameworks/guard.ts';

export { Guard, type GuardOptions } from '../frameworks/guard.ts';

export const openGuard = openGuardIn('OpenAI Agents');

interface InvokableTool {
  readonly type: string;
  readonly name: string;
}

type Invoke = (
  context: unknown,
  input: string,
  details?: { toolCall?: { callId?: string } },
) => Promise<unknown>;

/** The same tools; function tools run only as the policy says. Tools that run at the service are not changed. */
export function guardTools<T extends readonly InvokableTool[]>(guard: Guard, tools: T): T {
  return tools.map((tool) => guardTool(guard, tool)) as unknown as T;
}

export function guardTool<T extends InvokableTool>(guard: Guard, tool: T): T {
  const { invoke } = tool as unknown as { invoke?: Invoke };
  if (tool.type !== 'function' || invoke === undefined) return tool;
  const guarded: Invoke = async (context, input, details) => {
    const called = await guard.call(
      { id: details?.toolCall?.callId, name: tool.name, args: argumentsOf(input) },
      (args) => invoke(context, JSON.stringify(args), details),
    );
    // What a tool gives back is what the model reads: a throw would end the run.
    if (!called.ok) return called.reason;
    const { value, context: notes } = called;
    return notes.length > 0 && typeof value === 'string' ? [value, ...notes].join('\n\n') : value;
  };
  return { ...tool, invoke: guarded };
}

/** A guardrail on what the user says: a block trips the wire. It cannot rewrite. */
export function promptGuardrail(guard: Guard) {
  return {
    name: 'harness',
    // By default the model is asked meanwhile.
    runInParallel: false,
    execute: async ({ input }: { input: unknown }) => {
      const checked = await guard.prompt(textOf(input));
      const rewritten = checked.ok && checked.value !== textOf(input);
      const reason = checked.ok
        ? 'the policy rewrites this prompt, which a guardrail cannot'
        : checked.reason;
      return {
        tripwireTriggered: !checked.ok || rewritten,
        outputInfo: checked.ok && !rewritten ? {} : { reason },
      };
    },
  };
}

function textOf(input: unknown): string {
  if (typeof input === 'string') return input;
  const last = Array.isArray(input) ? (input.at(-1) as { content?: unknown } | undefined) : undefined;
  if (typeof last?.content === 'string') return last.content;
  const parts = Array.isArray(last?.content) ? (last.content as { text?: unknown }[]) : [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}
