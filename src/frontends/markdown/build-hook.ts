/**
 * From a draft to a hook: fields checked, event resolved, condition and script compiled. Gives either the hook or what
 * its stand-in needs to know, and puts everything that is wrong into the file's report.
 */
import {
  type JsonObject,
  type MapNode,
  oneOf,
  optional,
  type Problem,
  type SourceFile,
  text,
  textAt,
  toData,
} from '../../base/index.ts';
import {
  type Condition,
  type EventParameter,
  type FailureMode,
  type Hook,
  isGate,
  resolveEvent,
} from '../../engine/index.ts';
import {
  checkFields,
  DEFAULT_TIMEOUT_MS,
  embeddedExpression,
  embeddedSource,
  type Fields,
  firstSentence,
  HOOK_FIELDS,
  LISTED_HOOK_FIELDS,
  type Misplaced,
  ON_ERROR,
  parseArtifact,
  stepLines,
} from '../../files/index.ts';
import {
  CONDITION_ENVIRONMENT,
  type CompiledScript,
  compileChoice,
  compileCondition,
  compileScript,
  type EventNames,
  HOOK_BUILTINS,
  HOOK_SCRIPT,
  type Library,
  readsPolicy,
  type ScriptCheck,
} from '../../script/index.ts';
import type { BrokenHook, HookTest, HookTests } from '../project-reader.ts';
import { allOf, atLeast } from './condition.ts';
import type { Draft } from './draft.ts';
import { markdownFrontEnd } from './markdown-front-end.ts';

export interface BuiltHook {
  readonly hook?: Hook;
  readonly broken?: BrokenHook;
  readonly tests: () => HookTests;
}

const FILE_NAME_IS_NAME: Misplaced = {
  name: 'name is ignored: the file name is the name of the hook',
  handler: 'handler is ignored: the file name is the name of the hook',
};

/** Without an event there is a message of its own. */
const FILE_FIELDS = { ...HOOK_FIELDS, event: optional(HOOK_FIELDS.event) };
type HookFields = Fields<typeof FILE_FIELDS>;

const LISTED_FIELDS = { ...LISTED_HOOK_FIELDS, event: FILE_FIELDS.event };

/** A word is one of three; only what cannot be a word is an expression. */
const WORD = { on_error: optional(oneOf('', ON_ERROR)) };
const EXPRESSION = { on_error: optional(text('')) };
/** For hooks in lists and for those in files, by what their `on_error` is. */
const TABLES = [LISTED_FIELDS, FILE_FIELDS].map((fields): readonly (typeof FILE_FIELDS)[] => [
  { ...fields, ...WORD },
  { ...fields, ...EXPRESSION },
]);

function fieldsFor(map: MapNode, listed: boolean): typeof FILE_FIELDS {
  const isExpression = /\W/.test(textAt(map, 'on_error')?.trim() ?? '');
  return TABLES[listed ? 0 : 1]![isExpression ? 1 : 0]!;
}

const HANDLER_IS_NAME: Misplaced = { name: 'name is ignored: a hook in a list is named by its handler' };

export interface BuildOptions {
  /** Count which lines run. */
  readonly coverage?: boolean;
  /** Looks into scripts for what can be known before they run. What it finds is told, and changes no hook. */
  readonly check?: ScriptCheck;
  /** What scripts may load. */
  readonly library?: Library | null;
  /** Tests are read when somebody asks for them: a mistake in them then breaks no hook. */
  readonly lateTests?: boolean;
}

/** `index` is the hook's place among all hooks loaded, which some messages name. */
export async function buildHook(draft: Draft, index: number, options: BuildOptions = {}): Promise<BuiltHook> {
  const { artifact, map } = draft;
  const { report } = artifact;
  if (map === null) return { broken: brokenBy(draft, draft.problem ?? report.firstError()), tests: none };

  const before = report.problems.length;
  const listed = draft.kind !== 'file';
  const fields: HookFields = checkFields(
    map,
    fieldsFor(map, listed),
    { report, parsing: artifact.parsing, path: draft.path },
    listed ? HANDLER_IS_NAME : FILE_NAME_IS_NAME,
  );
  const subscription = resolveSubscription(draft, fields, index);
  const { priority = 0, mode = 'enforce', on_error, on_when_error, timeout_ms, state_group } = fields.data;
  const stated = map.entries.get('priority')?.value;
  if (stated === undefined || (stated.kind === 'scalar' && stated.value === null)) {
    report.warning(
      'PRIORITY_MISSING',
      `hook "${draft.name}" states no priority: it has 0 and runs first`,
      map.start,
    );
  }
  const condition = buildCondition(draft, fields, subscription ?? {});
  const failureMode = buildFailureMode(draft, fields);
  checkTests(draft, fields);
  const built = await buildBody(draft, fields, subscription?.names, options);

  if (report.failedSince(before) || draft.problem !== undefined || subscription === null) {
    const problem = draft.problem ?? report.firstError(before);
    const known = { event: subscription?.event ?? null, priority, mode };
    return { broken: { ...brokenBy(draft, problem), ...known }, tests: none };
  }
  const { event } = subscription;
  if (options.check !== undefined) checkScripts(draft, fields, event, options.check, options.library);
  const description = fields.data.description ?? (listed ? undefined : firstSentence(artifact.body));
  const hook: Hook = {
    name: draft.name,
    event,
    ...(subscription.names.written !== event && { writtenEvent: subscription.names.written }),
    ...(subscription.parameter !== undefined && { threshold: subscription.parameter.value }),
    priority,
    source: artifact.path,
    position: draft.position,
    line: report.lineOf(map.start),
    ...(description !== undefined && { description }),
    written: listed
      ? writtenAs(fields.data.priority ?? null, map)
      : writtenIn(report.source, fields.data.priority ?? null),
    ...(readsPolicy(fields.data.script ?? '') && { readsPolicy: true as const }),
    frontEnd: markdownFrontEnd,
    origin: 'project',
    ...(state_group !== undefined && { stateGroup: state_group }),
    mode,
    // Until it is asked, an expression counts as the strictest word it could give.
    onError:
      failureMode !== null ? 'block' : ((on_error as Hook['onError']) ?? (isGate(event) ? 'block' : 'allow')),
    ...(failureMode !== null && { failureMode }),
    onWhenError: on_when_error ?? 'skip',
    explicit: { onError: on_error !== undefined, onWhenError: on_when_error !== undefined },
    timeoutMs: timeout_ms ?? DEFAULT_TIMEOUT_MS,
    condition,
    body: built?.body ?? null,
    ...(built?.covered !== undefined && { covered: built.covered }),
  };
  if (artifact.whole !== undefined) return { hook, tests: () => lateTests(draft, event) };
  const tests = testsOf(draft, fields, event);
  return { hook, tests: () => ({ tests, problems: [] }) };
}

const none = () => ({ tests: [], problems: [] });

/** All else in the file was found to be right before, so that what is wrong now is in the tests. */
function lateTests(draft: Draft, event: string): HookTests {
  const artifact = draft.artifact.whole!();
  const { map, report, parsing } = artifact;
  const whole = { ...draft, artifact };
  const fields =
    map === null ? null : checkFields(map, fieldsFor(map, false), { report, parsing, path: draft.path });
  if (fields !== null) checkTests(whole, fields);
  const problems = report.problems.filter(({ severity }) => severity === 'error');
  return { tests: fields === null || problems.length > 0 ? [] : testsOf(whole, fields, event), problems };
}

/** Made apart from all else that is known while a hook is built: it lives as long as the hook. */
function writtenAs(priority: number | null, map: MapNode): NonNullable<Hook['written']> {
  return () => ({ priority, frontMatter: toData(map) as JsonObject, body: '' });
}

/** What its author wrote, parsed again on request: a tree takes many times the room of its text. */
function writtenIn({ name, text }: SourceFile, priority: number | null): NonNullable<Hook['written']> {
  return () => {
    const { map, body } = parseArtifact(name, { ok: true, text }, { noun: 'hook' });
    return { priority, frontMatter: map === null ? {} : (toData(map) as JsonObject), body: body.trim() };
  };
}

interface Subscription {
  readonly event: string;
  readonly parameter?: EventParameter;
  readonly names: EventNames;
}

function resolveSubscription(draft: Draft, fields: HookFields, index: number): Subscription | null {
  const { report } = draft.artifact;
  const entry = fields.map.entries.get('event');
  const given = entry?.value.kind === 'scalar' ? entry.value.value : undefined;
  if (entry === undefined || given === null || (typeof given === 'string' && given.trim() === '')) {
    const message = `hook ${JSON.stringify(draft.name)}: event field is required in frontmatter`;
    report.error('FIELD_MISSING', message, fields.offset('event'));
    return null;
  }
  const written = fields.data.event;
  if (written === undefined) return null;
  const resolved = resolveEvent(written);
  if (resolved.ok) return { ...resolved, names: { canonical: resolved.event, written: written.trim() } };
  report.error('EVENT_UNKNOWN', `hooks[${index}].${resolved.message}${resolved.hint}`, entry.value.start);
  return null;
}

function buildFailureMode(draft: Draft, fields: HookFields): FailureMode | null {
  const { report } = draft.artifact;
  const written = fields.scalar('on_error');
  if (written === undefined || !/\W/.test(String(written.value).trim())) return null;
  const compiled = compileChoice(embeddedExpression(report.source, written), 'on_error');
  if (compiled.ok) return { text: String(written.value).trim(), choose: compiled.choose };
  for (const { message, position } of compiled.mistakes) report.at('WHEN_INVALID', message, position);
  return null;
}

function buildCondition(
  draft: Draft,
  fields: HookFields,
  { parameter, names }: Partial<Subscription>,
): Condition | null {
  const { report } = draft.artifact;
  const parts: Condition[] = [];
  const when = fields.scalar('when');
  if (when !== undefined && String(when.value).trim() !== '') {
    const compiled = compileCondition(embeddedExpression(report.source, when), 'when', names);
    if (compiled.ok) parts.push(compiled.condition);
    else for (const { message, position } of compiled.mistakes) report.at('WHEN_INVALID', message, position);
  }
  if (parameter !== undefined) parts.push(atLeast(parameter));
  if (draft.condition !== undefined) parts.push(draft.condition);
  return allOf(parts);
}

async function buildBody(
  draft: Draft,
  fields: HookFields,
  names: EventNames | undefined,
  options: BuildOptions,
): Promise<Extract<CompiledScript, { readonly ok: true }> | null> {
  const { report } = draft.artifact;
  const script = fields.scalar('script');
  if (script === undefined || String(script.value).trim() === '') {
    // A script of the wrong type has been reported; a missing one is a placeholder, and worth a word.
    if (script !== undefined || (fields.map.entries.get('script')?.value.kind ?? 'scalar') === 'scalar') {
      const message = `hook "${draft.name}" has no script: it is a placeholder that allows everything`;
      report.warning('HOOK_WITHOUT_SCRIPT', message, fields.offset('script'));
    }
    return null;
  }
  const compiled = await compileScript(embeddedSource(report.source, script), names, options);
  if (compiled.ok) return compiled;
  for (const { message, position } of compiled.mistakes) report.at(compiled.code, message, position);
  return null;
}

function checkScripts(
  draft: Draft,
  fields: HookFields,
  event: string,
  check: ScriptCheck,
  library: Library | null = null,
): void {
  const { report } = draft.artifact;
  const hook = { file: report.source, event, hook: draft.name, library };
  const when = fields.scalar('when');
  const script = fields.scalar('script');
  const found = [
    ...(when === undefined || String(when.value).trim() === ''
      ? []
      : check({
          ...hook,
          kind: 'condition',
          source: embeddedExpression(report.source, when),
          environment: CONDITION_ENVIRONMENT,
        })),
    ...(script === undefined
      ? []
      : check({
          ...hook,
          kind: 'handler',
          source: embeddedSource(report.source, script),
          environment: HOOK_BUILTINS,
          entry: HOOK_SCRIPT.entry,
        })),
  ];
  for (const { code, message, position, severity } of found) report.at(code, message, position, severity);
}

/** A case that expects nothing would pass whatever the hook does. */
function checkTests({ artifact, path }: Draft, fields: HookFields): void {
  const { report, parsing } = artifact;
  const places = fields.list('tests')?.items ?? [];
  for (const [at, { expect, steps }] of (fields.data.tests ?? []).entries()) {
    if (expect !== undefined || steps?.some((step) => step.expect !== undefined) === true) continue;
    const { start } = places[at]!;
    report.error(
      'FIELD_MISSING',
      report.inYaml(parsing, `${path}tests[${at}].expect is required`, start),
      start,
    );
  }
}

function testsOf(draft: Draft, fields: HookFields, event: string): HookTest[] {
  const { report, path } = draft.artifact;
  const places = fields.list('tests')?.items ?? [];
  return (fields.data.tests ?? []).map((written, i) => ({
    hook: draft.name,
    event,
    source: path,
    line: report.lineOf(places[i]!.start),
    stepLines: stepLines(places[i]!, report),
    written,
  }));
}

function brokenBy(draft: Draft, problem: Problem): BrokenHook {
  const { name, position, artifact } = draft;
  const unknown = { event: null, priority: 0, mode: 'enforce' } as const;
  return { ...unknown, name, source: artifact.path, position, frontEnd: markdownFrontEnd.name, problem };
}
