/**
 * Every field an artifact may have, in one table. Validation, the JSON Schemas for editors and the reference pages are
 * all made from it.
 */

export type Shape =
  | { readonly kind: 'text'; readonly oneOf?: readonly string[]; readonly hint?: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'map'; readonly fields: readonly Field[] }
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

export const HARNESS_FIELDS: readonly Field[] = [
  HOOKS,
  {
    name: 'network',
    shape: {
      kind: 'map',
      fields: [
        {
          name: 'allowed_domains',
          shape: TEXTS,
          default: 'none: hooks reach no host',
          doc: 'Hosts scripts may reach: `example.com` (and its sub-domains), `*.example.com` (sub-domains only), `*`.',
        },
      ],
    },
    doc: 'What scripts may reach over HTTP.',
  },
  { name: 'model', shape: DATA, doc: 'The model of the agent.' },
  { name: 'models', shape: DATA, doc: 'Named models.' },
  { name: 'context', shape: DATA, doc: 'Context for the model.' },
  { name: 'tools', shape: DATA, doc: 'Tools written inline.' },
  { name: 'tools_policy', shape: DATA, doc: 'Which tools may be used.' },
  { name: 'delegation', shape: DATA, doc: 'Limits of sub-agents.' },
  { name: 'meta', shape: DATA, doc: 'What an agent may change about itself.' },
  { name: 'serve', shape: DATA, doc: 'Server settings.' },
  { name: 'trusted_sources', shape: DATA, doc: 'Where artifacts may come from.' },
  { name: 'artifact_sources', shape: DATA, doc: 'Where artifacts are fetched from.' },
  { name: 'exit_policy', shape: DATA, doc: 'When an agent may stop.' },
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
  { name: 'tools', shape: DATA, doc: 'Tools of the bundle.' },
  { name: 'context', shape: DATA, doc: 'Context for the model.' },
  { name: 'model', shape: DATA, doc: 'Model settings of a model bundle.' },
  { name: 'compaction', shape: DATA, doc: 'Settings of a compaction bundle.' },
];
