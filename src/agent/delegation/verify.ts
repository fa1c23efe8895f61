/**
 * Whether the answer of a sub-agent is accepted: first the `verify` script of the agent, then the hooks of
 * `delegation.post_verify`. A check that fails itself ends the delegation: it has said nothing about the answer.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { describeThrown, withTimeout } from '../../engine/index.ts';
import { fire, throwIfEnded } from '../loop/fire.ts';
import type { Scope } from '../loop/state.ts';
import { contextFor } from '../loop/tool-context.ts';
import type { AgentDefinition, Verifier } from './agent.ts';
import { DelegationError } from './errors.ts';

/** Null if the answer is accepted, else why it is not. `attempt` counts from 1. */
export async function objections(
  scope: Scope,
  agent: AgentDefinition,
  answer: JsonObject,
  attempt: number,
): Promise<string | null> {
  const payload = { ...answer, attempt };
  const reasons = agent.verify === undefined ? [] : await ask(scope, agent.name, agent.verify, payload);
  const outcome = await fire(scope, 'delegation.post_verify', payload);
  throwIfEnded(scope);
  if (outcome.failure !== undefined) {
    const { hook, message } = outcome.failure;
    throw new DelegationError('VERIFIER_BROKEN', `delegation.post_verify: hook "${hook}" failed: ${message}`);
  }
  // A hook that broke blocks, which is right for every other gate; here it would count as an opinion on the answer.
  const failed = outcome.trace.find((entry) => entry.onFailure === 'blocked');
  if (failed !== undefined)
    throw new DelegationError('VERIFIER_BROKEN', `delegation.post_verify: ${outcome.reason}`);
  if (!outcome.mayRun) reasons.push(outcome.reason ?? 'no reason given');
  return reasons.length === 0 ? null : reasons.join('; ');
}

async function ask(scope: Scope, name: string, verify: Verifier, payload: JsonObject): Promise<string[]> {
  const context = contextFor(scope, { name: `verify ${name}` });
  const settled = await withTimeout(scope.signal, scope.state.config.limits.toolMs, (signal) =>
    verify(payload, context.open(signal)),
  );
  context.close();
  throwIfEnded(scope);
  if (settled.kind === 'thrown') throw broken(name, describeThrown(settled.thrown));
  if (settled.kind === 'failed') throw broken(name, settled.failure.message);
  return readVerdict(name, settled.value);
}

/** `{verified, reason}` or a bare bool. Anything else would be a guess. */
export function readVerdict(name: string, returned: unknown): string[] {
  const verdict = typeof returned === 'boolean' ? { verified: returned } : returned;
  if (!isJsonObject(verdict) || typeof verdict.verified !== 'boolean') {
    throw broken(
      name,
      `it returned ${JSON.stringify(returned) ?? 'nothing'}, want {"verified": bool, "reason": text}`,
    );
  }
  if (verdict.verified) return [];
  const { reason } = verdict;
  return [typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : 'the answer was not verified'];
}

/** What the sub-agent reads when its answer comes back. */
export function sentBack(reason: string, attempt: number, left: number): string {
  const more = left === 1 ? 'This is the last try.' : `${left} tries are left.`;
  return `Your answer was checked and not accepted (attempt ${attempt}): ${reason}\n\nCorrect this and give the whole answer again. ${more}`;
}

function broken(name: string, message: string): DelegationError {
  return new DelegationError('VERIFIER_BROKEN', `the verify script of "${name}" is broken: ${message}`);
}
