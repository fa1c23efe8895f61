/**
 * Packs as hooks: one for each pack that a layer uses, on `tool.pre`, or on `meta.register_tool` where its rules look at tools that are
 * offered, and one more in shadow for its rules in audit. What a call does is read once and shared by all of them.
 */
import { isJsonObject, type JsonObject } from '../base/index.ts';
import {
  type Body,
  describeThrown,
  type Effect,
  type FrontEnd,
  failure,
  type Hook,
  type HookCall,
  hostFolder,
  locateCall,
  type Reply,
} from '../engine/index.ts';
import { denyText } from './deny-text.ts';
import { type Exception, isExcepted } from './exceptions.ts';
import type { Rule, RuleMatch } from './pack.ts';
import { SEVERITIES } from './shape.ts';
import { shippedShared } from './shipped.ts';
import { CALL, OFFER, type ToolCall, viewToolCall } from './tool-call.ts';
import { hookMode, type UsedPack, type UseMode } from './use.ts';

const ALLOW: Reply = { decision: { action: 'allow' } };
/** Behind what people wrote themselves, so that their reason is the one that is told; before hooks that shape. */
export const PACK_PRIORITY = 35;
const TIMEOUT_MS = 5000;

export const packsFrontEnd: FrontEnd = {
  name: 'packs',
  powers: { modify: false },
  view: (event, payload, { session }) => {
    const call = isJsonObject(payload) ? payload : {};
    const { workspace, workspaces = [] } = locateCall(call, session) ?? {};
    const roots = workspace === undefined ? [] : [workspace, ...workspaces];
    const looked = viewToolCall(event, payload, hostFolder(call, session), shippedShared(), roots);
    return looked && { looked, id: String(call.id ?? '') };
  },
  interpret: (returned) => returned as Reply,
  explain: (thrown) => failure('error', `the packs of rules failed: ${describeThrown(thrown)}`),
};

/** Of the call; empty: the host names none. */
interface ViewedCall {
  readonly looked: ToolCall;
  readonly id: string;
}

export interface PackPlace {
  readonly file: string;
  readonly line: number;
  readonly position: number;
}

export function packHooks(used: UsedPack, exceptions: readonly Exception[], place: PackPlace): Hook[] {
  const { pack } = used;
  const { calls, offers } = pack.index.looksAt;
  // One that looks at nothing is in the chain all the same.
  const events = [...(calls || !offers ? [CALL] : []), ...(offers ? [OFFER] : [])];
  const kinds = [
    { mode: 'enforce', name: `pack:${pack.name}`, rules: rulesIn(used, ['ask', 'enforce']) },
    { mode: 'audit', name: `pack:${pack.name}:audit`, rules: rulesIn(used, ['audit']) },
  ] as const;
  return kinds
    .filter(({ rules }) => rules.size > 0)
    .flatMap(({ mode, name, rules }) =>
      events.map((event) => hookOf({ name, event, rules, mode }, used, exceptions, place)),
    );
}

function rulesIn({ modes }: UsedPack, wanted: readonly UseMode[]): ReadonlySet<Rule> {
  return new Set([...modes].filter(([, mode]) => wanted.includes(mode)).map(([rule]) => rule));
}

interface PackHook {
  readonly name: string;
  readonly event: typeof CALL | typeof OFFER;
  readonly rules: ReadonlySet<Rule>;
  readonly mode: UseMode;
}

function hookOf(
  { name, event, rules, mode }: PackHook,
  used: UsedPack,
  exceptions: readonly Exception[],
  { file, line, position }: PackPlace,
): Hook {
  const own = exceptions.filter(
    ({ rule }) => rule === used.pack.name || used.pack.rules.some((each) => each.name === rule),
  );
  return {
    name,
    event,
    priority: PACK_PRIORITY,
    source: file,
    line,
    position,
    description: `${used.pack.description.replace(/\.$/, '')} (${rules.size} ${rules.size === 1 ? 'rule' : 'rules'}${mode === 'audit' ? ', audit' : ''}).`,
    frontEnd: packsFrontEnd,
    ...(mode === 'audit' && { watches: true as const }),
    origin: 'project',
    mode: hookMode(mode),
    onError: mode === 'audit' ? 'allow' : 'block',
    onWhenError: 'block',
    timeoutMs: TIMEOUT_MS,
    condition: null,
    body: bodyOf(used, rules, own),
  };
}

function bodyOf(used: UsedPack, rules: ReadonlySet<Rule>, exceptions: readonly Exception[]): Body {
  const reply = (call: HookCall, { looked, id }: ViewedCall, matches: readonly RuleMatch[]): Reply => {
    const counting = matches.filter(
      (match) =>
        rules.has(match.rule) &&
        (exceptions.length === 0 ||
          isExcepted(exceptions, match, exceptedFolder(looked), call.host.now()) === null),
    );
    if (counting.length === 0) return used.pack.name === NOTING ? replyWithNotes(looked) : ALLOW;
    const blocking = counting.filter(({ rule }) => actionOf(rule, used.modes.get(rule)) === 'block');
    const action = blocking.length === 0 ? 'ask' : 'block';
    const worst = worstOf(blocking.length === 0 ? counting : blocking);
    if (action === 'ask' && call.hook.mode === 'enforce') endorseOnYes(call, id, counting);
    return {
      decision: { action, reason: denyText(worst, action) },
      site: worst.rule.site,
      effects: [fact(call.hook.name, { rule: worst.rule.name })],
    };
  };
  return (seen, call) => {
    const { looked } = seen as ViewedCall;
    const flows = looked.flows(used.pack, used.pack.index.looksAt.flow ? call.run.origins : null);
    return reply(call, seen as ViewedCall, [...looked.matches(used.pack), ...flows]);
  };
}

/** A yes to the question endorses, for each sink, what it was asked about. */
function endorseOnYes({ run }: HookCall, id: string, matches: readonly RuleMatch[]): void {
  if (id === '') return;
  for (const { finding } of matches) if (finding !== undefined) run.origins?.asked({ call: id, ...finding });
}

/** The pack that judges what cannot be read says so in the trace where it lets such a call pass: never in silence. */
const NOTING = 'core';

function replyWithNotes({ unread }: ToolCall): Reply {
  if (unread.length === 0) return ALLOW;
  return { ...ALLOW, effects: [fact(`pack:${NOTING}`, { unread: [...unread] })] };
}

function fact(hook: string, facts: JsonObject): Effect {
  return { kind: 'annotate', hook, facts };
}

/** Of several, the one to tell: the most severe, and of those the first. */
function worstOf(matches: readonly RuleMatch[]): RuleMatch {
  const rank = ({ rule }: RuleMatch) => SEVERITIES.indexOf(rule.written.severity);
  return matches.reduce((worst, each) => (rank(each) < rank(worst) ? each : worst));
}

/** In audit, what it would do if it were in force. */
export function actionOf({ written }: Rule, mode: UseMode | undefined): 'block' | 'ask' {
  return mode === 'ask' ? 'ask' : written.action;
}

/** Where it runs, for exceptions: only if the call does not name another folder than the host does. */
function exceptedFolder({ cwd, sessionCwd }: ToolCall): string | null {
  return cwd === sessionCwd ? cwd : null;
}
