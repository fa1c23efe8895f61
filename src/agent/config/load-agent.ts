/**
 * Everything the layers of a policy say about an agent: its tools, its sub-agents, its settings, and every problem in any of
 * them. The innermost project folder describes the agent; what stands above it can only take away.
 */

import { didYouMean, HarnessError, type Problem } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import { FolderSnapshot } from '../../files/index.ts';
import { byPlace, variablesIn } from '../../frontends/index.ts';
import { clamped, findSandbox, sandboxProblem } from '../../machine/index.ts';
import {
  DONE_TOOL,
  type FolderTrust,
  type LoadedLayer,
  mayName,
  openPolicy,
  type Policy,
} from '../../policy/index.ts';
import type { ScriptCheck } from '../../script/index.ts';
import type { AgentDefinition } from '../delegation/agent.ts';
import { delegationFrom } from '../delegation/agent.ts';
import { readAgents } from '../delegation/read-agents.ts';
import type { SessionOptions } from '../session.ts';
import type { Tool } from '../tool.ts';
import { exitTools } from '../tools/done-tool.ts';
import { readTools } from '../tools/read-tools.ts';
import { idlePatterns, judgeTool, type ToolSet, type ToolsPolicy, toolSet } from '../tools/tool-set.ts';
import { type ModelSettings, readModel } from './model.ts';
import { type AgentConfig, type ReadConfig, readConfig } from './read-config.ts';

export interface AgentProject {
  /** All that decides. */
  readonly policy: Policy;
  readonly config: AgentConfig;
  /** The hooks of the policy, for a program that wants a list. */
  readonly hooks: readonly Hook[];
  /** `tools_policy` of every layer: a tool is offered if all of them offer it. */
  readonly toolPolicies: readonly ToolsPolicy[];
  /** Before the policy; tools of MCP servers come in when those are connected. */
  readonly tools: readonly Tool[];
  /** The sub-agents of the project, as far as they could be read. */
  readonly agents: readonly AgentDefinition[];
  /** What is left out because it needs a capability that does not hold: for the person, not for the model. */
  readonly withheld: readonly Withheld[];
  /** Of the hooks, the tools and the settings, sorted by place. */
  readonly problems: readonly Problem[];
}

/**
 * Of a folder, or of a policy that has been opened already, as one of a tenant has. A folder without any policy is an agent
 * like another here; commands that act refuse it before.
 */
export async function loadAgentProject(from: string | Policy): Promise<AgentProject> {
  return loadAgent(typeof from === 'string' ? await openPolicy(from, { allowEmpty: true }) : from);
}

/** For a policy that has been opened already; `check` looks into the scripts of tools. */
export async function loadAgent(policy: Policy, check?: ScriptCheck): Promise<AgentProject> {
  const inner = policy.layers.find(({ dir }) => dir === policy.root);
  const own = await readConfig(policy.root, inner?.project.harness ?? []);
  const above = policy.layers.filter((layer) => layer !== inner);
  const others = await Promise.all(above.map(({ dir, project }) => readConfig(dir, project.harness)));
  const { config, withheld } = trusted(narrowed(own.config, others), policy, inner);
  const domains = config.restrictsNetwork ? policy.settings.allowedDomains : ['*'];
  const done = exitTools(policy.settings.exitMode);
  const tools: Tool[] = [...done];
  const agents: AgentDefinition[] = [];
  const problems: Problem[] = [];
  const names: string[] = [];
  // From the highest layer down: what a layer has named, none below it can redefine.
  for (const { dir, name: layer, project, trust } of folders(policy)) {
    const library = project?.library ?? null;
    // The tools that run are those that were vouched for.
    const snapshot = project?.snapshot ?? new FolderSnapshot(dir);
    const read = await readTools(snapshot, domains, project?.harness, {
      ...(check !== undefined && { check }),
      library,
    });
    const readAs = await readAgents(snapshot, { domains, library, faultIn: faultIn(config) });
    problems.push(...read.problems, ...readAs.problems);
    const usable = withoutCapabilities(read.tools, trust?.());
    problems.push(
      ...duplicateProblems('tool', read.tools, tools, layer),
      ...duplicateProblems('agent', readAs.agents, agents, layer),
    );
    if (done.length > 0 && read.names.includes(DONE_TOOL)) {
      const message = `exit_policy brings a tool named ${DONE_TOOL}: rename the project's own, which is not offered`;
      own.report.error('TOOL_DUPLICATE', message, own.offset('exit_policy'));
    }
    tools.push(...fresh(usable, tools));
    agents.push(...fresh(readAs.agents, agents));
    names.push(...read.names);
  }
  checkPatterns(own, names);
  problems.push(...(await unheldTools(policy, tools)));
  const settings = [...others, own].flatMap((read) => read.problems);
  return {
    policy,
    hooks: policy.hooks,
    config,
    toolPolicies: [...others.map((read) => read.config.policy), config.policy],
    tools,
    agents,
    withheld,
    problems: distinct([...policy.problems, ...settings, ...problems]).sort(byPlace),
  };
}

/** What is wrong with a list of tools is found by the reader of the file and by the reader of the tools. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, message, position }) => {
    const key = [code, message, position?.file, position?.line, position?.col].join('\n');
    return !seen.has(key) && seen.add(key);
  });
}

/** Tools that ask for a sandbox where none can be made: said at the start, not when one of them is called. */
async function unheldTools(policy: Policy, tools: readonly Tool[]): Promise<Problem[]> {
  if (policy.startsNothing) return [];
  const problems: Problem[] = [];
  for (const { name, source, sandbox = false } of tools) {
    const asked = clamped(policy.settings.sandbox, sandbox);
    if (sandbox === false || asked === null) continue;
    const why = sandboxProblem(await findSandbox(policy.host, policy.root), asked);
    if (why === null) continue;
    const message = `the tool ${JSON.stringify(name)} asks for a sandbox, which cannot be made: ${why}`;
    const position = { file: source, line: 1, col: 1 };
    problems.push({ severity: 'error', code: 'SANDBOX_UNAVAILABLE', message, position });
  }
  return problems;
}

/** Something the settings ask for that is not given to them. */
export interface Withheld {
  readonly kind: 'server' | 'model';
  readonly name: string;
  readonly code: 'TRUST_MISSING' | 'VARIABLE_UNLISTED';
  readonly why: string;
}

/** The settings without MCP servers and models whose capabilities do not hold; those are listed with the reason. */
function trusted(config: AgentConfig, policy: Policy, inner: LoadedLayer | undefined) {
  const withheld: Withheld[] = [];
  const holds = inner === undefined || inner.trust().by !== null;
  const rules = policy.settings.environment;
  const project = inner === undefined || inner.kind === 'project';
  const refuse = (
    kind: Withheld['kind'],
    name: string,
    named: readonly string[],
    capability: boolean,
  ): boolean => {
    const unlisted = project ? named.find((variable) => !mayName(rules, variable)) : undefined;
    if (capability && !holds) {
      const why = 'it needs a capability, and the folder has not been trusted';
      withheld.push({ kind, name, code: 'TRUST_MISSING', why });
    } else if (unlisted !== undefined) {
      const why = `it names the variable ${unlisted}, which projects may not name: list it under "environment.name" in your own harness.md`;
      withheld.push({ kind, name, code: 'VARIABLE_UNLISTED', why });
    } else return false;
    return true;
  };
  const keyOf = ({ apiKeyEnv }: ModelSettings) => (apiKeyEnv === undefined ? [] : [apiKeyEnv]);
  const own = ({ baseUrl, apiKeyEnv }: ModelSettings) => baseUrl !== undefined || apiKeyEnv !== undefined;
  const mcpServers = config.mcpServers.filter((server) => {
    const sent = Object.values('url' in server ? server.headers : server.env);
    return !refuse('server', server.name, sent.flatMap(variablesIn), true);
  });
  const models = Object.fromEntries(
    Object.entries(config.models).filter(([name, model]) => !refuse('model', name, keyOf(model), own(model))),
  );
  const { model } = config;
  const kept = model === null || refuse('model', model.model, keyOf(model), own(model)) ? null : model;
  return { config: { ...config, mcpServers, models, model: kept }, withheld };
}

/** A tool of a folder that nobody has trusted is offered, so that calls of it are judged, and does nothing. */
function withoutCapabilities(tools: readonly Tool[], trust: FolderTrust | undefined): readonly Tool[] {
  if (trust === undefined || trust.by !== null) return tools;
  const capabilities = new Set(
    trust.capabilities.filter(({ kind }) => kind === 'tool').map(({ name }) => name),
  );
  return tools.map((tool) => {
    if (!capabilities.has(tool.name)) return tool;
    const why = `the tool ${tool.name} reaches beyond the sandbox, and its folder has not been trusted`;
    return { ...tool, run: () => Promise.reject(new HarnessError('TRUST_MISSING', why)) };
  });
}

/** The layers of a policy, or the folder itself if it has none. */
function folders(policy: Policy): readonly (Pick<LoadedLayer, 'dir' | 'name'> & Partial<LoadedLayer>)[] {
  return policy.layers.length > 0 ? policy.layers : [{ dir: policy.root, name: 'project' }];
}

interface NamedDefinition {
  readonly name: string;
  readonly source?: string;
}

function fresh<T extends NamedDefinition>(read: readonly T[], known: readonly T[]): T[] {
  return read.filter(({ name }) => !known.some((other) => other.name === name));
}

function duplicateProblems(
  kind: 'tool' | 'agent',
  read: readonly NamedDefinition[],
  known: readonly NamedDefinition[],
  layer: string,
) {
  return read
    .filter(({ name }) => name !== DONE_TOOL && known.some((other) => other.name === name))
    .map(({ name, source }): Problem => {
      const message = `the ${kind} ${JSON.stringify(name)} of layer ${layer} is not offered: a higher layer has one`;
      const position = source === undefined ? null : { file: source, line: 1, col: 1 };
      return { severity: 'error', code: 'TOOL_DUPLICATE', message, position };
    });
}

/** The smaller limit counts, whichever layer states it; a list of hosts in any layer restricts. */
function narrowed(config: AgentConfig, others: readonly ReadConfig[]): AgentConfig {
  const limits: Record<string, number> = { ...config.session.limits };
  for (const { config: other } of others) {
    for (const [name, value] of Object.entries(other.session.limits ?? {})) {
      limits[name] = Math.min(limits[name] ?? value, value);
    }
  }
  return {
    ...config,
    session: { ...config.session, limits },
    restrictsNetwork: config.restrictsNetwork || others.some((read) => read.config.restrictsNetwork),
  };
}

/** What a session is given. A tool the exit policy depends on is offered whatever the policy says of the others. */
export function offeredTools(agent: AgentProject, mcpTools: readonly Tool[] = []): ToolSet {
  const needed = exitTools(agent.policy.settings.exitMode);
  const own = agent.tools.filter((tool) => !needed.includes(tool));
  let set: ToolSet = { offered: [...own, ...mcpTools], denied: [] };
  for (const policy of agent.toolPolicies) {
    const { offered, denied } = toolSet(set.offered, policy);
    set = { offered, denied: [...set.denied, ...denied] };
  }
  const rest = set.offered.filter(({ name }) => !needed.some((tool) => tool.name === name));
  return { offered: [...needed, ...rest], denied: set.denied };
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
  toolPolicies,
}: AgentProject): Pick<SessionOptions, 'agents' | 'delegation' | 'meta'> {
  const { meta } = config;
  const refusesTool = (name: string) => {
    const verdicts = toolPolicies.map((policy) => judgeTool(policy, name));
    const refusal = verdicts.find((verdict) => !verdict.offered);
    return refusal === undefined || refusal.offered ? null : refusal.why;
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
