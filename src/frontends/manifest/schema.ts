/**
 * Every key of a `[[hooks]]` entry of harn.toml. Reading, the JSON Schema and the hints for misspelt keys all come from
 * here.
 */
import type { SettingsField } from '../settings/schema.ts';

export const TIMEOUT_MS = 5000;

export const HOOK_FIELDS: readonly SettingsField[] = [
  {
    name: 'event',
    shape: { kind: 'text' },
    required: true,
    doc: 'The event, such as `PreToolUse` or `UserPromptSubmit`.',
  },
  {
    name: 'pattern',
    shape: { kind: 'text', blank: true },
    doc: 'When the hook runs: a glob over the tool, or a comparison such as `tool.args.path =~ "^/etc"`. Left out or `*`: always.',
  },
  {
    name: 'handler',
    shape: { kind: 'text' },
    required: true,
    doc: '`module::function`: a public function of `module.star`, `.ts`, `.js` or `.mjs` beside harn.toml.',
  },
  { name: 'description', shape: { kind: 'text' }, doc: 'What the hook does, for `harness hooks`.' },
  {
    name: 'on_error',
    shape: { kind: 'choice', of: ['block', 'allow', 'throw'] },
    doc: 'What a failure of the hook means. Left out: throw, which fails the operation.',
  },
  {
    name: 'mode',
    shape: { kind: 'choice', of: ['enforce', 'warn', 'shadow'] },
    doc: 'How much the word of the hook counts. Left out: enforce.',
  },
  {
    name: 'timeout_ms',
    shape: { kind: 'number', unit: 'milliseconds', odd: () => null },
    doc: `Milliseconds one call may take. Left out: ${TIMEOUT_MS}.`,
  },
];

/** Events of Harn that nothing here fires. A manifest may hold hooks for them; they are not in force. */
export const FOREIGN_EVENTS: readonly string[] = [
  'PreAgentTurn',
  'PostAgentTurn',
  'WorkerSpawned',
  'WorkerProgressed',
  'WorkerWaitingForInput',
  'WorkerSuspended',
  'WorkerResumed',
  'WorkerCompleted',
  'WorkerFailed',
  'WorkerCancelled',
  'PreSuspend',
  'PostSuspend',
  'PreResume',
  'PostResume',
  'PreDrain',
  'PostDrain',
  'OnDrainDecision',
];
