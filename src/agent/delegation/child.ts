/**
 * What a sub-agent's session is made of: everything of the parent's that guards, and no more of what it may spend than the
 * parent has left. Hooks of the child come on top of the parent's; none of those can be taken away.
 */
import type { SessionLimits } from '../loop/session-limits.ts';
import type { Scope, SessionState } from '../loop/state.ts';
import type { SessionOptions } from '../session.ts';
import { type AgentDefinition, iterationsAt } from './agent.ts';
import type { DelegationChain } from './chain.ts';
import { DelegationError } from './errors.ts';
import type { Assignment } from './request.ts';
import { retryGuard } from './retry-guard.ts';

export interface ChildIdentity {
  readonly id: string;
  readonly depth: number;
  /** Of the hooks that started it; null if a model did. */
  readonly chain: DelegationChain | null;
}

export async function childOptions(
  { state, emit }: Scope,
  { definition, model, system, tools, scopes }: Assignment,
  { id, depth, chain }: ChildIdentity,
): Promise<SessionOptions> {
  const { config, engine, reminders, interceptors } = state;
  // A script that is told of its end reads in the transcript what it said: the file must be there before that.
  if (engine.registry.list('delegation.post').some(({ frontEnd }) => frontEnd.name === 'settings'))
    engine.run.services.makeTranscript?.();
  const served = model === state.served.model ? null : ((await state.powers.providerFor?.(model)) ?? null);
  return {
    config: {
      model: served?.model ?? model,
      system,
      sessionId: id,
      // What a sub-agent says is in the transcript of the session it works for.
      transcriptPath: engine.run.session.transcriptPath,
      limits: limitsFor(state, definition, depth),
      retry: config.retry,
      compaction: config.compaction,
      stop: { maxContinuations: config.maxContinuations },
      ...(config.maxOutputTokens !== null && { maxOutputTokens: config.maxOutputTokens }),
      // An answer that is not accepted goes back to the same conversation.
      oneShot: false,
    },
    provider: served?.provider ?? state.served.provider,
    tools,
    withheld: [
      ...state.withheld,
      ...[...state.tools.keys()]
        .filter((name) => !tools.some((tool) => tool.name === name))
        .map((name) => [name, 'delegation'] as const),
    ],
    hooks: engine,
    reminders: reminders.store.forChild(id, state.turns),
    host: state.host,
    ...(interceptors !== null && { interceptors }),
    workspace: state.workspace,
    onEvent: (event) => emit({ type: 'agent', id, agent: definition.name, depth, event }),
    parent: {
      state,
      lineage: {
        depth,
        parentId: state.id,
        agent: definition.name,
        chain,
        ...(scopes !== undefined && { scopes }),
      },
      hooks: [...retryGuard(state.delegation.toolRetries), ...(definition.hooks ?? [])],
    },
  };
}

function limitsFor(state: SessionState, definition: AgentDefinition, depth: number): Partial<SessionLimits> {
  const { limits } = state.config;
  const tokens = limits.maxTokens - state.usage.input_tokens - state.usage.output_tokens;
  const cost = limits.maxCostUsd - state.costUsd;
  if (tokens <= 0 || cost <= 0) {
    throw new DelegationError('DELEGATION_REFUSED', 'delegation refused: the budget of the session is spent');
  }
  return {
    ...limits,
    maxTurns: Math.min(limits.maxTurns, iterationsAt(state.delegation, depth)),
    maxMs: Math.min(limits.maxMs, definition.timeoutMs ?? state.delegation.answerMs),
    maxTokens: tokens,
    maxCostUsd: cost,
  };
}
