/**
 * `harness validate --target`: for each hook and each agent named, what becomes of what the hook says there.
 */
import type { Adapter } from '../adapters/adapter.ts';
import { type Action, type OnTarget, onTarget } from '../adapters/on-target.ts';
import { requireEvent } from '../events/describe.ts';
import type { Hook } from '../hooks/hook.ts';
import { isBuiltIn } from '../hooks/layer.ts';
import type { Policy } from '../policy/policy.ts';
import { namedAgents } from './agents-place.ts';
import { shownName } from './hooks.ts';
import type { Output } from './output.ts';
import { countOf } from './problems.ts';
import { alignColumns } from './table.ts';

export interface TargetReport {
  readonly agent: string;
  readonly title: string;
  /** Versions that the agent's table was seen to hold for. */
  readonly versions: readonly string[];
  readonly hooks: readonly (OnTarget & {
    readonly hook: string;
    readonly event: string;
    readonly source: string;
  })[];
  /** How many hooks say something that does not hold there. */
  readonly lost: number;
}

export async function targetsOf(names: string): Promise<readonly Adapter[]> {
  const named = await namedAgents(names.split(',').map((name) => name.trim()));
  return named.map(({ adapter }) => adapter);
}

export function reportOn(adapter: Adapter, { registry }: Policy): TargetReport {
  const own = registry.list().filter((hook) => !isBuiltIn(hook));
  const hooks = own.map((hook) => ({
    hook: shownName(hook),
    event: hook.event,
    source: hook.source,
    ...onTarget(adapter, { event: hook.event, actions: actionsOf(hook) }),
  }));
  const { agent, title, versions } = adapter;
  return { agent, title, versions, hooks, lost: hooks.filter(({ lost }) => lost.length > 0).length };
}

const ACTIONS: readonly Action[] = ['block', 'ask', 'modify'];

/** What its script says; all that its event honours if there is no script to look into. */
function actionsOf(hook: Hook): readonly Action[] {
  const { honours } = requireEvent(hook.event);
  const may = ACTIONS.filter((action) => honours[action] !== false && honours[action] !== 'none');
  if (hook.body === null || hook.mode !== 'enforce') return [];
  if (hook.covered === undefined) return may;
  const said = new Set(hook.covered.decisions.map(({ action }) => action));
  return may.filter((action) => said.has(action));
}

export function printTarget({ agent, title, versions, hooks, lost }: TargetReport, output: Output): void {
  const seen = versions.length === 0 ? 'not run, from its documentation' : `seen with ${versions.join(', ')}`;
  output.line(`${output.paint('bold', agent)}  ${output.paint('dim', `${title}, ${seen}`)}`);
  const rows = hooks.map(({ hook, event, degrades, lost: gone }) => {
    const style = gone.length > 0 ? 'red' : degrades.length > 0 ? 'yellow' : 'green';
    const text = [...gone, ...degrades].join('; ') || 'holds';
    return [{ text: hook, style: 'cyan' as const }, { text: event }, { text, style } as const];
  });
  for (const line of alignColumns(rows, output.paint)) output.line(`  ${line}`);
  if (lost > 0)
    output.line(
      `  ${output.paint('red', `${countOf(lost, 'hook')} not held: neither as written nor by a stricter answer`)}`,
    );
  output.line();
}
