/**
 * One `[[hooks]]` of harn.toml into a hook. An entry that cannot be understood gives null and leaves its mistakes in the
 * reports.
 */
import { didYouMean, HarnessError, type MapNode, type Problem } from '../../base/index.ts';
import { type Condition, type Hook, resolveEvent } from '../../engine/index.ts';
import { checkFields, type Fields, type FileReport, JSON_FILE } from '../../files/index.ts';
import type { Capability } from '../capability.ts';
import { programFiles } from '../capability-files.ts';
import { byExpression } from '../code/functions/condition.ts';
import { type HarnEvent, requireHarnEvent } from '../code/functions/events.ts';
import type { HookFile } from '../hook-file.ts';
import { parseHandler } from './handler.ts';
import { codeFrontEnd, plainEvent, starBody, starFrontEnd } from './manifest-front-end.ts';
import type { Modules } from './modules.ts';
import { FOREIGN_EVENTS, HOOK_FIELDS, TIMEOUT_MS } from './schema.ts';

export interface EntryScope {
  readonly file: HookFile;
  readonly report: FileReport;
  /** `hooks[0]` */
  readonly path: string;
  readonly modules: Modules;
}

export type ReadEntry =
  | { readonly kind: 'hook'; readonly hook: Hook }
  /** For an event that nothing fires; said so. */
  | { readonly kind: 'foreign' }
  /** `event` is canonical, or null if it is unknown. */
  | {
      readonly kind: 'broken';
      readonly event: string | null;
      readonly name: string;
      readonly problem?: Problem;
    };

type EntryFields = Fields<typeof HOOK_FIELDS>;

export async function readEntry(map: MapNode, scope: EntryScope): Promise<ReadEntry> {
  const { report, path } = scope;
  const fields: EntryFields = checkFields(map, HOOK_FIELDS, { report, path: `${path}.`, dialect: JSON_FILE });
  const { event: written, handler = '', description: about, mode, on_error, timeout_ms } = fields.data;
  if (written !== undefined && FOREIGN_EVENTS.includes(written.trim())) {
    const message = `${path}.event: nothing here fires ${written.trim()}, so this hook never runs`;
    report.warning('EVENT_UNKNOWN', message, fields.get('event')!.start);
    return { kind: 'foreign' };
  }
  const event = readEvent(fields, scope);
  const broken = {
    kind: 'broken',
    event: event?.event ?? knownEvent(written),
    name: handler || path,
  } as const;
  const condition = event === null ? null : readPattern(fields, event, scope);
  const made = await readHandler(fields, scope);
  if (event === null || made === null || fields.broken) return broken;
  if ('problem' in made) return { ...broken, problem: made.problem };
  const { star, body, file } = made;
  const source = `${report.source.name}:${report.lineOf(map.start)}`;
  const trust = star ? null : `Trusted code (${file}), run without a sandbox.`;
  const description = [about, trust].filter((part) => part !== null && part !== undefined).join(' ');
  const hook: Hook = {
    name: scope.file.nameFor(handler, event.event),
    event: event.event,
    ...(event.parameter !== undefined && { threshold: event.parameter.value }),
    priority: 0,
    source: report.source.name,
    position: scope.file.place(),
    line: report.lineOf(map.start),
    ...(description !== '' && { description }),
    ...(made.readsPolicy === true && { readsPolicy: true }),
    ...(!star && { capability: moduleCapability(scope.modules, file, source) }),
    frontEnd: star ? starFrontEnd : codeFrontEnd,
    origin: 'project',
    mode: mode ?? 'enforce',
    // Loud, as the handlers of Harn are: a hook that fails fails the operation.
    onError: on_error ?? 'throw',
    onWhenError: condition === null ? 'skip' : 'block',
    explicit: { onError: on_error !== undefined },
    timeoutMs: timeout_ms ?? TIMEOUT_MS,
    condition,
    body,
  };
  return { kind: 'hook', hook };
}

function readEvent(fields: EntryFields, { path }: EntryScope): HarnEvent | null {
  const written = fields.data.event;
  if (written === undefined) return null;
  try {
    return requireHarnEvent(`${path}.event: harn.toml`, written, ['tool', 'persona', 'session']);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    fields.wrong(thrown.code, thrown.message, fields.get('event')!.start);
    return null;
  }
}

/** An event of ours that manifests cannot name: the stand-in stays on it alone. */
function knownEvent(written: string | undefined): string | null {
  const resolved = written === undefined ? null : resolveEvent(written);
  return resolved?.ok ? resolved.event : null;
}

/** Session events that are about a tool. */
const ABOUT_TOOLS = new Set(['permission.asked', 'permission.replied']);

function readPattern(fields: EntryFields, event: HarnEvent, { report, path }: EntryScope): Condition | null {
  const written = fields.data.pattern ?? '*';
  const offset = fields.get('pattern')?.start ?? fields.map.start;
  const { condition, problem } = byExpression(written, event);
  if (problem !== null) fields.wrong('PATTERN_INVALID', `${path}.pattern: ${problem}`, offset);
  else if (isGlob(written.trim()) && event.surface === 'session' && !ABOUT_TOOLS.has(event.event)) {
    const never = `is compared with the name of a tool, and ${event.name} has none: it never matches`;
    report.warning('PATTERN_INVALID', `${path}.pattern: ${JSON.stringify(written)} ${never}`, offset);
  }
  return condition === null
    ? null
    : { ...condition, test: (seen, call) => condition.test(plainEvent(seen), call) };
}

/** Neither everything, nor a comparison, nor a path into the event. */
function isGlob(pattern: string): boolean {
  return pattern !== '' && pattern !== '*' && !/=~|==|!=/.test(pattern) && !/^\w+(?:\.\w+)+$/.test(pattern);
}

function moduleCapability({ dir, snapshot }: Modules, file: string, source: string): Capability {
  return { kind: 'module', what: file, source, root: dir, files: programFiles(snapshot, dir, [file]) };
}

interface BuiltEntry {
  readonly star: boolean;
  readonly file: string;
  readonly body: NonNullable<Hook['body']>;
  readonly readsPolicy?: boolean;
}

/** Null if the mistake is in the manifest; with the problem where it is in the module. */
async function readHandler(
  fields: EntryFields,
  { report, path, modules }: EntryScope,
): Promise<BuiltEntry | { readonly problem: Problem } | null> {
  const written = fields.data.handler;
  if (written === undefined) return null;
  const offset = fields.get('handler')!.start;
  const wrong = (message: string): null => {
    fields.wrong('HANDLER_INVALID', `${path}.handler: ${message}`, offset);
    return null;
  };
  const name = parseHandler(written);
  if (!name.ok) return wrong(name.message);
  const found = modules.find(name.module);
  if (found.kind === 'missing') return wrong(found.message);
  if (found.kind === 'broken') return { problem: found.problem };
  if (found.remark !== null) report.warning('HANDLER_INVALID', `${path}.handler: ${found.remark}`, offset);
  if (found.kind === 'star') {
    const handler = await found.module.handler(name.function);
    if (handler.ok) {
      const { body, readsPolicy } = handler;
      return { star: true, file: found.file, body: starBody(body), readsPolicy };
    }
    return 'message' in handler ? wrong(handler.message) : { problem: handler.problem };
  }
  const exports = found.module.exports(name.function);
  const message = `${found.file} does not export ${name.function}${didYouMean(name.function, found.module.exported())}`;
  if (exports === 'no') return wrong(message);
  if (exports === 'maybe') {
    const unsure = `${path}.handler: ${message}, as far as can be seen without running it`;
    report.warning('HANDLER_INVALID', unsure, offset);
  }
  return { star: false, file: found.file, body: found.module.body(name.function) };
}
