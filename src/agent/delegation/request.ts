/**
 * What is asked of whom: the request as a model, a hook or a program writes it, and as it stands once the agent it names
 * has been looked up.
 */
import {
  compileGlob,
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  sameJson,
} from '../../base/index.ts';
import { commonScopes, readScopes } from '../../engine/index.ts';
import type { SessionState } from '../loop/state.ts';
import type { Tool } from '../tool.ts';
import { type AgentDefinition, verifyRetries } from './agent.ts';
import { DELEGATE_TOOL } from './delegate-tool.ts';
import { DelegationError } from './errors.ts';

export interface DelegationRequest {
  /** Empty: an agent without a definition, with the tools of the parent agent. */
  readonly agent: string;
  readonly prompt: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly system?: string;
  readonly maxVerifyRetries?: number;
  /** What the task may do; never more than the parent agent may. */
  readonly scopes?: readonly string[];
}

export interface Assignment {
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly model: string;
  readonly system: string;
  /** Those of the delegating agent that the sub-agent gets. */
  readonly tools: readonly Tool[];
  readonly retries: number;
  /** What the definition and the request both leave; absent: neither narrows anything. */
  readonly scopes?: readonly string[];
}

/** `task` is the older name of `prompt`. */
export function readRequest(given: Json): DelegationRequest {
  if (!isJsonObject(given)) throw refused('a delegation wants a request with agent and prompt');
  const { agent = '', prompt = given.task, model, tools, system_prompt, max_verify_retries } = given;
  if (typeof agent !== 'string') throw refused('the agent of a delegation is named by a text');
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw refused('a delegation needs a prompt that says what is to be done');
  }
  const named = Array.isArray(tools) ? (tools as readonly Json[]) : undefined;
  if ((tools !== undefined && named === undefined) || named?.some((name) => typeof name !== 'string')) {
    throw refused('the tools of a delegation are a list of names');
  }
  const scopes = readScopes(given.scopes);
  if (!scopes.ok) throw refused(scopes.message);
  return {
    agent,
    prompt,
    ...(scopes.scopes !== undefined && { scopes: scopes.scopes }),
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(named !== undefined && { tools: named as readonly string[] }),
    ...(typeof system_prompt === 'string' && { system: system_prompt }),
    ...(typeof max_verify_retries === 'number' && { maxVerifyRetries: max_verify_retries }),
  };
}

export function assign(state: SessionState, request: DelegationRequest): Assignment {
  const definition = definitionOf(state, request);
  const { delegation } = state;
  const scopes = commonScopes(definition.scopes, request.scopes);
  return {
    definition,
    ...(scopes !== undefined && { scopes }),
    prompt: request.prompt,
    model: request.model ?? definition.model ?? state.served.model,
    system: request.system ?? definition.system,
    tools: toolsFor(state, definition.tools, request.tools),
    retries: verifyRetries(request.maxVerifyRetries ?? definition.maxVerifyRetries, delegation),
  };
}

/** As `delegation.pre` shows it. */
export function requestPayload(assignment: Assignment, request: DelegationRequest): JsonObject {
  const { definition, prompt, model, system, tools, retries } = assignment;
  return {
    agent: request.agent,
    prompt,
    model,
    tools: tools.map(({ name }) => name),
    system_prompt: system,
    verify: definition.verify !== undefined,
    max_verify_retries: retries,
    ...(assignment.scopes !== undefined && { scopes: assignment.scopes }),
  };
}

/** What the hooks changed, laid over the request: what they left alone still comes from the agent, also from another one. */
export function rewrittenRequest(
  request: DelegationRequest,
  fired: JsonObject,
  after: JsonObject,
): DelegationRequest {
  const changed = Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !sameJson(value, fired[key])),
  );
  return { ...request, ...readRequest({ agent: request.agent, prompt: request.prompt, ...changed }) };
}

function definitionOf({ agents, config }: SessionState, { agent }: DelegationRequest): AgentDefinition {
  if (agent === '') return { name: '', description: '', system: config.system };
  const found = agents.get(agent);
  if (found !== undefined) return found;
  const names = [...agents.keys()];
  const others = names.length === 0 ? 'there are no agents' : `the agents are ${names.join(', ')}`;
  throw refused(`there is no agent "${agent}"${didYouMean(agent, names)}; ${others}`);
}

/** Never more than the delegating agent has: both lists only take away. */
function toolsFor(
  { tools, delegation, lineage }: SessionState,
  ...lists: readonly (readonly string[] | undefined)[]
): Tool[] {
  const wanted = lists.map((list) => list?.map((pattern) => compileGlob(pattern)));
  const deepest = lineage.depth + 1 >= delegation.maxDepth;
  return [...tools.values()].filter((tool) => {
    // What the exit policy depends on is no choice of the agent's.
    if (tool.source === '<exit_policy>') return true;
    if (deepest && tool.name === DELEGATE_TOOL) return false;
    return wanted.every((list) => list === undefined || list.some((matches) => matches(tool.name)));
  });
}

function refused(message: string): DelegationError {
  return new DelegationError('DELEGATION_REFUSED', `delegation refused: ${message}`);
}
