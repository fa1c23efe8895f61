/**
 * The assertions of evaluation files, as a table. Each says what it needs, what it makes of a story, and whether a story that
 * broke off for want of a model can settle it already.
 */

import { compileRegex, didYouMean } from '../../base/index.ts';
import type { Criterion } from './eval-file.ts';

/** What happened, of the agent and of its sub-agents. */
export interface Story {
  /** The last answer. */
  readonly response: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  readonly fired: readonly string[];
  readonly blocks: readonly { readonly hook: string; readonly reason: string }[];
  /** Of tools and of completions; a block is none. */
  readonly errors: readonly string[];
  readonly delegations: readonly string[];
  readonly depth: number;
  readonly tokens: number;
  /** Requests that were answered. */
  readonly answers: number;
  /** The names of all hooks that could have spoken. */
  readonly hooks: readonly string[];
}

/** True: it holds. A text: why not. `undecided`: why nobody can say without a model. */
export type Verdict = true | string | { readonly undecided: string };

interface Grade {
  readonly needs: 'value' | 'tool' | 'hook' | 'number' | null;
  /** What the beginning of a story can show for all of it: once `true` or once `false` it stays so; `end`: nothing. */
  readonly settled: 'true' | 'false' | 'end';
  readonly judge: (story: Story, criterion: Criterion) => Verdict;
}

const verdictOf = (holds: boolean, why: () => string): Verdict => holds || why();
const textOf = ({ value }: Criterion) => (value === undefined || value === null ? '' : String(value));
const most = (criterion: Criterion) => criterion.max_value ?? Number(textOf(criterion));
const quote = (value: string) => JSON.stringify(value);

export type GradeType =
  | 'response_contains'
  | 'response_not_contains'
  | 'response_matches'
  | 'tool_called'
  | 'tool_not_called'
  | 'tool_call_count'
  | 'max_tool_iterations'
  | 'hook_fired'
  | 'hook_blocked'
  | 'hook_not_blocked'
  | 'delegation_occurred'
  | 'delegation_depth'
  | 'no_errors'
  | 'tokens_under'
  | 'completed_within';

export const GRADES: Readonly<Record<GradeType, Grade>> = {
  response_contains: {
    needs: 'value',
    settled: 'end',
    judge: ({ response }, c) =>
      verdictOf(response.includes(textOf(c)), () => `the answer is ${quote(response)}`),
  },
  response_not_contains: {
    needs: 'value',
    settled: 'end',
    judge: ({ response }, c) =>
      verdictOf(!response.includes(textOf(c)), () => `the answer is ${quote(response)}`),
  },
  response_matches: {
    needs: 'value',
    settled: 'end',
    judge: ({ response }, c) => {
      const compiled = compileRegex(textOf(c));
      return verdictOf(compiled.ok && compiled.test(response), () => `the answer is ${quote(response)}`);
    },
  },
  tool_called: {
    needs: 'tool',
    settled: 'true',
    judge: ({ calls }, c) =>
      verdictOf(
        calls.some(({ name, args }) => name === c.tool && hasArguments(args, c.args_contain)),
        () => `the calls were ${listed(calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`))}`,
      ),
  },
  tool_not_called: {
    needs: 'tool',
    settled: 'false',
    judge: ({ calls }, { tool }) =>
      verdictOf(!calls.some(({ name }) => name === tool), () => `${tool} was called`),
  },
  tool_call_count: {
    needs: null,
    settled: 'end',
    judge: ({ calls }, { tool, count = 0, min_value: min, max_value: max }) => {
      const made = calls.filter(({ name }) => tool === undefined || name === tool).length;
      const holds = min !== undefined ? made >= min : max !== undefined ? made <= max : made === count;
      return verdictOf(holds, () => `there were ${made}`);
    },
  },
  max_tool_iterations: {
    needs: 'number',
    settled: 'false',
    judge: ({ calls }, c) => verdictOf(calls.length <= most(c), () => `there were ${calls.length} calls`),
  },
  hook_fired: {
    needs: 'hook',
    settled: 'true',
    judge: ({ fired }, c) => verdictOf(fired.includes(textOf(c)), () => `those that ran: ${listed(fired)}`),
  },
  hook_blocked: {
    needs: null,
    settled: 'true',
    judge: ({ blocks, hooks }, c) => {
      const wanted = textOf(c);
      const found = blocks.some(({ hook, reason }) => hook.includes(wanted) || reason.includes(wanted));
      const all = blocks.map(({ hook, reason }) => `${hook} (${reason})`);
      return verdictOf(
        found,
        () => (all.length === 0 ? unknownHook(c, hooks) : null) ?? `those that blocked: ${listed(all)}`,
      );
    },
  },
  hook_not_blocked: {
    needs: 'hook',
    settled: 'false',
    judge: ({ blocks }, c) => {
      const block = blocks.find(({ hook }) => hook === textOf(c));
      return verdictOf(block === undefined, () => `it blocked: ${block?.reason}`);
    },
  },
  delegation_occurred: {
    needs: null,
    settled: 'true',
    judge: ({ delegations }, c) =>
      verdictOf(
        delegations.some((about) => about.includes(textOf(c))),
        () => `delegations: ${listed(delegations)}`,
      ),
  },
  delegation_depth: {
    needs: 'number',
    settled: 'false',
    judge: ({ depth }, c) => verdictOf(depth <= most(c), () => `it was ${depth}`),
  },
  no_errors: {
    needs: null,
    settled: 'false',
    judge: ({ errors }) => verdictOf(errors.length === 0, () => errors.join('; ')),
  },
  tokens_under: {
    needs: 'number',
    settled: 'end',
    judge: ({ tokens, answers }, c) =>
      answers > 0 && tokens === 0
        ? { undecided: 'the script states no usage' }
        : verdictOf(tokens <= most(c), () => `${tokens} were used`),
  },
  completed_within: {
    needs: 'value',
    settled: 'end',
    judge: () => ({ undecided: 'how long it takes is up to a real model' }),
  },
};

/** A name that no hook has: what is said of it would hold for nothing. */
export function unknownHook(criterion: Criterion, hooks: readonly string[]): string | null {
  const wanted = textOf(criterion);
  if (wanted === '' || hooks.includes(wanted)) return null;
  return `there is no hook ${quote(wanted)} in this case${didYouMean(wanted, hooks)}`;
}

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(', ');
}

/** Each is there and contains the wanted text, in whatever case: models vary. */
function hasArguments(
  args: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>> = {},
): boolean {
  const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(args, key) && plain(args[key]).includes(plain(value)),
  );
}
