/**
 * The settings of an agent as `harness.md` gives them.
 */
export {
  type AgentProject,
  delegationOptions,
  loadAgent,
  loadAgentProject,
  offeredTools,
} from './load-agent.ts';
export type { ModelSettings } from './model.ts';
export type { AgentConfig } from './read-config.ts';
