/**
 * One entry of settings.json into hooks: a script with a `path`, or a group of commands behind one matcher. An entry
 * that cannot be understood gives null and leaves its mistakes in the report.
 */
import { basename, extname } from 'node:path';
import {
  type ErrorCode,
  HarnessError,
  type Json,
  type MapNode,
  type Tree,
  textAt,
  toData,
} from '../../base/index.ts';
import { type Body, type Condition, type FrontEnd, type Hook, resolveEvent } from '../../engine/index.ts';
import {
  checkFields,
  describe,
  type Fields,
  type FileReport,
  type FolderSnapshot,
  JSON_FILE,
  type Scope,
} from '../../files/index.ts';
import { machineHost, type Program, planScript, thisMachine } from '../../machine/index.ts';
import type { Capability } from '../capability.ts';
import { commandBody } from '../command/body.ts';
import { readCommandLine } from '../command/command-line.ts';
import { exit2 } from '../command/contract.ts';
import { programCapability } from '../command/program-capability.ts';
import type { HookFile } from '../hook-file.ts';
import type { SettingsEvent } from './events.ts';
import { readHeader } from './header.ts';
import { type Matcher, objectMatcher, stringMatcher } from './matcher.ts';
import {
  COMMAND_TIMEOUT_S,
  ENTRY_FIELDS,
  FOREIGN_TYPES,
  GROUP_FIELDS,
  HANDLER_FIELDS,
  PATH_TIMEOUT_MS,
} from './schema.ts';
import { nestedFrontEnd, settingsFrontEnd } from './settings-front-end.ts';
import { asMatched } from './tool-names.ts';

export interface EntryScope {
  /** Absolute. */
  readonly dir: string;
  readonly snapshot: FolderSnapshot;
  readonly file: HookFile;
  readonly report: FileReport;
  readonly row: SettingsEvent;
  /** `hooks.PreToolUse[0]` */
  readonly path: string;
  /** Told of each script, which is part of the policy as much as the file that names it. */
  readonly names: (script: string) => void;
}

export async function readEntry(node: Tree, scope: EntryScope): Promise<Hook[] | null> {
  const { report, path } = scope;
  if (node.kind !== 'map') {
    report.error('FIELD_TYPE', `${path}: wanted an object, got ${describe(node, JSON_FILE)}`, node.start);
    return null;
  }
  const [hasPath, hasHooks] = [node.entries.has('path'), node.entries.has('hooks')];
  if (hasPath && hasHooks) {
    report.error('FIELD_TYPE', `${path}: has both path and hooks; make two entries of it`, node.start);
    return null;
  }
  if (!hasPath && !hasHooks && node.entries.has('command')) {
    const message = `${path}: a command belongs into a list: {"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}`;
    report.error('FIELD_MISSING', message, node.start);
    return null;
  }
  return hasHooks ? readGroup(node, scope) : readScript(node, scope);
}

async function readScript(map: MapNode, scope: EntryScope): Promise<Hook[] | null> {
  const { dir, snapshot, report, row, path } = scope;
  const fields = checkFields(map, ENTRY_FIELDS, inFile(scope));
  const matcher = await readMatcher(fields, scope);
  if (fields.broken || matcher === null) return null;
  const script = fields.data.path!;
  const offset = fields.get('path')!.start;
  scope.names(script);
  // The hook stays: its own policy says what a script that cannot run means, and the script may yet be repaired.
  const plan = await planScript(dir, script, thisMachine(machineHost.env));
  if (!plan.ok) report.error(plan.code, `${path}.path: ${plan.message}`, offset);
  const header = readHeader(snapshot.content(script));
  const name = basename(script, extname(script));
  if (header.event !== undefined && !namesEvent(header.event, row)) {
    const message = `${path}: the header of ${script} says it is for ${header.event}, but it is registered for ${row.name}`;
    report.warning('HEADER_MISMATCH', message, offset);
  }
  return [
    hookOf(map, scope, {
      name: scope.file.nameFor(name, row.event),
      frontEnd: settingsFrontEnd,
      description: header.description,
      timeoutMs: fields.data.timeout ?? PATH_TIMEOUT_MS,
      condition: matcher.condition,
      ...running({ script }, scope, map, matcher),
    }),
  ];
}

/** The first word is the event; people write more behind it. */
function namesEvent(written: string, row: SettingsEvent): boolean {
  const resolved = resolveEvent(written.trim().split(/\s+/)[0] ?? '');
  return resolved.ok && resolved.event === row.event;
}

async function readGroup(map: MapNode, scope: EntryScope): Promise<Hook[] | null> {
  const { path } = scope;
  const fields = checkFields(map, GROUP_FIELDS, inFile(scope));
  const matcher = await readMatcher(fields, scope);
  const list = fields.list('hooks');
  if (fields.broken || matcher === null || list === undefined) return null;
  const hooks: Hook[] = [];
  for (const [index, node] of list.items.entries()) {
    const hook = await readHandler(node, { ...scope, path: `${path}.hooks[${index}]` }, matcher);
    // One bad command makes the group a stand-in: which guard it was meant to be is anybody's guess.
    if (hook === null) return null;
    hooks.push(hook);
  }
  return hooks;
}

async function readHandler(node: Tree, scope: EntryScope, matcher: Understood): Promise<Hook | null> {
  const { dir, report, path } = scope;
  if (node.kind !== 'map') {
    report.error('FIELD_TYPE', `${path}: wanted an object, got ${describe(node, JSON_FILE)}`, node.start);
    return null;
  }
  const kind = textAt(node, 'type') ?? 'command';
  const common = {
    name: path.replace(/^hooks\./, ''),
    frontEnd: nestedFrontEnd,
    condition: matcher.condition,
  };
  if (FOREIGN_TYPES.includes(kind)) {
    const message = `${path}: hooks of type ${kind} are not run here`;
    report.error('HANDLER_UNSUPPORTED', message, node.entries.get('type')!.value.start);
    const body = failing('HANDLER_UNSUPPORTED', message);
    return hookOf(node, scope, { ...common, description: message, timeoutMs: PATH_TIMEOUT_MS, body });
  }
  const fields = checkFields(node, HANDLER_FIELDS, inFile(scope));
  if (fields.broken) return null;
  const { command = '', args, timeout = COMMAND_TIMEOUT_S } = fields.data;
  const { program, problem } = await readCommandLine(command, args, dir, thisMachine(machineHost.env));
  if (problem !== null)
    report.error(problem.code, `${path}.command: ${problem.message}`, fields.get('command')!.start);
  return hookOf(node, scope, {
    ...common,
    description: fields.data.description ?? [command, ...(args ?? [])].join(' ').replace(/\s+/g, ' '),
    timeoutMs: timeout * 1000,
    ...running(program, scope, node, matcher),
  });
}

function inFile({ report, path }: EntryScope): Scope {
  return { report, path: `${path}.`, dialect: JSON_FILE };
}

type Understood = Matcher & { readonly ok: true };

/** Null if it cannot be understood. */
async function readMatcher(
  fields: Fields<Pick<typeof ENTRY_FIELDS, 'matcher'>>,
  { row, report, path }: EntryScope,
): Promise<Understood | null> {
  const node = fields.get('matcher');
  if (node === undefined) return { ok: true, condition: null };
  const matcher =
    node.kind === 'map' ? objectMatcher(node, row) : await stringMatcher(String(toData(node)), row);
  if (!matcher.ok) {
    fields.wrong('MATCHER_INVALID', `${path}.matcher: ${matcher.message}`, matcher.offset ?? node.start);
    return null;
  }
  if (matcher.warning !== undefined) {
    report.warning('MATCHER_INVALID', `${path}.matcher: ${matcher.warning}`, node.start);
  }
  return matcher;
}

interface Parts {
  readonly name: string;
  readonly frontEnd: FrontEnd;
  readonly description: string | undefined;
  readonly timeoutMs: number;
  readonly condition: Condition | null;
  readonly body: Body;
  readonly capability?: Capability;
}

function hookOf(map: MapNode, scope: EntryScope, { description, ...parts }: Parts): Hook {
  const { report, row } = scope;
  const onError = textAt(map, 'on_error') as Hook['onError'] | undefined;
  return {
    ...parts,
    event: row.event,
    priority: 0,
    source: report.source.name,
    position: scope.file.place(),
    line: report.lineOf(map.start),
    ...(description !== undefined && { description }),
    origin: 'project',
    mode: (textAt(map, 'mode') as Hook['mode'] | undefined) ?? 'enforce',
    // Fail open, as the specification of these files says; the failure is in the trace and in a counter.
    onError: onError ?? (textAt(map, 'onFailure') === 'block' ? 'block' : 'allow'),
    onWhenError: 'skip',
    explicit: { onError: onError !== undefined || textAt(map, 'onFailure') !== undefined },
  };
}

function running(
  program: Program,
  { dir, snapshot, report }: EntryScope,
  at: MapNode,
  { tools }: Understood,
): { readonly body: Body; readonly capability: Capability } {
  // The second name is the one that scripts written for other agents look for.
  const env = { HARNESS_PROJECT_DIR: dir, CLAUDE_PROJECT_DIR: dir };
  const source = `${report.source.name}:${report.lineOf(at.start)}`;
  const body = commandBody({ contract: exit2, program, cwd: dir, env });
  return {
    body:
      tools === undefined
        ? body
        : (seen, call) => body(asMatched(seen as Json, tools, call.toolNames ?? null), call),
    capability: programCapability(snapshot, dir, program, source),
  };
}

function failing(code: ErrorCode, message: string): Body {
  return () => {
    throw new HarnessError(code, message);
  };
}
