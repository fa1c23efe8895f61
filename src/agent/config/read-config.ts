/**
 * `harness.md` as the settings of a session. The types of its fields are checked where the project is read; here they are
 * given their meaning. A restriction that cannot be read restricts everything.
 */
import type { MapEntry, Problem, Tree } from '../../base/index.ts';
import { FileReport, type WrittenDelegation, type WrittenModel } from '../../files/index.ts';
import { HARNESS_PATHS, type HarnessFile, positionOf, restrictsNetwork } from '../../frontends/index.ts';
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
  /** Null if none is named, or none that could be understood. */
  readonly model: ModelSettings | null;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly policy: ToolsPolicy;
  readonly mcpServers: readonly McpServer[];
  /** Whether `network.allowed_domains` is written at all: for tools, only then it restricts. */
  readonly restrictsNetwork: boolean;
  /** As written; for sub-agents. */
  readonly delegation: WrittenDelegation;
  /** What the agent may add to itself; null: nothing. */
  readonly meta: Partial<AugmentationSettings> | null;
}

export interface ReadConfig {
  readonly config: AgentConfig;
  readonly problems: readonly Problem[];
  /** Where a setting stands, for problems that are found later. */
  readonly report: FileReport;
  readonly offset: (field: 'tools_policy' | 'exit_policy') => number;
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

/** `harness` are the files the project was read from; if there are two, an error of its own, the first counts. */
export async function readConfig(dir: string, [harness]: readonly HarnessFile[]): Promise<ReadConfig> {
  // What checking the fields found is in the report of the file; this one is for what is found here.
  const path = harness?.artifact.path ?? HARNESS_PATHS[0];
  const report = new FileReport(path, harness?.artifact.report.source.text ?? '');
  const nowhere = { problems: [], report, offset: () => 0 };
  if (harness === undefined) return { config: NO_CONFIG, ...nowhere };
  const { artifact, fields } = harness;
  if (fields === null) {
    const closed = { ...NO_CONFIG, policy: CLOSED_POLICY, restrictsNetwork: true };
    return { config: closed, ...nowhere };
  }
  const config = await new Reader(dir, artifact.body, fields, report).read();
  return { config, problems: report.problems, report, offset: (field) => fields.offset(field) };
}

type HarnessFields = NonNullable<HarnessFile['fields']>;

class Reader {
  private readonly dir: string;
  private readonly body: string;
  private readonly fields: HarnessFields;
  private readonly report: FileReport;

  constructor(dir: string, body: string, fields: HarnessFields, report: FileReport) {
    this.dir = dir;
    this.body = body;
    this.fields = fields;
    this.report = report;
  }

  async read(): Promise<AgentConfig> {
    const { exit_policy: exit = {}, limits = {}, delegation = {} } = this.fields.data;
    const named = this.named();
    const first = Array.isArray(this.fields.data.models) ? this.fields.data.models[0] : undefined;
    const written = this.fields.data.model ?? first;
    const model = this.model('model', written, named, this.fields.get('model') ?? this.fields.get('models'));
    const models: Record<string, ModelSettings> = {};
    for (const [name, each] of Object.entries(named)) {
      const read = this.model(`models.${name}`, each, {}, this.entry('models', name)?.value);
      if (read !== null) models[name] = read;
    }
    const system = await this.system();
    const { max_attempts: maxAttempts } = limits;
    const { max_continuations: maxContinuations, on_max_iterations: onMaxTurns } = exit;
    const session: SessionConfig = {
      ...(model !== null && { model: model.model.replace(/^(anthropic|openai)\//, '') }),
      ...(model?.maxTokens !== undefined && { maxOutputTokens: model.maxTokens }),
      ...(system !== '' && { system }),
      limits: this.limits(),
      ...retryFrom(written, maxAttempts),
      ...this.compaction(),
      ...(maxContinuations !== undefined && { stop: { maxContinuations } }),
      ...(onMaxTurns === 'error' && { onMaxTurns }),
    };
    return {
      session,
      model,
      models,
      policy: this.policy(),
      mcpServers: this.servers(),
      restrictsNetwork: restrictsNetwork(this.fields),
      delegation,
      meta: this.meta(),
    };
  }

  /** A list of models is a table by their names. */
  private named(): Readonly<Record<string, WrittenModel>> {
    const { models = {} } = this.fields.data;
    if (!Array.isArray(models)) return models as Readonly<Record<string, WrittenModel>>;
    return Object.fromEntries(models.map((one: Exclude<WrittenModel, string>) => [one.name, one]));
  }

  private entry(field: 'models' | 'mcp_servers', name: string): MapEntry | undefined {
    const tree = this.fields.get(field);
    return tree?.kind === 'map' ? tree.entries.get(name) : undefined;
  }

  private model(
    path: string,
    written: WrittenModel | undefined,
    models: Readonly<Record<string, WrittenModel>>,
    tree: Tree | undefined,
  ): ModelSettings | null {
    if (written === undefined) return null;
    const read = readModel(written, models);
    if (read.ok) return read.settings;
    this.wrong(`${path}: ${read.message}`, tree?.start ?? 0);
    return null;
  }

  /** `exit_policy.max_iterations` is the other name of `limits.max_turns`; the narrower one counts. */
  private limits(): Partial<SessionLimits> {
    const { limits: written = {}, exit_policy: exit = {} } = this.fields.data;
    const limits: { -readonly [K in keyof SessionLimits]?: number } = {};
    for (const [key, name] of LIMIT_NAMES) {
      const value = written[key];
      if (value !== undefined) limits[name] = value;
    }
    const [ofAgent] = this.fields.data.delegation?.iterations_per_depth ?? [];
    for (const iterations of [exit.max_iterations, ofAgent]) {
      if (iterations !== undefined) limits.maxTurns = Math.min(iterations, limits.maxTurns ?? iterations);
    }
    return limits;
  }

  private compaction(): { readonly compaction?: SessionConfig['compaction'] } {
    const { compaction, context } = this.fields.data;
    const kept = isMap(context) ? context.max_tokens : undefined;
    if (compaction === undefined) return kept === undefined ? {} : { compaction: { maxTokens: kept } };
    const { max_tokens: maxTokens, keep_turns: keepTurns, summary } = compaction;
    return {
      compaction: {
        maxTokens,
        ...(keepTurns !== undefined && { keepTurns }),
        ...(summary === 'model' && { summarise: summaryByModel() }),
      },
    };
  }

  private policy(): ToolsPolicy {
    if (positionOf(this.fields, 'tools_policy') === null) return OPEN_POLICY;
    const { tools_policy: written } = this.fields.data;
    // Written, and not to be understood: nobody can say which tools it meant to keep away.
    if (written === undefined) return CLOSED_POLICY;
    const policy = toolsPolicy(written);
    if (policy.mode === 'denylist' && policy.allow.length > 0) {
      const message =
        'tools_policy.allow has no effect: with mode denylist everything is allowed that deny does not name';
      this.report.warning('TOOL_PATTERN', message, this.fields.offset('tools_policy'));
    }
    return policy;
  }

  private meta(): Partial<AugmentationSettings> | null {
    const { meta } = this.fields.data;
    if (meta === undefined || meta.enabled === false) return null;
    const { max_tools: tools, max_hooks: hooks, max_agents: agents } = meta;
    return {
      ...(tools !== undefined && { tools }),
      ...(hooks !== undefined && { hooks }),
      ...(agents !== undefined && { agents }),
    };
  }

  private servers(): McpServer[] {
    const servers: McpServer[] = [];
    for (const [name, server] of Object.entries(this.fields.data.mcp_servers ?? {})) {
      const { command, args = [], env = {}, cwd, url, headers = {} } = server;
      const path = `mcp_servers.${name}`;
      const keyStart = this.entry('mcp_servers', name)?.keyStart ?? 0;
      if (url !== undefined && command === undefined) {
        if (/^https?:\/\//.test(url) && URL.canParse(url)) servers.push({ name, url, headers });
        else this.wrong(`${path}.url ${JSON.stringify(url)} is no http or https address`, keyStart);
      } else if (command !== undefined && url === undefined) {
        servers.push({ name, command, args, env, ...(cwd !== undefined && { cwd }) });
      } else this.wrong(`${path} must have either a command or a url`, keyStart);
    }
    return servers;
  }

  /** The body, then the context, in the order written. */
  private async system(): Promise<string> {
    const { context: written = [] } = this.fields.data;
    const context = isMap(written) ? this.contextMap(written) : written;
    const offset = this.fields.get('context')?.start ?? 0;
    const places = this.fields.list('context')?.items ?? [];
    const parts = [this.body.trim()];
    for (const [i, item] of (typeof context === 'string' ? [context] : context).entries()) {
      parts.push(
        typeof item === 'string' ? item.trim() : await this.file(item.file, places[i]?.start ?? offset),
      );
    }
    return parts.filter((part) => part !== '').join('\n\n');
  }

  /** The body of the file is preferred to a prompt in its front matter. */
  private contextMap({
    system_prompt: prompt,
    sources = [],
  }: ContextMap): readonly (string | { file: string })[] {
    const own = prompt !== undefined && this.body.trim() === '' ? [prompt] : [];
    return [...own, ...sources.map(({ path }) => ({ file: path }))];
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

interface ContextMap {
  readonly max_tokens?: number | undefined;
  readonly system_prompt?: string | undefined;
  readonly sources?: readonly { readonly path: string }[] | undefined;
}

function isMap(context: unknown): context is ContextMap {
  return typeof context === 'object' && context !== null && !Array.isArray(context);
}

/** `limits.max_attempts` holds for every model; what a model says of its own counts where that is silent. */
function retryFrom(
  model: WrittenModel | undefined,
  maxAttempts: number | undefined,
): { readonly retry?: NonNullable<SessionConfig['retry']> } {
  const { retry = {} } = typeof model === 'object' ? model : {};
  const attempts = maxAttempts ?? (retry.max_retries === undefined ? undefined : retry.max_retries + 1);
  const set = {
    ...(attempts !== undefined && { maxAttempts: attempts }),
    ...(retry.initial_backoff_ms !== undefined && { baseMs: retry.initial_backoff_ms }),
    ...(retry.max_backoff_ms !== undefined && { maxWaitMs: retry.max_backoff_ms }),
  };
  return Object.keys(set).length === 0 ? {} : { retry: set };
}

const MAX_CONTEXT_CHARS = 1_000_000;

/** The keys of `limits` and what a session calls them. */
const LIMIT_NAMES = [
  ['max_turns', 'maxTurns'],
  ['max_tokens', 'maxTokens'],
  ['max_cost_usd', 'maxCostUsd'],
  ['max_time_ms', 'maxMs'],
  ['completion_timeout_ms', 'completionMs'],
  ['tool_timeout_ms', 'toolMs'],
  ['tool_result_chars', 'toolResultChars'],
  ['approval_timeout_ms', 'approvalMs'],
  ['parallel_tools', 'parallelTools'],
] as const;
