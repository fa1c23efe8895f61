/**
 * `harness-hooks/pure`: the part that needs no machine, for browsers and edge functions. Hooks in Markdown from their text,
 * the engine that asks them, and the language they are written in. Built into one file that imports nothing.
 *
 * ```ts
 * const { hooks, problems } = await hookFromText('command_guard.md', text);
 * const engine = new Engine({ hooks, host: bareHost, run: new RunState() });
 * const outcome = await engine.decide('tool.pre', { name: 'run_command', args: { command: 'ls' } });
 * if (outcome.mayRun) run(outcome.payload);
 * ```
 */

export type { Json, JsonObject, Problem } from './base/index.ts';
export { isDisk, isWithin, matchPath, normalForm } from './base/index.ts';
export type {
  Action,
  CatalogName,
  Decision,
  Effect,
  EventName,
  Failure,
  Hook,
  Mode,
  Outcome,
  PayloadOf,
  ReminderSpec,
  TraceEntry,
} from './engine/index.ts';
export { type DecideOptions, Engine, type EngineOptions, RunState } from './engine/index.ts';
export * as starlark from './exports/starlark.ts';
export { hookFromText, type MarkdownHook } from './frontends/index.ts';
export type { Host } from './machine/index.ts';
export { bareHost } from './machine/index.ts';
export { type Found, findSecrets, type Redaction, redactSecrets } from './secrets/index.ts';
export {
  type Command,
  type CommandReading,
  type ReadOptions,
  readArgv,
  readCommand,
} from './shell/index.ts';
