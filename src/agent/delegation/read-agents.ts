/**
 * Reads the sub-agents of a project: `.harness/agents/*.md`, the file name being the name and the body the system prompt. An
 * agent with a mistake in it, also in one of its hooks, is not there: half an agent would be one without its guards.
 */
import type { Problem } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import {
  AGENT_FIELDS,
  type Artifact,
  checkFields,
  embeddedSource,
  type Fields,
  type FolderSnapshot,
  firstSentence,
  type Misplaced,
  withHookList,
} from '../../files/index.ts';
import { buildHook, draftsOf, readFolder } from '../../frontends/index.ts';
import { compileEntry, type Library, type ScriptKind } from '../../script/index.ts';
import { TOOL_SCRIPT } from '../tools/environment.ts';
import { runnerOf } from '../tools/run-tool.ts';
import { AGENT_NAME, AGENT_NAME_RULE, type AgentDefinition, type Verifier } from './agent.ts';

export const AGENTS_FOLDER = '.harness/agents';

export interface ReadAgents {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly Problem[];
}

export interface AgentSurroundings {
  /** Hosts that `verify` scripts may reach over HTTP. */
  readonly domains: readonly string[];
  /** What scripts may load. */
  readonly library?: Library | null;
  /** What is wrong with a model as an agent names it, or null. */
  readonly faultIn?: (model: string) => string | null;
}

export async function readAgents(snapshot: FolderSnapshot, around: AgentSurroundings): Promise<ReadAgents> {
  const artifacts = readFolder(snapshot, AGENTS_FOLDER, 'agent');
  const agents: AgentDefinition[] = [];
  for (const artifact of artifacts) {
    const agent = await build(artifact, around);
    if (agent !== null) agents.push(agent);
  }
  return { agents, problems: artifacts.flatMap((artifact) => artifact.report.problems) };
}

const FIELDS = withHookList(AGENT_FIELDS);
type AgentFields = Fields<typeof FIELDS>;

const MISPLACED: Misplaced = {
  name: 'name is ignored: the file name is the name of the agent',
  system_prompt: 'system_prompt is ignored: the text below the frontmatter is the system prompt',
};

/** The script of `verify`: a tool's, called with the answer. */
const VERIFY_SCRIPT: ScriptKind = { ...TOOL_SCRIPT, parameters: ['result'] };

async function build(
  artifact: Artifact,
  { domains, library = null, faultIn = () => null }: AgentSurroundings,
): Promise<AgentDefinition | null> {
  const { map, report, path, body } = artifact;
  if (map === null) return null;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  const fields = checkFields(map, FIELDS, { report, parsing: artifact.parsing, path: '' }, MISPLACED);
  if (!AGENT_NAME.test(name)) {
    report.error(
      'AGENT_NAME',
      `the agent name ${JSON.stringify(name)} is not allowed: ${AGENT_NAME_RULE}`,
      map.start,
    );
  }
  if (body.trim() === '') {
    const message = `agent ${JSON.stringify(name)} has no text below its frontmatter, which is its system prompt`;
    report.error('AGENT_PROMPT', message, map.start);
  }
  const hooks = await hooksOf(artifact, fields, library);
  const verify = await verifierOf(artifact, fields, name, { domains, library });
  const {
    model,
    description,
    tools,
    max_verify_retries: retries,
    timeout_ms: timeoutMs,
    scopes,
  } = fields.data;
  const fault = model === undefined ? null : faultIn(model);
  if (fault !== null) report.error('CONFIG_INVALID', `model: ${fault}`, fields.offset('model'));
  if (report.failed) return null;
  return {
    name,
    description: description ?? firstSentence(body) ?? '',
    system: body.trim(),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
    ...(scopes !== undefined && { scopes }),
    hooks,
    ...(verify !== null && { verify }),
    ...(retries !== undefined && { maxVerifyRetries: retries }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    source: path,
  };
}

async function hooksOf(artifact: Artifact, fields: AgentFields, library: Library | null): Promise<Hook[]> {
  const hooks: Hook[] = [];
  for (const [index, draft] of draftsOf(artifact, fields, { kind: 'inline' }).entries()) {
    const { hook } = await buildHook(draft, index, { library });
    if (hook !== undefined) hooks.push(hook);
  }
  return hooks;
}

async function verifierOf(
  { report }: Artifact,
  fields: AgentFields,
  name: string,
  { domains, library = null }: AgentSurroundings,
): Promise<Verifier | null> {
  const script = fields.scalar('verify');
  if (script === undefined) return null;
  const compiled = await compileEntry(embeddedSource(report.source, script), VERIFY_SCRIPT, undefined, {
    library,
  });
  if (!compiled.ok) {
    for (const { message, position } of compiled.mistakes) report.at(compiled.code, message, position);
    return null;
  }
  const run = runnerOf(compiled.entry, { name: `verify ${name}`, timeoutMs: 0, domains, defaults: {} });
  return async (result, context) => run(result, context);
}
