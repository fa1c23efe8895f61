/**
 * The names a tool's script may use beside those of the language: a hook's, without the decisions, and files and
 * programs in the workspace.
 */
import { DECISIONS, GUARD_NAMES, HOOK_BUILTINS, type ScriptKind } from '../../script/index.ts';
import type { Value } from '../../starlark/index.ts';
import { EXEC } from './builtins/exec.ts';
import { FS } from './builtins/fs.ts';
import { META } from './builtins/meta.ts';

export const TOOL_BUILTINS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...[...HOOK_BUILTINS].filter(([name]) => !GUARD_NAMES.has(name) && name !== 'policy'),
  ['fs', FS],
  ['exec', EXEC],
  ['meta', META],
]);

const NO_DECISION = 'tools return a value; hooks decide';
const OF_GUARDS = 'it belongs to hooks; tools share values in cache';

export const TOOL_SCRIPT: ScriptKind = {
  noun: 'tool',
  environment: TOOL_BUILTINS,
  entry: 'run',
  parameters: ['args'],
  code: 'SCRIPT_RUN',
  absent: {
    ...Object.fromEntries([...DECISIONS.keys()].map((name) => [name, NO_DECISION])),
    state: OF_GUARDS,
    rate: OF_GUARDS,
    budget: OF_GUARDS,
    annotate: OF_GUARDS,
    open: 'use fs.read and fs.write',
    subprocess: 'use exec.run',
    requests: 'use http',
    env: 'scripts cannot read the environment',
  },
};
