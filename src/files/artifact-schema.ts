/**
 * Every field an artifact may have, in one table. Validation, the JSON Schemas for editors and the reference pages are
 * all made from it.
 */

export type Shape =
  | { readonly kind: 'text'; readonly oneOf?: readonly string[]; readonly hint?: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'map'; readonly fields: readonly Field[] }
  /** A map whose keys are names of the author's own. */
  | { readonly kind: 'record'; readonly of: Shape }
  | { readonly kind: 'either'; readonly shapes: readonly [Shape, Shape] }
  /** Any YAML data, kept as it is. */
  | { readonly kind: 'data' };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly required?: boolean;
  /** What holds where the field is left out, as the reference prints it. */
  readonly default?: string;
  readonly doc: string;
}

const TEXT: Shape = { kind: 'text' };
const TEXTS: Shape = { kind: 'list', of: TEXT };
const DATA: Shape = { kind: 'data' };
const BOOLEAN: Shape = { kind: 'boolean' };

export const DEFAULT_TIMEOUT_MS = 5000;
const LARGEST = Number.MAX_SAFE_INTEGER;

export const TEST_FIELDS: readonly Field[] = [
  { name: 'name', shape: TEXT, required: true, doc: 'What the case shows.' },
  { name: 'payload', shape: DATA, default: 'null', doc: 'The payload the event is fired with.' },
  {
    name: 'expect',
    required: true,
    doc: 'The action the hook must come to, alone or with its reason or payload.',
    shape: {
      kind: 'either',
      shapes: [
        { kind: 'text', oneOf: ['allow', 'block', 'modify', 'ask', 'delegate', 'permit', 'unmatched'] },
        {
          kind: 'map',
          fields: [
            {
              name: 'action',
              shape: {
                kind: 'text',
                oneOf: ['allow', 'block', 'modify', 'ask', 'delegate', 'permit', 'unmatched'],
              },
              required: true,
              doc: 'The action; `unmatched` where the condition must say no.',
            },
            { name: 'reason', shape: TEXT, doc: 'Text the reason must contain.' },
            { name: 'payload', shape: DATA, doc: 'Keys the payload must hold afterwards.' },
          ],
        },
      ],
    },
  },
];

export const HOOK_FIELDS: readonly Field[] = [
  { name: 'event', shape: TEXT, required: true, doc: 'The lifecycle event the hook subscribes to.' },
  {
    name: 'priority',
    shape: { kind: 'integer', min: -LARGEST, max: LARGEST },
    default: '0',
    doc: 'Order within the event: lower runs first. 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40+ shaping.',
  },
  {
    name: 'when',
    shape: { kind: 'text', hint: 'a condition is a Starlark expression in quotes, such as when: "True"' },
    default: 'always matches',
    doc: 'A pure Starlark expression over `event` and `payload`; the hook runs where it is true.',
  },
  {
    name: 'script',
    shape: { kind: 'text', hint: 'write the script as a block: script: |' },
    default: 'none: the hook allows',
    doc: 'Starlark source that defines `handle(event, payload)`.',
  },
  {
    name: 'on_error',
    shape: { kind: 'text', oneOf: ['block', 'allow', 'throw'] },
    default: '`block` on events that can be blocked, `allow` elsewhere',
    doc: 'What a failure of the hook means for the operation.',
  },
  {
    name: 'on_when_error',
    shape: { kind: 'text', oneOf: ['skip', 'block'] },
    default: 'skip',
    doc: 'What a condition that raises means: the hook does not match, or it has failed.',
  },
  {
    name: 'timeout_ms',
    shape: { kind: 'integer', min: 1, max: 600_000 },
    default: String(DEFAULT_TIMEOUT_MS),
    doc: 'Wall-clock limit of one call.',
  },
  {
    name: 'mode',
    shape: { kind: 'text', oneOf: ['enforce', 'warn', 'shadow'] },
    default: 'enforce',
    doc: 'Whether a decision counts, becomes a reminder, or is only recorded.',
  },
  {
    name: 'description',
    shape: TEXT,
    default: 'the first sentence of the body',
    doc: 'One line for listings.',
  },
  {
    name: 'tests',
    shape: { kind: 'list', of: { kind: 'map', fields: TEST_FIELDS } },
    default: 'none',
    doc: 'Cases the hook must pass.',
  },
];

const HANDLER: Field = {
  name: 'handler',
  shape: TEXT,
  required: true,
  doc: 'The name of the hook, unique in the list.',
};

/** A hook in a `hooks:` list: the same fields, and a name of its own because it has no file name. */
export const LISTED_HOOK_FIELDS: readonly Field[] = [HANDLER, ...HOOK_FIELDS];

const HOOKS: Field = {
  name: 'hooks',
  shape: { kind: 'list', of: { kind: 'map', fields: LISTED_HOOK_FIELDS } },
  default: 'none',
  doc: 'Hooks written inline.',
};

/** The types a parameter may have: those of JSON. */
export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

export const PARAMETER_FIELDS: readonly Field[] = [
  { name: 'type', shape: { kind: 'text', oneOf: PARAMETER_TYPES }, required: true, doc: 'The JSON type.' },
  { name: 'description', shape: TEXT, doc: 'What the model reads about it.' },
  { name: 'required', shape: BOOLEAN, default: 'false', doc: 'Whether a call without it is refused.' },
  { name: 'default', shape: DATA, default: 'none', doc: 'What `run` gets where the call leaves it out.' },
  { name: 'enum', shape: { kind: 'list', of: DATA }, default: 'any value', doc: 'The values it may have.' },
  { name: 'items', shape: DATA, doc: 'JSON Schema of the elements of an array.' },
  { name: 'properties', shape: DATA, doc: 'JSON Schemas of the members of an object.' },
];

export const TOOL_FIELDS: readonly Field[] = [
  {
    name: 'parameters',
    // Checked by its reader: it may be a table of parameters or a JSON Schema.
    shape: DATA,
    default: 'none: the tool takes no arguments',
    doc: 'A map of names to `type`, `description`, `required`, `default`, `enum`, `items`, `properties`; or a JSON Schema with `type: object`.',
  },
  {
    name: 'script',
    shape: { kind: 'text', hint: 'write the script as a block: script: |' },
    required: true,
    doc: 'Starlark source that defines `run(args)`.',
  },
  {
    name: 'timeout_ms',
    shape: { kind: 'integer', min: 0, max: 86_400_000 },
    default: 'the limit of the session',
    doc: 'Wall-clock limit of one call; 0 leaves it to the session.',
  },
  {
    name: 'async',
    shape: BOOLEAN,
    default: 'ignored',
    doc: 'Read for compatibility and ignored: calls of one completion always run side by side.',
  },
];

/** A tool in a `tools:` list: it has neither a file name nor a body. */
export const LISTED_TOOL_FIELDS: readonly Field[] = [
  { name: 'name', shape: TEXT, required: true, doc: 'The name of the tool.' },
  { name: 'description', shape: TEXT, required: true, doc: 'What the model reads.' },
  ...TOOL_FIELDS,
];

const TOOLS: Field = {
  name: 'tools',
  shape: { kind: 'list', of: { kind: 'map', fields: LISTED_TOOL_FIELDS } },
  default: 'none',
  doc: 'Tools written inline, with a `name` and a `description` beside the fields of a tool artifact.',
};

const COUNT: Shape = { kind: 'integer', min: 1, max: LARGEST };
const MILLISECONDS: Shape = { kind: 'integer', min: 1, max: 0x7fff_ffff };

const MODEL: Shape = {
  kind: 'either',
  shapes: [
    TEXT,
    {
      kind: 'map',
      fields: [
        { name: 'name', shape: TEXT, required: true, doc: '`anthropic/…`, `openai/…` or `scripted:FILE`.' },
        { name: 'base_url', shape: TEXT, default: 'that of the provider', doc: 'Where the service is.' },
        {
          name: 'api_key_env',
          shape: TEXT,
          default: 'that of the provider',
          doc: 'The environment variable that holds the key.',
        },
        { name: 'max_tokens', shape: COUNT, doc: 'The most tokens one completion may have.' },
        { name: 'stream', shape: BOOLEAN, default: 'true', doc: 'Whether text arrives piece by piece.' },
      ],
    },
  ],
};

const CONTEXT: Field = {
  name: 'context',
  shape: {
    kind: 'either',
    shapes: [
      TEXT,
      {
        kind: 'list',
        of: {
          kind: 'either',
          shapes: [
            TEXT,
            {
              kind: 'map',
              fields: [{ name: 'file', shape: TEXT, required: true, doc: 'A text file of the project.' }],
            },
          ],
        },
      },
    ],
  },
  default: 'none',
  doc: 'What the model is told after the body of `harness.md`: a text, or a list of texts and `{file: PATH}`.',
};

export const EXIT_MODES = ['natural', 'done_tool', 'hook', 'hybrid'] as const;

const ONE_OR_MORE: Shape = { kind: 'either', shapes: [TEXT, TEXTS] };
const ZONE: Shape = { kind: 'text', oneOf: ['auto', 'ask', 'never'] };

const PERMISSION_RULE_FIELDS: readonly Field[] = [
  { name: 'tools', shape: ONE_OR_MORE, required: true, doc: 'Globs over tool names.' },
  {
    name: 'args',
    shape: { kind: 'record', of: ONE_OR_MORE },
    default: 'any arguments',
    doc: 'By argument (dotted for one inside another): globs of which one must match.',
  },
  {
    name: 'zone',
    shape: ZONE,
    required: true,
    doc: '`auto` runs, `ask` waits for a person, `never` is denied.',
  },
  { name: 'reason', shape: TEXT, doc: 'Told to the person, or to the model.' },
];

const PERMISSION_GUARD_FIELDS: readonly Field[] = [
  {
    name: 'kind',
    shape: { kind: 'text', oneOf: ['shell'] },
    default: 'shell',
    doc: 'What it reads: a command line.',
  },
  { name: 'tools', shape: ONE_OR_MORE, required: true, doc: 'Globs over the tools that take one.' },
  { name: 'argument', shape: TEXT, default: 'command', doc: 'The argument that holds it.' },
  {
    name: 'deny_patterns',
    shape: TEXTS,
    default: 'none',
    doc: 'RE2 patterns; a line that has one never runs.',
  },
  {
    name: 'allow_prefixes',
    shape: TEXTS,
    default: 'none',
    doc: 'Words a command may begin with. Every command of a line must, or `otherwise` decides.',
  },
  {
    name: 'otherwise',
    shape: ZONE,
    default: 'ask',
    doc: 'The zone of lines that are not allowed by a prefix.',
  },
];

export const HARNESS_FIELDS: readonly Field[] = [
  HOOKS,
  {
    name: 'strict',
    shape: BOOLEAN,
    default: 'false',
    doc: 'Whatever is not a clean answer blocks, on every event that can be blocked: a condition that raises, an answer that is no decision, a hook of any kind that failed or timed out. In one layer it holds for the whole policy.',
  },
  {
    name: 'network',
    shape: {
      kind: 'map',
      fields: [
        {
          name: 'allowed_domains',
          shape: TEXTS,
          default: 'hooks reach no host, tools any',
          doc: 'Hosts scripts may reach: `example.com` (and its sub-domains), `*.example.com` (sub-domains only), `*`.',
        },
      ],
    },
    doc: 'What scripts may reach over HTTP.',
  },
  {
    name: 'model',
    shape: MODEL,
    doc: 'The model of the agent: `anthropic/…`, `openai/…`, `scripted:FILE`, a name of `models`, or a map with its settings.',
  },
  {
    name: 'models',
    shape: { kind: 'record', of: MODEL },
    default: 'none',
    doc: 'Models by a name of your own.',
  },
  CONTEXT,
  TOOLS,
  {
    name: 'tools_policy',
    shape: {
      kind: 'map',
      fields: [
        {
          name: 'mode',
          shape: { kind: 'text', oneOf: ['allowlist', 'denylist'] },
          default: '`allowlist` where `allow` lists something, else `denylist`',
          doc: 'Whether a tool that no pattern names is offered.',
        },
        { name: 'allow', shape: TEXTS, default: 'none', doc: 'Globs over tool names.' },
        { name: 'deny', shape: TEXTS, default: 'none', doc: 'Globs over tool names; deny beats allow.' },
      ],
    },
    default: 'every tool is offered',
    doc: 'Which tools the model is offered.',
  },
  {
    name: 'permissions',
    shape: {
      kind: 'map',
      fields: [
        { name: 'default', shape: ZONE, default: 'auto', doc: 'The zone of calls that no rule fits.' },
        {
          name: 'rules',
          shape: { kind: 'list', of: { kind: 'map', fields: PERMISSION_RULE_FIELDS } },
          default: 'none',
          doc: 'The first rule that fits a call decides its zone.',
        },
        {
          name: 'policies',
          shape: { kind: 'list', of: { kind: 'map', fields: PERMISSION_GUARD_FIELDS } },
          default: 'none',
          doc: 'Guards over command lines, beside the rules: the stricter of the two counts.',
        },
      ],
    },
    default: 'every call runs by itself',
    doc: 'Which calls run by themselves, which wait for a person, which never run.',
  },
  {
    name: 'mcp_servers',
    shape: {
      kind: 'record',
      of: {
        kind: 'map',
        fields: [
          { name: 'command', shape: TEXT, doc: 'The program that speaks MCP on stdin and stdout.' },
          { name: 'args', shape: TEXTS, default: 'none', doc: 'Its arguments.' },
          {
            name: 'env',
            shape: { kind: 'record', of: TEXT },
            default: 'none',
            doc: `Variables for it; \`\${NAME}\` stands for a variable of your own environment.`,
          },
          { name: 'cwd', shape: TEXT, default: 'the workspace', doc: 'Where it runs.' },
          { name: 'url', shape: TEXT, doc: 'The address of a server that speaks MCP over HTTP.' },
          {
            name: 'headers',
            shape: { kind: 'record', of: TEXT },
            default: 'none',
            doc: `Headers for it; \`\${NAME}\` as in \`env\`.`,
          },
        ],
      },
    },
    default: 'none',
    doc: 'MCP servers by name. Their tools are offered as `server__tool`.',
  },
  {
    name: 'compaction',
    shape: {
      kind: 'map',
      fields: [
        {
          name: 'max_tokens',
          shape: COUNT,
          required: true,
          doc: 'From this size on, the conversation is shortened before the next request.',
        },
        {
          name: 'keep_turns',
          shape: COUNT,
          default: '4',
          doc: 'Round trips at the end that stay as they are.',
        },
        {
          name: 'summary',
          shape: { kind: 'text', oneOf: ['digest', 'model'] },
          default: 'digest',
          doc: 'Who writes the summary: nobody, from a line for each thing done, or the model.',
        },
      ],
    },
    default: 'never',
    doc: 'When and how the conversation is shortened.',
  },
  {
    name: 'limits',
    shape: {
      kind: 'map',
      fields: [
        { name: 'max_turns', shape: COUNT, default: '50', doc: 'Round trips to the model for one prompt.' },
        { name: 'max_tokens', shape: COUNT, default: 'none', doc: 'Tokens of a session, in and out.' },
        {
          name: 'max_cost_usd',
          shape: { kind: 'number', min: 0.0001, max: 1e9 },
          default: 'none',
          doc: 'What a session may cost, as far as the provider knows.',
        },
        { name: 'max_time_ms', shape: MILLISECONDS, default: 'none', doc: 'How long one prompt may take.' },
        {
          name: 'completion_timeout_ms',
          shape: MILLISECONDS,
          default: '600000',
          doc: 'How long one attempt at a completion may take.',
        },
        { name: 'max_attempts', shape: COUNT, default: '4', doc: 'Attempts at one completion.' },
        {
          name: 'tool_timeout_ms',
          shape: MILLISECONDS,
          default: '120000',
          doc: 'How long a tool without a limit of its own may take.',
        },
        {
          name: 'tool_result_chars',
          shape: COUNT,
          default: '100000',
          doc: 'How much of a result the model is shown.',
        },
        {
          name: 'approval_timeout_ms',
          shape: MILLISECONDS,
          default: '1800000',
          doc: 'How long a person has to answer.',
        },
        { name: 'parallel_tools', shape: COUNT, default: '16', doc: 'Tool calls that run side by side.' },
      ],
    },
    default: 'those of the session',
    doc: 'Where a session ends whatever the model does.',
  },
  {
    name: 'delegation',
    shape: {
      kind: 'map',
      fields: [
        { name: 'max_depth', shape: { kind: 'integer', min: 0, max: 8 }, doc: 'Agents inside one another.' },
        { name: 'max_iterations', shape: { kind: 'list', of: COUNT }, doc: 'Completions at each depth.' },
        {
          name: 'tool_retries',
          shape: { kind: 'integer', min: 0, max: 100 },
          doc: 'Failures of one tool in a row.',
        },
        {
          name: 'verify_retries',
          shape: { kind: 'integer', min: 0, max: 100 },
          doc: 'Times work is sent back.',
        },
      ],
    },
    doc: 'Limits of sub-agents.',
  },
  {
    name: 'exit_policy',
    shape: {
      kind: 'map',
      fields: [
        {
          name: 'mode',
          shape: { kind: 'text', oneOf: EXIT_MODES },
          default: 'natural',
          doc: '`natural`: when the model stops, asking `agent.stop` hooks. `hook`: the same. `done_tool` and `hybrid`: only after the model has called the `done` tool.',
        },
        { name: 'max_iterations', shape: COUNT, doc: 'The same as `limits.max_turns`.' },
        {
          name: 'on_max_iterations',
          shape: { kind: 'text', oneOf: ['stop', 'error'] },
          default: 'stop',
          doc: 'Whether to end there with `max_turns`, or with an error as well.',
        },
        {
          name: 'max_continuations',
          shape: { kind: 'integer', min: 0, max: 1000 },
          default: '3',
          doc: 'How often a stop may be sent back.',
        },
      ],
    },
    doc: 'When an agent may stop.',
  },
  {
    name: 'meta',
    shape: {
      kind: 'map',
      fields: [
        { name: 'enabled', shape: BOOLEAN, default: 'true', doc: 'Whether it may at all.' },
        { name: 'max_tools', shape: { kind: 'integer', min: 0, max: 1000 }, default: '50', doc: 'Tools.' },
        { name: 'max_hooks', shape: { kind: 'integer', min: 0, max: 1000 }, default: '30', doc: 'Hooks.' },
        {
          name: 'max_agents',
          shape: { kind: 'integer', min: 0, max: 1000 },
          default: '10',
          doc: 'Sub-agents.',
        },
      ],
    },
    default: 'nothing',
    doc: 'What an agent may add to itself, with `meta.register_tool`, `meta.register_hook` and `meta.register_agent`.',
  },
  { name: 'serve', shape: DATA, doc: 'Server settings.' },
  { name: 'trusted_sources', shape: DATA, doc: 'Where artifacts may come from.' },
  { name: 'artifact_sources', shape: DATA, doc: 'Where artifacts are fetched from.' },
];

/** A sub-agent: `.harness/agents/*.md`. */
export const AGENT_FIELDS: readonly Field[] = [
  {
    name: 'description',
    shape: TEXT,
    default: 'the first sentence of the body',
    doc: 'What the delegating model reads about the agent.',
  },
  {
    name: 'model',
    shape: TEXT,
    default: 'the model of whoever delegates',
    doc: 'A name of `models`, or the model itself.',
  },
  {
    name: 'tools',
    shape: TEXTS,
    default: 'all tools of whoever delegates',
    doc: 'Globs over the tools of whoever delegates; the agent never has others.',
  },
  HOOKS,
  {
    name: 'verify',
    shape: { kind: 'text', hint: 'write the script as a block: verify: |' },
    default: 'none: only hooks of `delegation.post_verify` check the answer',
    doc: 'Starlark source that defines `run(result)` and returns `{"verified": bool, "reason": text}`, or a bare bool.',
  },
  {
    name: 'max_verify_retries',
    shape: { kind: 'integer', min: -1, max: 100 },
    default: '2',
    doc: 'How often an answer that is not accepted is sent back; 0 is the default, -1 is never.',
  },
  {
    name: 'timeout_ms',
    shape: MILLISECONDS,
    default: '600000',
    doc: 'How long one answer may take.',
  },
];

export const BUNDLE_SCHEMA_VERSION = 'harness_artifact/v1alpha1';

/** Each kind and the priority its tools have where the bundle states none. */
export const BUNDLE_KINDS: Readonly<Record<string, number>> = {
  harness: 80,
  builtin: 60,
  plugin: 40,
  override: 100,
  model: 40,
  compaction: 40,
};

export const BUNDLE_FIELDS: readonly Field[] = [
  {
    name: 'schema_version',
    shape: { kind: 'text', oneOf: [BUNDLE_SCHEMA_VERSION] },
    required: true,
    doc: 'The version of the bundle format.',
  },
  {
    name: 'kind',
    shape: { kind: 'text', oneOf: Object.keys(BUNDLE_KINDS) },
    required: true,
    doc: 'What the bundle is.',
  },
  { name: 'name', shape: TEXT, required: true, doc: 'The name other bundles depend on.' },
  {
    name: 'version',
    shape: { kind: 'text', hint: 'quote it: version: "1.0"' },
    doc: 'The version of the bundle.',
  },
  { name: 'description', shape: TEXT, doc: 'What the bundle is for; required for a plugin.' },
  { name: 'tags', shape: TEXTS, doc: 'Labels for searching.' },
  { name: 'depends_on', shape: TEXTS, doc: 'Names of bundles that must be there too.' },
  {
    name: 'condition',
    shape: { kind: 'text', hint: 'a condition is a Starlark expression in quotes' },
    default: 'always in force',
    doc: 'A pure Starlark expression over `event` and `payload`, judged at every dispatch beside the `when` of each hook.',
  },
  {
    name: 'priority',
    shape: { kind: 'integer', min: -LARGEST, max: LARGEST },
    default: 'by kind: override 100, harness 80, builtin 60, plugin 40',
    doc: 'Which bundle wins where two define one tool. Hooks are never overridden; they keep their own priority.',
  },
  HOOKS,
  TOOLS,
  CONTEXT,
  { name: 'model', shape: DATA, doc: 'Model settings of a model bundle.' },
  { name: 'compaction', shape: DATA, doc: 'Settings of a compaction bundle.' },
];
