/**
 * `harness.md` as the settings of a session. The types of its fields are checked where the project is read; here they are
 * given their meaning. A restriction that cannot be read restricts everything.
 */
import { join } from 'node:path';
import type { Problem } from '../../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type Artifact, loadArtifact } from '../../files/artifact.ts';
import { HARNESS_FIELDS } from '../../files/artifact-schema.ts';
import { checkFields, type Fields } from '../../files/check-fields.ts';
import { FileReport } from '../../files/report.ts';
import { type Tree, toData } from '../../files/yaml-tree.ts';
import { HARNESS_PATHS } from '../../frontends/markdown/harness-file.ts';
import { isAbsent } from '../../frontends/markdown/read-project.ts';
import { summaryByModel } from '../compaction/settings.ts';
import type { AugmentationSettings } from '../delegation/meta/augmentation.ts';
import type { SessionLimits } from '../loop/session-limits.ts';
import type { SessionConfig } from '../session-config.ts';
import type { McpServer } from '../tools/mcp.ts';
import { CLOSED_POLICY, OPEN_POLICY, type ToolsPolicy, toolsPolicy } from '../tools/tool-set.ts';
import { FileFault, Workspace } from '../tools/workspace.ts';
import { type ModelSettings, readModel } from './model.ts';

export interface AgentConfig {
  /** What the file says; a session completes it. */
  readonly session: SessionConfig;
  /** Null where none is named, or none that could be understood. */
  readonly model: ModelSettings | null;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly policy: ToolsPolicy;
  readonly mcpServers: readonly McpServer[];
  /** Whether `network.allowed_domains` is written at all: for tools, only then it restricts. */
  readonly restrictsNetwork: boolean;
  /** As written; for sub-agents. */
  readonly delegation: JsonObject;
  /** What the agent may add to itself; null: nothing. */
  readonly meta: Partial<AugmentationSettings> | null;
}

export interface ReadConfig {
  readonly config: AgentConfig;
  readonly problems: readonly Problem[];
  /** Where a setting stands, for problems that are found later. */
  readonly report: FileReport;
  readonly offset: (field: string) => number;
}

const NO_CONFIG: AgentConfig = {
  session: {},
  model: null,
  models: {},
  policy: OPEN_POLICY,
  mcpServers: [],
  restrictsNetwork: false,
  delegation: {},
  meta: null,
};

/** Where both places hold a file, which is an error of its own, the first gives the settings. */
export async function readConfig(dir: string): Promise<ReadConfig> {
  const path = HARNESS_PATHS.find((each) => !isAbsent(join(dir, each)));
  if (path === undefined) {
    return { config: NO_CONFIG, problems: [], report: new FileReport(HARNESS_PATHS[0], ''), offset: () => 0 };
  }
  const artifact = loadArtifact(dir, path, '', { plainTextIsFine: true });
  const { text } = artifact.report.source;
  // What loading found has been reported by whoever reads the hooks; this report is for what is found here.
  const report = new FileReport(path, text);
  if (artifact.map === null) {
    const closed = { ...NO_CONFIG, policy: CLOSED_POLICY, restrictsNetwork: true };
    return { config: closed, problems: [], report, offset: () => 0 };
  }
  const unheard = { report: new FileReport(path, text), parsing: artifact.parsing, path: '' };
  const fields = checkFields(artifact.map, HARNESS_FIELDS, unheard);
  const config = await new Reader(dir, artifact, fields, report).read();
  return { config, problems: report.problems, report, offset: (field) => fields.offset(field) };
}

class Reader {
  private readonly dir: string;
  private readonly artifact: Artifact;
  private readonly fields: Fields;
  private readonly report: FileReport;

  constructor(dir: string, artifact: Artifact, fields: Fields, report: FileReport) {
    this.dir = dir;
    this.artifact = artifact;
    this.fields = fields;
    this.report = report;
  }

  async read(): Promise<AgentConfig> {
    const written = this.data('models');
    const model = this.model('model', this.fields.get('model'), written);
    const models: Record<string, ModelSettings> = {};
    const table = this.fields.get('models');
    for (const [name, entry] of table?.kind === 'map' ? table.entries : []) {
      const read = this.model(`models.${name}`, entry.value, {});
      if (read !== null) models[name] = read;
    }
    const exit = this.data('exit_policy');
    const continuations = exit.max_continuations;
    const system = await this.system();
    const session: SessionConfig = {
      ...(model !== null && { model: model.model.replace(/^(anthropic|openai)\//, '') }),
      ...(model?.maxTokens !== undefined && { maxOutputTokens: model.maxTokens }),
      ...(system !== '' && { system }),
      limits: this.limits(),
      ...this.retry(),
      ...this.compaction(),
      ...(typeof continuations === 'number' && { stop: { maxContinuations: continuations } }),
      ...(exit.on_max_iterations === 'error' && { onMaxTurns: 'error' }),
    };
    return {
      session,
      model,
      models,
      policy: this.policy(),
      mcpServers: this.servers(),
      restrictsNetwork: this.restrictsNetwork(),
      delegation: this.data('delegation'),
      meta: this.meta(),
    };
  }

  private data(name: string): JsonObject {
    const tree = this.fields.get(name);
    const data = tree === undefined ? {} : toData(tree);
    return isJsonObject(data) ? data : {};
  }

  private model(path: string, tree: Tree | undefined, models: JsonObject): ModelSettings | null {
    if (tree === undefined) return null;
    const read = readModel(toData(tree), models);
    if (read.ok) return read.settings;
    this.wrong(`${path}: ${read.message}`, tree.start);
    return null;
  }

  /** `exit_policy.max_iterations` is the other name of `limits.max_turns`; the narrower one counts. */
  private limits(): Partial<SessionLimits> {
    const written = this.data('limits');
    const limits: Record<string, number> = {};
    for (const [key, name] of Object.entries(LIMIT_NAMES)) {
      const value = written[key];
      if (typeof value === 'number') limits[name] = value;
    }
    const iterations = this.data('exit_policy').max_iterations;
    if (typeof iterations === 'number') limits.maxTurns = Math.min(iterations, limits.maxTurns ?? iterations);
    return limits;
  }

  private retry(): { readonly retry?: SessionConfig['retry'] } {
    const attempts = this.data('limits').max_attempts;
    return typeof attempts === 'number' ? { retry: { maxAttempts: attempts } } : {};
  }

  private compaction(): { readonly compaction?: SessionConfig['compaction'] } {
    const { max_tokens, keep_turns, summary } = this.data('compaction');
    if (typeof max_tokens !== 'number') return {};
    return {
      compaction: {
        maxTokens: max_tokens,
        ...(typeof keep_turns === 'number' && { keepTurns: keep_turns }),
        ...(summary === 'model' && { summarise: summaryByModel() }),
      },
    };
  }

  private policy(): ToolsPolicy {
    const written = this.artifact.map?.entries.get('tools_policy')?.value;
    if (written === undefined || isNothing(written)) return OPEN_POLICY;
    // Written, and not to be understood: nobody can say which tools it meant to keep away.
    if (this.fields.get('tools_policy') === undefined) return CLOSED_POLICY;
    const { mode, allow, deny } = this.data('tools_policy');
    const policy = toolsPolicy({
      ...((mode === 'allowlist' || mode === 'denylist') && { mode }),
      ...(Array.isArray(allow) && { allow: allow.map(String) }),
      ...(Array.isArray(deny) && { deny: deny.map(String) }),
    });
    if (policy.mode === 'denylist' && policy.allow.length > 0) {
      const message =
        'tools_policy.allow has no effect: with mode denylist everything is allowed that deny does not name';
      this.report.warning('TOOL_PATTERN', message, this.fields.offset('tools_policy'));
    }
    return policy;
  }

  private meta(): Partial<AugmentationSettings> | null {
    const tree = this.fields.get('meta');
    const { enabled, max_tools: tools, max_hooks: hooks, max_agents: agents } = this.data('meta');
    if (tree === undefined || enabled === false) return null;
    return {
      ...(typeof tools === 'number' && { tools }),
      ...(typeof hooks === 'number' && { hooks }),
      ...(typeof agents === 'number' && { agents }),
    };
  }

  private restrictsNetwork(): boolean {
    const network = this.artifact.map?.entries.get('network')?.value;
    if (network === undefined || isNothing(network)) return false;
    return network.kind !== 'map' || network.entries.has('allowed_domains');
  }

  private servers(): McpServer[] {
    const table = this.fields.get('mcp_servers');
    const servers: McpServer[] = [];
    for (const [name, { value, keyStart }] of table?.kind === 'map' ? table.entries : []) {
      const { command, args, env, cwd, url, headers } = toData(value) as JsonObject;
      const path = `mcp_servers.${name}`;
      if ((command === undefined) === (url === undefined)) {
        this.wrong(`${path} must have either a command or a url`, keyStart);
      } else if (typeof url === 'string') {
        if (/^https?:\/\//.test(url) && URL.canParse(url))
          servers.push({ name, url, headers: texts(headers) });
        else this.wrong(`${path}.url ${JSON.stringify(url)} is no http or https address`, keyStart);
      } else {
        const list = Array.isArray(args) ? args.map(String) : [];
        const where = typeof cwd === 'string' ? { cwd } : {};
        servers.push({ name, command: String(command), args: list, env: texts(env), ...where });
      }
    }
    return servers;
  }

  /** The body, then the context, in the order written. */
  private async system(): Promise<string> {
    const parts = [this.artifact.body.trim()];
    const context = this.fields.get('context');
    const items = context?.kind === 'list' ? context.items : context === undefined ? [] : [context];
    for (const item of items) {
      const data = toData(item);
      if (isJsonObject(data)) parts.push(await this.file(String(data.file), item.start));
      else parts.push(String(data).trim());
    }
    return parts.filter((part) => part !== '').join('\n\n');
  }

  private async file(path: string, offset: number): Promise<string> {
    try {
      const text = (await new Workspace(this.dir).read(path)).trim();
      if (text.length > MAX_CONTEXT_CHARS)
        throw new FileFault(`it is longer than ${MAX_CONTEXT_CHARS} characters`);
      return `Content of ${path}:\n\n${text}`;
    } catch (thrown) {
      if (!(thrown instanceof FileFault)) throw thrown;
      this.wrong(`context: the file ${thrown.message}`, offset);
      return '';
    }
  }

  private wrong(message: string, offset: number): void {
    this.report.error('CONFIG_INVALID', message, offset);
  }
}

const MAX_CONTEXT_CHARS = 1_000_000;

/** The keys of `limits` and what a session calls them. */
const LIMIT_NAMES: Readonly<Record<string, keyof SessionLimits>> = {
  max_turns: 'maxTurns',
  max_tokens: 'maxTokens',
  max_cost_usd: 'maxCostUsd',
  max_time_ms: 'maxMs',
  completion_timeout_ms: 'completionMs',
  tool_timeout_ms: 'toolMs',
  tool_result_chars: 'toolResultChars',
  approval_timeout_ms: 'approvalMs',
  parallel_tools: 'parallelTools',
};

function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

function texts(data: Json | undefined): Record<string, string> {
  if (!isJsonObject(data)) return {};
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)]));
}
