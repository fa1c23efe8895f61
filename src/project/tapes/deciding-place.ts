/**
 * The line that decided a recorded event. A tape names the hook and its file; the line is found by asking that hook again, as its file
 * stands now, alone and without a machine: looking at a run starts no program and reaches no address.
 */
import { basename, dirname } from 'node:path';
import { type DecisionSite, Engine, type Hook, Registry, RunState } from '../../engine/index.ts';
import { bareHost } from '../../machine/index.ts';
import type { Policy, PolicyHook } from '../../policy/index.ts';
import type { Story } from '../../tape/index.ts';
import { openPolicyAt } from '../../terminal/index.ts';

export interface DecidingPlace {
  readonly file: string;
  /** Null where the hook is gone or its file was changed since. */
  readonly line: number | null;
  /** Whether the hook is what it was; null where that is not known. */
  readonly same: boolean | null;
  /** As it is now. */
  readonly hook: Hook | null;
}

/** The policy that a tape was recorded under, as it stands now: that of the folder the tape lies in, or of this one. */
export function policyOfTape(file: string): Promise<Policy> {
  const folder = dirname(file);
  const dir = basename(dirname(folder)) === '.harness' ? dirname(dirname(folder)) : '.';
  return openPolicyAt(dir, { coverage: true, trust: 'no code' });
}

/** `then`: the hook as the tape has it. Null if no hook decided. */
export async function decidingPlace(
  policy: Policy,
  story: Story,
  then: PolicyHook | undefined,
): Promise<DecidingPlace | null> {
  const name = story.outcome?.record.hook;
  if (name === undefined) return null;
  const { event } = story.dispatch.record;
  // A tape may name any event, and a registry knows only those there are.
  const hook = (policy.registry.has(event) ? policy.registry.list(event) : []).find(
    (each) => each.name === name && (then === undefined || each.source === then.source),
  );
  if (hook === undefined)
    return then === undefined ? null : { file: then.source, line: null, same: null, hook: null };
  const now = policy.digest.hooks.find((each) => isOf(each, hook));
  const same = then?.digest == null || now?.digest == null ? null : then.digest === now.digest;
  if (same === false) return { file: hook.source, line: null, same, hook };
  const site = await siteOf(hook, story);
  return { file: site?.file ?? hook.source, line: site?.line ?? hook.line ?? null, same, hook };
}

function isOf({ event, name, source }: PolicyHook, hook: Hook): boolean {
  return event === hook.event && name === hook.name && source === hook.source;
}

/** Where it says what it said: the line that says it when it is asked again, or the only one that can. */
async function siteOf(hook: Hook, story: Story): Promise<DecisionSite | null> {
  const { action } = story.outcome!.record;
  const { event, payload } = story.dispatch.record;
  const saw = story.turns.find((turn) => turn.hook === hook.name)?.call?.record.payload ?? payload;
  const engine = new Engine({
    registry: new Registry([hook]),
    host: bareHost,
    run: new RunState(),
    canAsk: true,
  });
  const outcome = await engine.decide(event as never, saw as never);
  if (outcome.action === action && outcome.decidedBy?.site !== undefined) return outcome.decidedBy.site;
  const [only, more] = (hook.covered?.decisions ?? []).filter((each) => each.action === action);
  return only === undefined || more !== undefined ? null : { file: hook.source, line: only.line };
}
