/**
 * The policy of today beside what tapes say of it: which line of which file decided, and what it would say now. It runs nothing but
 * sandboxed scripts.
 */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { bareHost } from '../../base/bare-host.ts';
import { clip } from '../../base/text.ts';
import type { Place, Today } from '../../daemon/page/api.ts';
import { Engine } from '../../hooks/engine.ts';
import type { Hook } from '../../hooks/hook.ts';
import { layerOf } from '../../hooks/layer.ts';
import { Registry } from '../../hooks/registry.ts';
import { RunState } from '../../hooks/run-state.ts';
import type { Policy } from '../../policy/policy.ts';
import type { PolicyHook } from '../../policy/policy-digest.ts';
import type { Story } from '../../tape/stories.ts';
import { reporterOf } from '../backtest/one-tape.ts';
import { openPolicyAt } from '../project-dir.ts';
import { inSlices } from './tapes.ts';

/** An edit is seen after so long. */
const FRESH_MS = 1500;
const MOST_BYTES = 1024 * 1024;
const LONGEST_LINE = 200;

export class TodaysPolicy {
  readonly dir: string;
  private opened: Promise<Policy> | null = null;
  private at = 0;

  constructor(dir: string) {
    this.dir = dir;
  }

  open(): Promise<Policy> {
    if (this.opened === null || performance.now() - this.at > FRESH_MS) {
      this.opened = openPolicyAt(this.dir, { coverage: true, trust: 'no code' });
      this.at = performance.now();
    }
    return this.opened;
  }

  /** Null if nobody decided. `then`: the hook as the tape has it. */
  async placeOf(story: Story, then: PolicyHook | undefined): Promise<Place | null> {
    const name = story.outcome?.record.hook;
    if (name === undefined) return null;
    const policy = await this.open();
    const { event } = story.dispatch.record;
    // A tape may name any event, and a registry knows only those there are.
    const hook = (policy.registry.has(event) ? policy.registry.list(event) : []).find(
      (each) => each.name === name && (then === undefined || each.source === then.source),
    );
    if (hook === undefined)
      return then === undefined ? null : { file: then.source, line: null, text: null, same: null };
    const now = policy.digest.hooks.find((each) => isOf(each, hook));
    const same = then?.digest == null || now?.digest == null ? null : then.digest === now.digest;
    if (same === false) return { file: hook.source, line: null, text: null, same };
    const line = (await decidingLine(hook, story)) ?? hook.line ?? null;
    return { file: hook.source, line, text: line === null ? null : lineOf(policy, hook, line), same };
  }

  /** What it would say of one recorded decision, or of none if that cannot be told. */
  async would(tape: string, seq: number, then: Today['then']): Promise<Today> {
    const policy = await openPolicyAt(this.dir, { trust: 'no code' });
    const report = await reporterOf(policy, { since: 0, unchecked: true }, inSlices)(tape);
    if ('problem' in report) return { same: null, then, now: null, note: report.problem };
    const { changed, notReplayable } = report.result;
    const lost = notReplayable.find((each) => each.seq === seq);
    if (lost !== undefined) return { same: null, then, now: null, note: lost.reason };
    const change = changed.find((each) => each.seq === seq);
    if (change === undefined) return { same: true, then, now: null, note: null };
    const { action, hook, reason } = change.after;
    const note = change.counterfactual
      ? 'an earlier decision of this run would have gone another way, so the agent might not have come here'
      : null;
    return { same: false, then, now: { action, hook, reason }, note };
  }
}

function isOf({ event, name, source }: PolicyHook, hook: Hook): boolean {
  return event === hook.event && name === hook.name && source === hook.source;
}

/**
 * Where its script says what it said: the only place that does, or the one that runs when it is asked again. It is asked alone and
 * without a machine: looking at a run starts no program and reaches no address.
 */
async function decidingLine(hook: Hook, story: Story): Promise<number | null> {
  const { covered } = hook;
  const { action } = story.outcome!.record;
  const sites = (covered?.decisions ?? []).filter((site) => site.action === action);
  if (covered === undefined || sites.length <= 1) return sites[0]?.line ?? null;
  const before = new Map(covered.lines());
  const { event, payload } = story.dispatch.record;
  const saw = story.turns.find((turn) => turn.hook === hook.name)?.call?.record.payload ?? payload;
  const engine = new Engine({
    registry: new Registry([hook]),
    host: bareHost,
    run: new RunState(),
    canAsk: true,
  });
  const outcome = await engine.decide(event as never, saw as never);
  if (outcome.action !== action) return null;
  const after = covered.lines();
  return sites.findLast(({ line }) => (after.get(line) ?? 0) > (before.get(line) ?? 0))?.line ?? null;
}

function lineOf(policy: Policy, hook: Hook, line: number): string | null {
  const dir = policy.layers.find(({ name }) => name === layerOf(hook).name)?.dir;
  if (dir === undefined) return null;
  const file = isAbsolute(hook.source) ? hook.source : join(dir, hook.source);
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MOST_BYTES) return null;
    const text = readFileSync(file, 'utf8').split('\n')[line - 1];
    return text === undefined ? null : clip(text.trim(), LONGEST_LINE);
  } catch {
    return null;
  }
}
