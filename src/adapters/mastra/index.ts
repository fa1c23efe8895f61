/**
 * The policy in a program that uses Mastra.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = new Agent({ id, name, instructions, model, tools: guardTools(guard, { shell }), inputProcessors: [promptProcessor(guard)] });
 * ```
 */
import { argumentsOf, type Guard, openGuardIn } from '../frameworks/guard.ts';

export { Guard, type GuardOptions } from '../frameworks/guard.ts';

export const openGuard = openGuardIn('Mastra');

interface MastraTool {
  readonly id: string;
  execute?: unknown;
}

/** The same tools; each runs only as the policy says. */
export function guardTools<T extends Readonly<Record<string, MastraTool>>>(guard: Guard, tools: T): T {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, tool)])) as T;
}

export function guardTool<T extends MastraTool>(guard: Guard, tool: T): T {
  const { execute } = tool;
  if (typeof execute !== 'function') return tool;
  // Version 0 gives `{ context }` first, version 1 the input itself.
  const guarded = async (first: Record<string, unknown>, second?: unknown) => {
    const wrapped =
      typeof first === 'object' && first !== null && 'context' in first && 'runtimeContext' in first;
    const input = wrapped ? first.context : first;
    const called = await guard.call({ name: tool.id, args: argumentsOf(input) }, (args) =>
      (execute as (a: unknown, b: unknown) => unknown)(wrapped ? { ...first, context: args } : args, second),
    );
    if (!called.ok) throw new Error(called.reason);
    const { value, context } = called;
    return context.length > 0 && typeof value === 'string' ? [value, ...context].join('\n\n') : value;
  };
  // A tool is an instance of the framework's class, and has to stay one.
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as T, tool, { execute: guarded });
}

interface Processed {
  readonly messages: readonly unknown[];
  readonly abort: (reason?: string) => never;
}

/** For `inputProcessors`: a prompt the policy blocks, or would rewrite, ends the run as a tripwire. */
export function promptProcessor(guard: Guard) {
  return {
    id: 'harness',
    name: 'harness',
    processInput: async <M extends Processed>({ messages, abort }: M): Promise<M['messages']> => {
      const text = textOf(messages.at(-1));
      const checked = await guard.prompt(text);
      if (!checked.ok) abort(checked.reason);
      else if (checked.value !== text) abort('the policy rewrites this prompt, which a processor cannot');
      return messages;
    },
  };
}

function textOf(message: unknown): string {
  const { content } = (message ?? {}) as { content?: unknown };
  if (typeof content === 'string') return content;
  const { parts = [], content: inner } = (content ?? {}) as {
    parts?: { text?: unknown }[];
    content?: unknown;
  };
  const texts = parts.map(({ text }) => text).filter((each): each is string => typeof each === 'string');
  return texts.length > 0 ? texts.join('\n') : typeof inner === 'string' ? inner : '';
}
