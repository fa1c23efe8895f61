/**
 * Rules about the policy itself: hooks on `meta.validate`, asked one by one so that every objection is heard. What one of them
 * blocks, or fails at, is an error of the policy.
 */
import type { JsonObject, Problem } from '../base/index.ts';
import { Engine } from '../engine/index.ts';
import type { Policy } from './policy.ts';

export const VALIDATE_EVENT = 'meta.validate';

/** `payload` says what was found: how many hooks and tools. */
export async function checkPolicy(policy: Policy, payload: JsonObject): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const hook of policy.registry.list(VALIDATE_EVENT)) {
    const engine = new Engine({ hooks: [hook], host: policy.host, run: policy.newRun() });
    const outcome = await engine.decide(VALIDATE_EVENT as string, payload);
    if (outcome.mayRun) continue;
    const message = `rule "${hook.name}": ${outcome.failure?.message ?? outcome.reason}`;
    const position = { file: hook.source, line: hook.line ?? 1, col: 1 };
    problems.push({ severity: 'error', code: 'POLICY_RULE', message, position });
  }
  return problems;
}
