/**
 * The policy of today beside what tapes say of it: which line of which file decided, and what it would say now. It runs nothing but
 * sandboxed scripts.
 */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { clip } from '../base/index.ts';
import { type Hook, layerOf } from '../engine/index.ts';
import type { Policy, PolicyHook } from '../policy/index.ts';
import { decidingPlace, reporterOf } from '../project/index.ts';
import type { Story } from '../tape/index.ts';
import { openPolicyAt } from '../terminal/index.ts';
import type { Place, Today } from './server/api.ts';
import { inSlices } from './tapes.ts';

/** An edit is seen after so long. */
const FRESH_MS = 1500;
const MOST_BYTES = 1024 * 1024;
const LONGEST_LINE = 200;
const LINES_AROUND = 6;

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

  /** Null if no hook decided. `then`: the hook as the tape has it. */
  async placeOf(story: Story, then: PolicyHook | undefined): Promise<Place | null> {
    const policy = await this.open();
    const place = await decidingPlace(policy, story, then);
    if (place === null) return null;
    const { file, line, same, hook } = place;
    const code = line === null || hook === null ? null : codeExcerpt(policy, hook, file, line);
    const text = code === null ? null : (code.lines[line! - code.first]?.trim() ?? null);
    return { file, line, text, code, same };
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

function codeExcerpt(policy: Policy, hook: Hook, path: string, line: number): Place['code'] {
  const dir = policy.layers.find(({ name }) => name === layerOf(hook).name)?.dir;
  if (dir === undefined) return null;
  const file = isAbsolute(path) ? path : join(dir, path);
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MOST_BYTES) return null;
    const lines = readFileSync(file, 'utf8').split('\n');
    const first = Math.max(1, line - LINES_AROUND);
    if (line > lines.length) return null;
    return {
      first,
      lines: lines.slice(first - 1, line + LINES_AROUND).map((each) => clip(each, LONGEST_LINE)),
    };
  } catch {
    return null;
  }
}
