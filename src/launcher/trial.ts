/**
 * Judges calls of an agent as the launcher would, in a session that leaves nothing behind: its state is in memory and it is on no
 * tape. A question stays a question: no person is asked.
 */
import {
  type Adapter,
  carriable,
  decideNative,
  type NativeCall,
  type Verdict,
  verdictOf,
} from '../agents/index.ts';
import { guardsIn, MemoryRunStore, type Outcome, RunState, type SharedRun } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';
import { GovernedSession } from '../session/index.ts';
import type { DecisionContext } from './decision-context.ts';
import { identified } from './identify.ts';
import { furtherFolders, sessionInfo } from './launch-session.ts';
import type { LaunchProblem } from './problem.ts';

export interface TrialDecision {
  readonly verdict: Verdict;
  readonly outcomes: readonly Outcome[];
}

export class TrialSession {
  private readonly adapter: Adapter;
  private readonly policy: Policy;
  private readonly around: Pick<DecisionContext, 'host' | 'cwd'>;
  private readonly store = new MemoryRunStore();
  /** The project folder as the first call found it: a later call may come from a folder inside it. */
  private workspace: string | null = null;
  private further: readonly string[] | null = null;
  private readonly shared: SharedRun = { metrics: new Map(), health: new Map(), cache: new Map() };

  constructor(adapter: Adapter, policy: Policy, around: Pick<DecisionContext, 'host' | 'cwd'>) {
    this.adapter = adapter;
    this.policy = policy;
    this.around = around;
  }

  async judge(native: NativeCall): Promise<TrialDecision | LaunchProblem> {
    const { adapter, policy, around, store } = this;
    const known = await identified(native, store.session(native.session));
    if ('problem' in known) return known;
    const { call } = known;
    const { allowedDomains, environment } = policy.settings;
    if (call.row.event === 'tool.pre') this.further ??= furtherFolders(adapter, call, around.host);
    const found = { workspace: this.workspace, further: this.further ?? [] };
    const info = sessionInfo(adapter, call, around, found);
    this.workspace ??= info.workspace ?? null;
    const run = new RunState({ allowedDomains, passedVariables: environment.pass }, info, undefined, {
      ...this.shared,
      guards: guardsIn(store, call.session),
    });
    const session = new GovernedSession({ policy, run, openTape: null, approvals: null, approvalMs: 0 });
    const { engine } = session;
    this.shared.origins = run.origins;
    const { outcomes, also } = await decideNative(
      async (event, payload) => engine.decide<string>(event, payload),
      call,
      info,
    );
    const verdict = carriable(call, outcomes, verdictOf(outcomes, call.payloads, also));
    return { verdict, outcomes: [...outcomes, ...also] };
  }
}
