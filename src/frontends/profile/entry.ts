/**
 * One entry of agent.json into a hook. An entry that cannot be understood leaves its mistakes in the report and becomes a
 * hook that fails: one that guards blocks, one that only watches lets go on.
 */
import { didYouMean, HarnessError, type Problem, type Tree } from '../../base/index.ts';
import type { Body, Hook } from '../../engine/index.ts';
import { checkFields, describe, JSON_FILE } from '../../files/index.ts';
import type { Action, ActionParts, ActionScope } from './actions/action.ts';
import { approve } from './actions/approve.ts';
import { command } from './actions/command.ts';
import { log } from './actions/log.ts';
import { saveJson } from './actions/save-json.ts';
import { webhook } from './actions/webhook.ts';
import { disabledBy } from './operator.ts';
import { ActionReply, profileFrontEnd } from './profile-front-end.ts';
import { ACTION_NAMES, ACTIONS, type ActionName } from './schema.ts';

export interface EntryScope extends Omit<ActionScope, 'fields' | 'place'> {
  readonly position: number;
}

const MAKERS: { readonly [A in ActionName]: Action<A> } = {
  log,
  webhook,
  save_json: saveJson,
  approve,
  command,
};

export async function readEntry(node: Tree, scope: EntryScope): Promise<Hook> {
  const { report, path } = scope;
  const before = report.problems.length;
  const action = actionOf(node, scope);
  if (node.kind !== 'map' || action === null) return failing(node, scope, null, report.firstError(before));
  const fields = checkFields(node, ACTIONS[action].fields, { report, path: `${path}.`, dialect: JSON_FILE });
  const make = MAKERS[action] as Action;
  const place = `${report.source.name}:${report.lineOf(node.start)}`;
  const parts = fields.broken ? null : await make({ ...scope, place, fields });
  if (parts === null || fields.broken) return failing(node, scope, action, report.firstError(before));
  return hookOf(node, scope, action, parts);
}

function actionOf(node: Tree, { report, path }: EntryScope): ActionName | null {
  if (node.kind !== 'map') {
    report.error('FIELD_TYPE', `${path}: wanted an object, got ${describe(node, JSON_FILE)}`, node.start);
    return null;
  }
  const given = node.entries.get('action')?.value;
  const names = ACTION_NAMES.join(', ');
  if (given === undefined) {
    report.error('FIELD_MISSING', `${path}.action: is missing: wanted one of ${names}`, node.start);
    return null;
  }
  const said = given.kind === 'scalar' ? given.value : undefined;
  if (typeof said === 'string' && Object.hasOwn(ACTIONS, said)) return said as ActionName;
  const got = describe(given, JSON_FILE);
  const hint = typeof said === 'string' ? didYouMean(said, ACTION_NAMES) : '';
  const why = REWRITES.has(String(said)) ? ': a profile may watch, guard and ask, never rewrite' : '';
  report.error('HOOK_CONFIG', `${path}.action: wanted one of ${names}, got ${got}${hint}${why}`, given.start);
  return null;
}

/** What people call the one thing a profile must not do. */
const REWRITES = new Set(['modify', 'rewrite', 'transform', 'replace', 'mutate', 'update', 'set']);

function hookOf(node: Tree, scope: EntryScope, action: ActionName | null, parts: ActionParts): Hook {
  const { report, path, event, position, machine } = scope;
  const off = disabledBy(machine);
  return {
    name: action === null ? path : `${path}:${action}`,
    event,
    priority: 0,
    source: report.source.name,
    position,
    line: report.lineOf(node.start),
    description: off === null ? parts.description : `Disabled by ${off}=1. ${parts.description}`,
    frontEnd: profileFrontEnd,
    origin: 'profile',
    mode: 'enforce',
    ...(action !== null && ACTIONS[action].observes && { watches: true as const }),
    onError: action !== null && ACTIONS[action].observes ? 'allow' : 'block',
    onWhenError: parts.condition === null ? 'skip' : 'block',
    timeoutMs: parts.timeoutMs,
    condition: parts.condition,
    ...(parts.capability !== undefined && { capability: parts.capability }),
    body: unlessDisabled(parts.body),
  };
}

/** The switch is looked at for each call, through the host, and says in the trace that it was used. */
function unlessDisabled(body: Body): Body {
  return (seen, call) => {
    const off = disabledBy(call.host);
    if (off === null) return body(seen, call);
    const warning = `disabled by ${off}=1: the hook did nothing`;
    return new ActionReply({ decision: { action: 'allow' }, warnings: [warning] });
  };
}

function failing(node: Tree, scope: EntryScope, action: ActionName | null, problem: Problem): Hook {
  const message = `not loaded: ${scope.report.source.name}:${problem.position?.line ?? 1}: ${problem.message}`;
  return hookOf(node, scope, action, {
    description: `Could not be loaded: ${problem.message}`,
    timeoutMs: 1000,
    condition: null,
    body: () => {
      throw new HarnessError('HOOK_NOT_LOADED', message);
    },
  });
}
