/**
 * `harness validate --target`: for each hook and each agent named, what becomes of what the hook says there.
 */
import {
  type Action,
  type Adapter,
  ALL_AGENTS,
  dirPlace,
  matchabilityOfNames,
  namedAgents,
  type TargetSupport,
  type ToolMatchability,
  targetSupport,
  textOnDisk,
  toolMatchability,
} from '../agents/index.ts';
import type { Problem } from '../base/index.ts';
import { type Hook, isBuiltIn, requireEvent } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';
import { alignColumns, countOf, type Output, shownName } from '../terminal/index.ts';

interface HookReport extends TargetSupport, ToolMatchability {
  readonly hook: string;
  readonly event: string;
  readonly source: string;
  readonly line: number | null;
}

export interface TargetReport {
  readonly agent: string;
  readonly title: string;
  /** Versions that the agent's table was seen to hold for. */
  readonly versions: readonly string[];
  readonly hooks: readonly HookReport[];
  /** Rows of tables of permissions that name no tool the agent is known to have. */
  readonly rows: readonly (ToolMatchability & {
    readonly row: string;
    readonly source: string;
    readonly line: number;
  })[];
  /** How many hooks say something that does not hold there. */
  readonly lost: number;
  /** How many hooks and rows hold for no tool that the agent has. */
  readonly never: number;
}

export function targetsOf(names: string): readonly Adapter[] {
  const named = namedAgents(names.split(',').map((name) => name.trim()));
  return named.map(({ adapter }) => adapter);
}

/** `tools`: names of tools that the policy itself has. A hook may be for those, and for no agent. */
export function reportOn(
  adapter: Adapter,
  { registry, layers }: Policy,
  tools: ReadonlySet<string>,
): TargetReport {
  const own = registry.list().filter((hook) => !isBuiltIn(hook));
  const hooks = own.map((hook) => reportOnHook(adapter, hook, tools));
  const rows = permissionRows(layers).flatMap(({ names, ...about }) => {
    const reach = matchabilityOfNames(adapter, names, tools);
    return reach.never === null && reach.unknown === null ? [] : [{ ...about, ...reach }];
  });
  const { agent, title, versions } = adapter;
  const lost = hooks.filter((hook) => hook.lost.length > 0).length;
  const never = [...hooks, ...rows].filter((each) => each.never !== null).length;
  return { agent, title, versions, hooks, rows, lost, never };
}

function reportOnHook(adapter: Adapter, hook: Hook, tools: ReadonlySet<string>): HookReport {
  return {
    hook: shownName(hook),
    event: hook.event,
    source: hook.source,
    line: hook.line ?? null,
    ...targetSupport(adapter, { event: hook.event, actions: actionsOf(hook) }),
    ...toolMatchability(adapter, isAboutTools(hook) ? hook.condition?.indexable : undefined, tools),
  };
}

/** Whether a hook can ever run in an agent, and why not, in words. */
export function runsIn(
  adapter: Adapter,
  hook: Hook,
  tools: ReadonlySet<string>,
): {
  readonly agent: string;
  readonly runs: boolean;
  readonly natives: readonly string[];
  readonly why: string | null;
} {
  const { natives, never, unknown } = reportOnHook(adapter, hook, tools);
  const silent = natives.length === 0 ? `${hook.event} does not fire there` : null;
  const why = never ?? silent ?? unknown;
  return { agent: adapter.agent, runs: never === null && silent === null, natives, why };
}

/** Rules and command guards of the tables of permissions, with the tools each names. */
export function permissionRows(layers: Policy['layers']) {
  return layers
    .flatMap(({ project }) => project.settings.permissions)
    .flatMap(({ file, line, table }) =>
      (['rules', 'policies'] as const).flatMap((list) =>
        (table?.[list] ?? []).map(({ tools }, at) => ({
          row: `permissions.${list}[${at}]`,
          source: file,
          line,
          names: [tools].flat(),
        })),
      ),
    );
}

/** A guard that no call of the agent can meet is off there, whatever its tests say. */
export function neverMatching({ hooks, rows }: TargetReport): Problem[] {
  const named = [
    ...hooks.map(({ hook, ...about }) => ({ ...about, what: `hook ${JSON.stringify(hook)} never runs` })),
    ...rows.map(({ row, ...about }) => ({ ...about, what: `${row} never applies` })),
  ];
  return named.flatMap(({ what, source, line, never }): Problem[] => {
    if (never === null) return [];
    const position = line === null ? null : { file: source, line, col: 1 };
    return [{ severity: 'error', code: 'TOOL_UNKNOWN', message: `${what}: ${never}`, position }];
  });
}

/** A hook that no call of any of these agents can meet. */
export interface IdleHook {
  readonly hook: string;
  readonly event: string;
  readonly source: string;
  readonly line: number | null;
  /** Its condition names no tool that they have; otherwise its event does not fire in them. */
  readonly byName: boolean;
  readonly why: string;
}

export function idleHooks(
  adapters: readonly Adapter[],
  policy: Policy,
  tools: ReadonlySet<string>,
): IdleHook[] {
  const [first, ...others] = adapters.map((adapter) => reportOn(adapter, policy, tools).hooks);
  return (first ?? []).flatMap((hook, at): IdleHook[] => {
    const everywhere = [hook, ...others.map((hooks) => hooks[at]!)];
    const reasons = everywhere.map(({ never, natives }) => never ?? (natives.length === 0 ? '' : null));
    if (reasons.includes(null)) return [];
    const byName = reasons.find((reason) => reason !== '');
    const titles = adapters.map(({ title }) => title).join(', ');
    const why = byName ?? `${hook.event} does not fire in ${titles}`;
    const { hook: name, event, source, line } = hook;
    return [{ hook: name, event, source, line, byName: byName !== undefined, why }];
  });
}

/** The agents that the policy of a folder is registered with. */
export function installedIn(dir: string): readonly Adapter[] {
  const place = dirPlace(dir);
  return ALL_AGENTS.filter(({ installer }) => installer.registered(place, textOnDisk).length > 0).map(
    ({ adapter }) => adapter,
  );
}

/** The same as warnings, of what no agent that is installed can meet. */
export function idleProblems(
  adapters: readonly Adapter[],
  policy: Policy,
  tools: ReadonlySet<string>,
): Problem[] {
  return idleHooks(adapters, policy, tools).flatMap(({ hook, source, line, byName, why }): Problem[] => {
    if (!byName) return [];
    const position = line === null ? null : { file: source, line, col: 1 };
    const message = `hook ${JSON.stringify(hook)} never runs: ${why}`;
    return [{ severity: 'warning', code: 'TOOL_UNKNOWN', message, position }];
  });
}

/** Other events are indexed by names of other things. */
export function isAboutTools({ event }: Hook): boolean {
  return /^(?:tool|permission)\./.test(event);
}

const ACTIONS = ['block', 'ask', 'modify'] as const;

/** What its script says; all that its event honours if there is no script to look into. */
function actionsOf(hook: Hook): readonly Action[] {
  const { honours, unheard } = requireEvent(hook.event);
  const may = ACTIONS.filter((action) => honours[action] !== false && honours[action] !== 'none');
  if (hook.body === null || hook.mode === 'shadow') return [];
  const said = new Set(hook.covered?.decisions.map(({ action }) => action));
  const actions = hook.covered === undefined ? may : may.filter((action) => said.has(action));
  // What it would decide becomes a reminder, which the model reads.
  if (hook.mode === 'warn') return actions.length > 0 || hook.covered?.addsContext ? ['context'] : [];
  return hook.covered?.addsContext && !unheard ? [...actions, 'context'] : actions;
}

export function printTarget(report: TargetReport, output: Output): void {
  const { agent, title, versions, hooks, rows: tables, lost, never } = report;
  const seen = versions.length === 0 ? 'not run, from its documentation' : `seen with ${versions.join(', ')}`;
  output.line(`${output.paint('bold', agent)}  ${output.paint('dim', `${title}, ${seen}`)}`);
  const rows = hooks.map(({ hook, event, degrades, ...said }) => {
    const bad = [said.never, ...said.lost].filter((text) => text !== null);
    const doubtful = [...degrades, said.unknown].filter((text) => text !== null);
    const style = bad.length > 0 ? 'red' : doubtful.length > 0 ? 'yellow' : 'green';
    const text = [...bad, ...doubtful].join('; ') || 'holds';
    return [{ text: hook, style: 'cyan' as const }, { text: event }, { text, style } as const];
  });
  for (const { row, never: no, unknown } of tables) {
    const style = no === null ? 'yellow' : 'red';
    rows.push([{ text: row, style: 'cyan' }, { text: 'tool.pre' }, { text: no ?? unknown ?? '', style }]);
  }
  for (const line of alignColumns(rows, output.paint)) output.line(`  ${line}`);
  if (lost > 0) output.line(`  ${output.paint('red', `${countOf(lost, 'hook')} cannot be enforced here`)}`);
  if (never > 0) output.line(`  ${output.paint('red', `${countOf(never, 'hook')} can never match here`)}`);
  output.line();
}
