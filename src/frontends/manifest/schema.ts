/**
 * Every key of a `[[hooks]]` entry of harn.toml. Reading, the JSON Schema and the hints for misspelt keys all come from
 * here.
 */
import { list, map, optional, record, text } from '../../base/index.ts';
import { MODE, milliseconds, nonBlankText, ON_ERROR } from '../settings/schema.ts';

export const TIMEOUT_MS = 5000;

export const HOOK_FIELDS = {
  event: nonBlankText('The event, such as `PreToolUse` or `UserPromptSubmit`.'),
  pattern: optional(
    text(
      'When the hook runs: a glob over the tool, or a comparison such as `tool.args.path =~ "^/etc"`. `*`: always.',
    ),
    'always',
  ),
  handler: nonBlankText(
    '`module::function`: a public function of `module.star`, `.ts`, `.js` or `.mjs` beside harn.toml.',
  ),
  description: optional(nonBlankText('What the hook does, for `harness hooks`.')),
  on_error: optional(ON_ERROR, 'throw, which fails the operation'),
  mode: MODE,
  timeout_ms: optional(milliseconds('Milliseconds one call may take.'), String(TIMEOUT_MS)),
};

/** The whole file, for editors, which check TOML with it too. The rest of a manifest is described elsewhere. */
export const MANIFEST_FILE = record('', {
  hooks: optional(list('Handlers of events, in the order they run.', map('', HOOK_FIELDS))),
});

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
