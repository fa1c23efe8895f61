/**
 * `harness-hooks`: load a project's hooks and decide events with them.
 *
 * ```ts
 * const project = await loadProject('.');
 * const engine = new Engine({ hooks: project.hooks, host: machineHost, run: new RunState(project.settings) });
 * const outcome = await engine.decide('tool.pre', { id: '1', name: 'run_command', args: { command: 'ls' } });
 * ```
 */
export { ERRORS, type ErrorCode, HarnessError, type Problem } from './base/errors.ts';
export { type Host, type HttpRequest, type HttpResponse, machineHost } from './base/host.ts';
export type { Json, JsonObject } from './base/json.ts';
export { formatPosition, type Position } from './base/source.ts';
export type { Authority, CatalogName, EventName, PayloadOf } from './events/catalog.ts';
export { checkPayload, describeEvents, type EventDescription, eventSchema } from './events/describe.ts';
export { type Resolved, resolveEvent } from './events/resolve.ts';
export { loadProject, type Project } from './frontends/project.ts';
export * from './hooks/index.ts';
export { openPolicy, type Policy, type PolicyOptions } from './policy/open-policy.ts';
export { type PolicyChange, type PolicyWatch, type WatchOptions, watchPolicy } from './policy/watch.ts';
