/**
 * Requests that agents make beside the conversation: titles, routing, checks that a key works. They must not take the items
 * of the script, which tell the conversation. One row each; a script may name the rows it wants or add its own.
 */
import { type Condition, conditionHolds } from './condition.ts';
import type { ModelRequest } from './model-request.ts';
import type { ServerScript, SideRule } from './script.ts';

const WITHOUT_TOOLS = { tools: 'none' } as const satisfies Condition;

/** The texts are from the instructions that agents send with such requests. */
export const SIDE_RULES: readonly SideRule[] = [
  // One token answers nothing: it asks whether key, quota and model are good.
  { name: 'probe', when: { max_tokens: 1 } },
  {
    name: 'title',
    when: {
      ...WITHOUT_TOOLS,
      system: ['You are a title generator', 'sentence-case title', 'new conversation topic'],
    },
  },
  { name: 'summary', when: { ...WITHOUT_TOOLS, system: 'Summarize what was done in this conversation' } },
  { name: 'routing', when: { ...WITHOUT_TOOLS, system: 'Task Routing AI' } },
  {
    name: 'next-speaker',
    when: { ...WITHOUT_TOOLS, latest: 'structure of your immediately preceding response' },
  },
  { name: 'no-tools', when: WITHOUT_TOOLS },
];

/** Left out by default if the script calls no tool: then a request without tools may well be the conversation. */
const ONLY_BESIDE_CALLS = 'no-tools';

export function sideRulesOf({ side, completions }: ServerScript): readonly SideRule[] {
  if (side !== undefined && side !== null) {
    return side.flatMap((rule) =>
      typeof rule === 'string' ? SIDE_RULES.filter(({ name }) => name === rule) : [rule],
    );
  }
  const callsTools = completions.some(({ tool_calls }) => (tool_calls?.length ?? 0) > 0);
  return callsTools ? SIDE_RULES : SIDE_RULES.filter(({ name }) => name !== ONLY_BESIDE_CALLS);
}

export function sideRuleFor(rules: readonly SideRule[], request: ModelRequest): SideRule | null {
  return rules.find(({ when }) => conditionHolds(when, request)) ?? null;
}
