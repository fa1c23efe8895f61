/** Backtests that the page starts: one at a time, tape by tape in the background, over the runs that are shown. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { BoundedMap } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import { callText, markdown, reporterOf, Summary } from '../project/index.ts';
import { type Draft, openDraft } from './drafts.ts';
import type { BacktestView } from './server/api.ts';
import { PageError } from './server/app.ts';
import { inSlices, type ShownTape } from './tapes.ts';

const MOST_SHOWN = 500;
/** Kept for those who still look. */
const MOST_JOBS = 3;

interface Job {
  readonly id: string;
  readonly draft: Draft | null;
  readonly all: number;
  readonly summary: Summary;
  readonly ended: AbortController;
  /** Which run a session is, for links. */
  readonly runs: Map<string, string>;
  done: boolean;
  error: string | null;
}

export class Backtests {
  private readonly jobs = new BoundedMap<string, Job>(MOST_JOBS);
  private started = 0;

  start(policy: Policy, tapes: readonly ShownTape[], draft: Draft | null, since: number): BacktestView {
    for (const job of this.jobs.values()) job.ended.abort();
    const id = String(++this.started);
    const job: Job = {
      id,
      draft,
      all: tapes.length,
      summary: new Summary(),
      ended: new AbortController(),
      runs: new Map(),
      done: false,
      error: null,
    };
    this.jobs.set(id, job);
    void this.run(job, policy, tapes, since).catch((thrown: Error) => {
      job.error = thrown.message;
      job.done = true;
    });
    return viewOf(job);
  }

  view(id: string): BacktestView {
    return viewOf(this.find(id));
  }

  markdown(id: string): { markdown: string } {
    return { markdown: markdown(this.find(id).summary) };
  }

  stop(id: string): BacktestView {
    const job = this.find(id);
    job.ended.abort();
    return viewOf(job);
  }

  private find(id: string): Job {
    const job = this.jobs.get(id);
    if (job === undefined) throw new PageError(404, 'there is no such backtest any more');
    return job;
  }

  private async run(job: Job, policy: Policy, tapes: readonly ShownTape[], since: number): Promise<void> {
    const { policy: candidate, close } = await openDraft(policy, job.draft);
    try {
      const reportOf = reporterOf(candidate, { since, unchecked: false }, inSlices);
      for (const { id, file } of tapes) {
        if (job.ended.signal.aborted) break;
        const report = await reportOf(file);
        if ('result' in report) job.runs.set(report.result.session, id);
        job.summary.add(report);
        await nextTurn();
      }
    } finally {
      close();
      job.done = true;
    }
  }
}

function viewOf({ id, draft, all, summary, runs, done, error, ended }: Job): BacktestView {
  const {
    tapes,
    decisions,
    same,
    classes,
    changed,
    changedCount,
    notReplayableCount,
    counterfactual,
    broken,
    unproven,
  } = summary;
  return {
    id,
    draft: draft?.source ?? null,
    all,
    tapes,
    decisions,
    same,
    done,
    stopped: done && ended.signal.aborted && tapes < all,
    error,
    changedCount,
    notReplayable: notReplayableCount,
    counterfactual,
    classes: [...classes].sort(([, a], [, b]) => b - a).map(([name, count]) => ({ name, count })),
    reasons: [...summary.reasons].map(([reason, count]) => ({ reason, count })),
    broken: broken.map(({ tape, problem }) => `${tape}: ${problem}`),
    unproven: unproven.map(({ tape, problem }) => `${tape}: ${problem}`),
    changed: changed.slice(0, MOST_SHOWN).map((change) => ({
      run: runs.get(change.session) ?? null,
      session: change.session,
      seq: change.seq,
      event: change.event,
      class: change.class,
      hook: change.hook,
      call: callText(change),
      before: { action: change.before.action, hook: change.before.hook, reason: change.before.reason },
      after: { action: change.after.action, hook: change.after.hook, reason: change.after.reason },
      counterfactual: change.counterfactual,
    })),
  };
}
