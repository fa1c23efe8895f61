/**
 * `harness-hooks/pure`: the part that needs no machine, for browsers and edge functions. Hooks in Markdown from their text,
 * the engine that asks them, and the language they are written in. Built into one file that imports nothing.
 *
 * ```ts
 * const { hooks, problems } = await hookFromText('command_guard.md', text);
 * const engine = new Engine({ hooks, host: bareHost, run: new RunState() });
 * const outcome = await engine.decide('tool.pre', { name: 'run_command', args: { command: 'ls' } });
 * ```
 */
export { bareHost } from './base/bare-host.ts';
export type { Problem } from './base/errors.ts';
export type { Host } from './base/host.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { CatalogName, EventName, PayloadOf } from './events/catalog.ts';
export type {
  Action,
  Decision,
  Effect,
  Failure,
  Mode,
  Outcome,
  ReminderSpec,
  TraceEntry,
} from './events/decision.ts';
export { hookFromText, type MarkdownHook } from './frontends/markdown/hook-from-text.ts';
export { type DecideOptions, Engine, type EngineOptions } from './hooks/engine.ts';
export type { Hook } from './hooks/hook.ts';
export { RunState } from './hooks/run-state.ts';
export {
  type Command,
  type CommandReading,
  type ReadOptions,
  readArgv,
  readCommand,
} from './match/command/index.ts';
export { isDisk, isWithin, matchPath, normalForm } from './match/path-match.ts';
export { type Found, findSecrets, type Redaction, redactSecrets } from './match/secrets/secrets.ts';
export * as starlark from './starlark/index.ts';
