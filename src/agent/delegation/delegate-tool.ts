/**
 * The tool with which a model hands work to a sub-agent. Its description lists the agents there are at that moment, since an
 * agent may add to them.
 */
import { HarnessError, type JsonObject, LONGEST_TIMER_MS } from '../../base/index.ts';
import type { Tool } from '../tool.ts';
import type { AgentDefinition } from './agent.ts';

export const DELEGATE_TOOL = 'delegate';

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    agent: { type: 'string', description: 'The name of the agent.' },
    prompt: {
      type: 'string',
      description: 'The whole task. The agent knows nothing of this conversation.',
    },
    scopes: {
      type: 'array',
      items: { type: 'string' },
      description: 'What the agent may do for this, if that is less than you may.',
    },
  },
  required: ['agent', 'prompt'],
};

export function delegateTool(agents: ReadonlyMap<string, AgentDefinition>): Tool {
  return {
    name: DELEGATE_TOOL,
    get description() {
      const list = Array.from(agents.values(), ({ name, description }) => `- ${name}: ${description}`);
      return `Hands a task to another agent and returns its answer. The agents:\n${list.join('\n')}`;
    },
    parameters: PARAMETERS,
    // A sub-agent is bounded by limits of its own.
    timeoutMs: LONGEST_TIMER_MS,
    source: '<delegation>',
    run: async (args, { agent }) => {
      if (agent === undefined)
        throw new HarnessError('DELEGATION_REFUSED', 'there is no session to delegate in');
      return (await agent.delegate(args)).text;
    },
  };
}
