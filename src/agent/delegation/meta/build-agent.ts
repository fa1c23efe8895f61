/**
 * A sub-agent that an agent gives itself. It can have no tools but those of the parent agent, and inherits every hook.
 */
import type { Json } from '../../../base/index.ts';
import type { AgentDefinition } from '../agent.ts';
import { type Build, refused, textIn } from './augmentation.ts';

export const buildAgent: Build = async ({ state }, spec, known) => {
  const name = textIn(spec, 'name', 'an agent');
  const what = `agent "${name}"`;
  const { agents } = state;
  if (agents.has(name) && !known.agent.has(name)) {
    throw refused(`${what}: there is such an agent, and only those registered at run time can be replaced`);
  }
  const system = textIn(spec, 'system_prompt', what);
  const { model, description } = spec;
  const tools = spec.tools === undefined || spec.tools === null ? undefined : namesIn(what, spec.tools);
  const agent: AgentDefinition = {
    name,
    description: typeof description === 'string' ? description : '',
    system,
    ...(typeof model === 'string' && { model }),
    ...(tools !== undefined && { tools }),
    source: '<runtime>',
  };
  return {
    payload: {
      name,
      model: agent.model ?? state.served.model,
      tool_count: tools?.length ?? state.tools.size,
    },
    add: () => {
      agents.set(name, agent);
      return () => void agents.delete(name);
    },
  };
};

function namesIn(what: string, given: Json): readonly string[] {
  if (Array.isArray(given) && given.every((name) => typeof name === 'string'))
    return given as readonly string[];
  throw refused(`${what}: tools wants a list of names`);
}
