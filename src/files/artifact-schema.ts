/**
 * Every field that a hook, a tool, a sub-agent and a bundle may have; those of `harness.md` are in harness-schema.ts. Validation,
 * the JSON Schemas for editors and the reference pages are all made from these tables.
 */
import {
  anything,
  described,
  either,
  type Fields,
  flag,
  integer,
  LONGEST_TIMER_MS,
  list,
  map,
  oneOf,
  optional,
  strictMap,
  text,
  texts,
} from '../base/index.ts';
import { CATALOG } from '../engine/index.ts';
import { SANDBOX } from '../machine/index.ts';
import { HOOK_TEST_FIELDS } from './test-schema.ts';

export const DEFAULT_TIMEOUT_MS = 5000;
const LARGEST = Number.MAX_SAFE_INTEGER;
const ANY_INTEGER = { min: -LARGEST, max: LARGEST };

export const count = (doc: string) => integer(doc, { min: 1, max: LARGEST });
export const milliseconds = (doc: string) => integer(doc, { min: 1, max: LONGEST_TIMER_MS });
export const nonNegative = (doc: string, max: number) => integer(doc, { min: 0, max });

/** The catalog, for completion, and the two open families. */
const EVENTS = { texts: Object.keys(CATALOG), pattern: '^(custom\\.[a-z0-9_]+|meta\\..+)$' };

/** What a failure of a hook may mean. */
export const ON_ERROR = ['block', 'allow', 'throw'] as const;

export const HOOK_FIELDS = {
  event: text('The lifecycle event the hook subscribes to.', { suggests: EVENTS }),
  priority: optional(
    integer(
      'Order within the event: lower runs first. 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40+ shaping.',
      ANY_INTEGER,
    ),
    '0',
  ),
  when: optional(
    text('A pure Starlark expression over `event` and `payload`; the hook runs where it is true.', {
      hint: 'a condition is a Starlark expression in quotes, such as when: "True"',
    }),
    'always matches',
  ),
  script: optional(
    text('Starlark source that defines `handle(event, payload)`.', {
      hint: 'write the script as a block: script: |',
    }),
    'none: the hook allows',
  ),
  on_error: optional(
    either(
      'What a failure of the hook means for the operation: a word, or a Starlark expression that gives one, over `actor`, `caller`, `data`, `event` and `payload`. One that raises is `block`.',
      oneOf('', ON_ERROR),
      text('', { suggests: { texts: [], pattern: '\\W' } }),
    ),
    '`block` on events that can be blocked, `allow` elsewhere',
  ),
  on_when_error: optional(
    oneOf('What a condition that raises means: the hook does not match, or it has failed.', [
      'skip',
      'block',
    ]),
    'skip',
  ),
  timeout_ms: optional(
    integer('Wall-clock limit of one call.', { min: 1, max: 600_000 }),
    String(DEFAULT_TIMEOUT_MS),
  ),
  mode: optional(
    oneOf('Whether a decision counts, becomes a reminder, or is only recorded.', [
      'enforce',
      'warn',
      'shadow',
    ]),
    'enforce',
  ),
  state_group: optional(
    text('Hooks of the same layer with the same name here share what they keep in `state`.'),
    'its `state` is its own',
  ),
  description: optional(text('One line for listings.'), 'the first sentence of the body'),
  tests: optional(list('Cases the hook must pass.', map('', HOOK_TEST_FIELDS)), 'none'),
};

/** A hook in a `hooks:` list: the same fields, and a name of its own because it has no file name. */
export const LISTED_HOOK_FIELDS = {
  handler: optional(text('The name of the hook, unique in the list.'), 'the file and the place in the list'),
  ...HOOK_FIELDS,
};

export const HOOKS = optional(list('Hooks written inline.', map('', LISTED_HOOK_FIELDS)), 'none');

/** The fields of a file around its hooks: each hook of the list is checked when it is built. */
export const withHookList = <F extends Fields>(fields: F) => ({
  ...fields,
  hooks: optional(list(HOOKS.doc, anything(''))),
});

/** The types a parameter may have: those of JSON. */
export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

export const PARAMETER_FIELDS = {
  type: oneOf('The JSON type.', PARAMETER_TYPES),
  description: optional(text('What the model reads about it.')),
  required: optional(flag('Whether a call without it is refused.'), 'false'),
  default: optional(anything('What `run` gets where the call leaves it out.'), 'none'),
  enum: optional(list('The values it may have.', anything('')), 'any value'),
  items: optional(anything('JSON Schema of the elements of an array.')),
  properties: optional(anything('JSON Schemas of the members of an object.')),
};

export const TOOL_FIELDS = {
  // Checked by its reader: it may be a table of parameters or a JSON Schema.
  parameters: optional(
    anything(
      'A map of names to `type`, `description`, `required`, `default`, `enum`, `items`, `properties`; or a JSON Schema with `type: object`.',
    ),
    'none: the tool takes no arguments',
  ),
  script: text('Starlark source that defines `run(args)`.', {
    hint: 'write the script as a block: script: |',
  }),
  scopes: optional(
    texts('What it takes to call the tool, all of them; holds with `permissions: {scopes: enforce}`.'),
    'none',
  ),
  timeout_ms: optional(
    nonNegative('Wall-clock limit of one call; 0 leaves it to the session.', 86_400_000),
    'the limit of the session',
  ),
  sandbox: optional(
    described(
      SANDBOX,
      'The sandbox of the programs this tool starts, as in `harness.md`; it can only be tighter than the one in force.',
    ),
    'the one in force',
  ),
  async: optional(
    flag('Read for compatibility and ignored: calls of one completion always run side by side.'),
    'ignored',
  ),
};

/** A tool in a `tools:` list: it has neither a file name nor a body. */
export const LISTED_TOOL_FIELDS = {
  name: text('The name of the tool.'),
  description: text('What the model reads.'),
  ...TOOL_FIELDS,
};

export const LISTED_TOOLS = optional(
  list(
    'Tools written inline, with a `name` and a `description` beside the fields of a tool artifact.',
    map('', LISTED_TOOL_FIELDS),
  ),
  'none',
);

export const CONTEXT = optional(
  either(
    'What the model is told after the body of `harness.md`: a text, or a list of texts and `{file: PATH}`. As a map, how much of the conversation is kept.',
    text(''),
    list('', either('', text(''), map('', { file: text('A text file of the project.') }))),
    strictMap('', {
      max_tokens: optional(count('The same as `compaction.max_tokens`.')),
      max_history: optional(anything('Not used here.', { ignored: 'compaction goes by tokens' })),
      system_prompt: optional(text('The system prompt if the file has no body.')),
      sources: optional(
        list(
          'Files whose names the model gets.',
          map('', {
            path: text('A text file of the project.'),
            name: optional(text('What it is called.')),
            type: optional(oneOf('Only files are read.', ['file'])),
          }),
        ),
      ),
    }),
  ),
  'none',
);

/** A sub-agent: `.harness/agents/*.md`. */
export const AGENT_FIELDS = {
  description: optional(
    text('What the delegating model reads about the agent.'),
    'the first sentence of the body',
  ),
  model: optional(text('A name of `models`, or the model itself.'), 'the model of the parent agent'),
  tools: optional(
    texts('Globs over the tools of the parent agent; the agent never has others.'),
    'all tools of the parent agent',
  ),
  scopes: optional(
    texts('What the agent may do, at most what the agent that delegates to it may do.'),
    'what the delegating agent may do',
  ),
  hooks: HOOKS,
  verify: optional(
    text(
      'Starlark source that defines `run(result)` and returns `{"verified": bool, "reason": text}`, or a bare bool.',
      { hint: 'write the script as a block: verify: |' },
    ),
    'none: only hooks of `delegation.post_verify` check the answer',
  ),
  max_verify_retries: optional(
    integer('How often an answer that is not accepted is sent back; 0 is the default, -1 is never.', {
      min: -1,
      max: 100,
    }),
    '2',
  ),
  timeout_ms: optional(milliseconds('How long one answer may take.'), '600000'),
};

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

export const BUNDLE_FIELDS = {
  schema_version: oneOf('The version of the bundle format.', [BUNDLE_SCHEMA_VERSION]),
  kind: oneOf('What the bundle is.', Object.keys(BUNDLE_KINDS)),
  name: text('The name other bundles depend on.'),
  version: optional(text('The version of the bundle.', { hint: 'quote it: version: "1.0"' })),
  description: optional(text('What the bundle is for; required for a plugin.')),
  tags: optional(texts('Labels for searching.')),
  depends_on: optional(texts('Names of bundles that must be there too.')),
  condition: optional(
    text(
      'A pure Starlark expression over `event` and `payload`, judged at every dispatch beside the `when` of each hook.',
      { hint: 'a condition is a Starlark expression in quotes' },
    ),
    'always in force',
  ),
  priority: optional(
    integer(
      'Which bundle wins where two define one tool. Hooks are never overridden; they keep their own priority.',
      ANY_INTEGER,
    ),
    'by kind: override 100, harness 80, builtin 60, plugin 40',
  ),
  hooks: HOOKS,
  tools: LISTED_TOOLS,
  context: CONTEXT,
  model: optional(anything('Model settings of a model bundle.')),
  compaction: optional(anything('Settings of a compaction bundle.')),
};
