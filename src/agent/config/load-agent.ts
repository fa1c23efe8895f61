/**
 * Everything a folder says about an agent: its hooks, its tools, its settings, and every problem in any of them.
 */
import type { Problem } from '../../base/errors.ts';
import { didYouMean } from '../../base/spelling.ts';
import { byPlace, loadProject, type Project } from '../../frontends/project.ts';
import type { Hook } from '../../hooks/hook.ts';
import { DONE_TOOL, exitPolicyHooks } from '../../policy/exit-policy.ts';
import type { AgentDefinition } from '../delegation/agent.ts';
import { delegationFrom } from '../delegation/agent.ts';
import { readAgents } from '../delegation/read-agents.ts';
import type { SessionOptions } from '../session.ts';
import type { Tool } from '../tool.ts';
import { exitTools } from '../tools/done-tool.ts';
import { readTools } from '../tools/read-tools.ts';
import { idlePatterns, judgeTool, type ToolSet, toolSet } from '../tools/tool-set.ts';
import { readModel } from './model.ts';
import { type AgentConfig, type ReadConfig, readConfig } from './read-config.ts';

export interface AgentProject {
  readonly project: Project;
  readonly config: AgentConfig;
  /** The project's, and those its settings call for. */
  readonly hooks: readonly Hook[];
  /** Before the policy; tools of MCP servers come in when those are connected. */
  readonly tools: readonly Tool[];
  /** The sub-agents of the project, as far as they could be read. */
  readonly agents: readonly AgentDefinition[];
  /** Of the hooks, the tools and the settings, sorted by place. */
  readonly problems: readonly Problem[];
}

export async function loadAgentProject(dir: string): Promise<AgentProject> {
  return loadAgent(await loadProject(dir));
}

/** For those who have read the hooks already. */
export async function loadAgent(project: Project): Promise<AgentProject> {
  const read = await readConfig(project.dir, project.harness);
  const { config } = read;
  const domains = config.restrictsNetwork ? project.settings.allowedDomains : ['*'];
  const { tools, names, problems } = await readTools(project.dir, domains);
  const { agents, problems: inAgents } = await readAgents(project.dir, { domains, faultIn: faultIn(config) });
  const done = exitTools(config.exitMode);
  checkPatterns(read, names);
  if (done.length > 0 && names.includes(DONE_TOOL)) {
    const message = `exit_policy brings a tool named ${DONE_TOOL}: rename the project's own, which is not offered`;
    read.report.error('TOOL_DUPLICATE', message, read.offset('exit_policy'));
  }
  return {
    project,
    config,
    hooks: [...project.hooks, ...exitPolicyHooks(config.exitMode)],
    tools: [...done, ...tools],
    agents,
    problems: [...project.problems, ...read.problems, ...problems, ...inAgents].sort(byPlace),
  };
}

/** What a session is given. A tool the exit policy depends on is offered whatever the policy says of the others. */
export function offeredTools(agent: AgentProject, mcpTools: readonly Tool[] = []): ToolSet {
  const { policy, exitMode } = agent.config;
  const needed = exitTools(exitMode);
  const own = agent.tools.filter((tool) => !needed.includes(tool));
  const { offered, denied } = toolSet([...own, ...mcpTools], policy);
  const rest = offered.filter(({ name }) => !needed.some((tool) => tool.name === name));
  return { offered: [...needed, ...rest], denied };
}

/** A sub-agent names a model of `models`, or the model itself. */
function faultIn({ models }: AgentConfig): (model: string) => string | null {
  return (model) => {
    if (Object.hasOwn(models, model)) return null;
    const read = readModel(model, {});
    return read.ok ? null : `${read.message}${didYouMean(model, Object.keys(models))}`;
  };
}

/** What a session is given for its sub-agents, and for what it may add to itself. */
export function delegationOptions({
  agents,
  config,
}: AgentProject): Pick<SessionOptions, 'agents' | 'delegation' | 'meta'> {
  const { policy, meta } = config;
  const refusesTool = (name: string) => {
    const verdict = judgeTool(policy, name);
    return verdict.offered ? null : verdict.why;
  };
  return {
    agents,
    delegation: delegationFrom(config.delegation),
    ...(meta !== null && { meta: { ...meta, refusesTool } }),
  };
}

/** Tools of MCP servers, and those an agent makes itself, are not known yet, so then no pattern can be called idle. */
function checkPatterns(read: ReadConfig, names: readonly string[]): void {
  const { policy, mcpServers, meta } = read.config;
  if (mcpServers.length > 0 || meta !== null) return;
  for (const { list, pattern, hint } of idlePatterns(policy, names)) {
    const meant = hint === undefined ? '' : ` (did you mean ${hint}?)`;
    const message = `tools_policy.${list}: ${JSON.stringify(pattern)} names no tool of this project${meant}`;
    read.report.warning('TOOL_PATTERN', message, read.offset('tools_policy'));
  }
}
