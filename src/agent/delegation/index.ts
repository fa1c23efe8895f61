/**
 * Sub-agents: how they are defined, how work is handed to them, and what an agent may add to itself.
 */
export {
  type AgentDefinition,
  DEFAULT_DELEGATION,
  type DelegationLimits,
  type Verifier,
} from './agent.ts';
export { DelegationError, VerificationFailed } from './errors.ts';
export { type AugmentationSettings, DEFAULT_AUGMENTATION } from './meta/augmentation.ts';
export type { ServedModel } from './powers.ts';
export { readAgents } from './read-agents.ts';
export { retryGuard } from './retry-guard.ts';
