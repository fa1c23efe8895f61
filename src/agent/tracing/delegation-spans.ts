/**
 * The spans of delegations and of the verification of their answers. A delegation lasts until the session of its sub-agent
 * has ended, whatever became of the answer.
 */
import type { Json } from '../../base/index.ts';
import type { Outcome } from '../../engine/index.ts';
import { deciderOf, isVeto, numberOf, objectOf, textOf } from '../loop/outcome-reading.ts';
import type { Attributes, OpenSpan } from './span.ts';
import type { SpanTree } from './span-tree.ts';

interface Delegation {
  readonly span: OpenSpan;
  readonly retries: number;
  readonly hasScript: boolean;
  attempts: number;
  /** When the answer came that is to be verified. */
  answeredMs: number | null;
  /** Passed by the hooks; whether the script of the agent refused it shows only in what happens next. */
  unjudged: { readonly span: OpenSpan; readonly endMs: number; readonly attempt: number } | null;
  isAnswered: boolean;
}

export class DelegationSpans {
  private readonly tree: SpanTree;
  /** By the id of the sub-agent's session. */
  private readonly open = new Map<string, Delegation>();

  constructor(tree: SpanTree) {
    this.tree = tree;
  }

  spanOf(id: string): OpenSpan | null {
    return this.open.get(id)?.span ?? null;
  }

  /** `delegation.pre` */
  begin(payload: Json, outcome: Outcome, outer: OpenSpan | null, common: Attributes): OpenSpan {
    const { id, depth } = objectOf(payload);
    const { agent, prompt, model, max_verify_retries, verify } = objectOf(outcome.payload);
    const name = `invoke_agent ${textOf(agent) ?? ''}`.trimEnd();
    const span = this.tree.open('delegation', name, outer, common, this.tree.before(outcome));
    span.set({ operation: 'invoke_agent', agentName: textOf(agent), agentId: textOf(id) });
    span.set({
      depth: numberOf(depth),
      model: textOf(model),
      prompt: isVeto(outcome) ? null : textOf(prompt),
    });
    const delegation: Delegation = {
      span,
      retries: numberOf(max_verify_retries) ?? 0,
      hasScript: verify === true,
      attempts: 0,
      answeredMs: null,
      unjudged: null,
      isAnswered: false,
    };
    this.open.set(String(id), delegation);
    span.onAbandon = () => this.finish(String(id), delegation);
    return span;
  }

  /** The sub-agent has begun: now its name is known, also where the request gave none. */
  named(id: string, agentName: string): void {
    const span = this.spanOf(id);
    if (span === null) return;
    span.name = `invoke_agent ${agentName}`;
    span.set({ agentName });
  }

  /** The sub-agent is asked, for the first time or once more. */
  asked(id: string): void {
    const delegation = this.open.get(id);
    if (delegation === undefined) return;
    delegation.attempts++;
    // The hooks let the answer pass and it came back all the same.
    this.judge(delegation, false);
  }

  answered(id: string): void {
    const delegation = this.open.get(id);
    if (delegation !== undefined) delegation.answeredMs = this.tree.now();
  }

  /** `delegation.post_verify`. From the answer on, since the script has its say before the hooks have theirs. */
  verification(payload: Json, common: Attributes): OpenSpan | null {
    const { id, agent, depth, attempt } = objectOf(payload);
    const delegation = this.open.get(String(id));
    if (delegation === undefined) return null;
    const startMs = delegation.answeredMs ?? this.tree.now();
    const span = this.tree.open('verification', 'verify', delegation.span, common, startMs);
    span.set({ agentName: textOf(agent), agentId: textOf(id), depth: numberOf(depth) });
    return span.set({ attempt: numberOf(attempt) });
  }

  verdict(span: OpenSpan, payload: Json, outcome: Outcome): void {
    const { id, attempt } = objectOf(payload);
    const { failure, trace, action, hook, reason } = outcome;
    const isBroken = failure !== undefined || trace.some(({ onFailure }) => onFailure === 'blocked');
    const delegation = this.open.get(String(id));
    if (isBroken) this.tree.close(span.fail('VERIFIER_BROKEN').set({ hook: deciderOf(outcome) }));
    else if (action === 'block')
      this.tree.close(span.set({ verified: false, refusedBy: 'hook', hook, reason }));
    else if (delegation !== undefined) {
      delegation.unjudged = { span, endMs: this.tree.now(), attempt: numberOf(attempt) ?? 1 };
    }
  }

  /** `delegation.post` */
  settle(payload: Json, outcome: Outcome): void {
    const delegation = this.open.get(String(objectOf(payload).id));
    if (delegation === undefined) return;
    this.judge(delegation, true);
    delegation.isAnswered = true;
    const { span } = delegation;
    if (isVeto(outcome)) span.fail('blocked').set({ outcome: 'blocked', hook: deciderOf(outcome) });
    else span.set({ outcome: 'ok', text: textOf(objectOf(outcome.payload).result) });
  }

  block(payload: Json, outcome: Outcome): void {
    const id = String(objectOf(payload).id);
    const span = this.spanOf(id);
    this.open.delete(id);
    if (span === null) return;
    span.fail('blocked').set({ outcome: 'blocked', attempts: 0, hook: deciderOf(outcome) });
    this.tree.close(span);
  }

  /** The session of the sub-agent is over. */
  end(id: string): void {
    const delegation = this.open.get(id);
    if (delegation === undefined) return;
    this.finish(id, delegation);
    this.tree.close(delegation.span);
  }

  private finish(id: string, delegation: Delegation): void {
    const { span, attempts, unjudged, retries, hasScript, isAnswered } = delegation;
    // An abort in that very moment looks the same while tries are left: then nothing is claimed.
    const isRefused = unjudged !== null && hasScript && unjudged.attempt > retries;
    this.judge(delegation, isRefused ? false : null);
    span.set({ attempts });
    if (!isAnswered) span.fail('failed').set({ outcome: 'failed' });
    this.open.delete(id);
  }

  private judge(delegation: Delegation, verified: boolean | null): void {
    const { unjudged } = delegation;
    if (unjudged === null) return;
    delegation.unjudged = null;
    const { span, endMs } = unjudged;
    span.set({ verified, refusedBy: verified === false ? 'script' : null });
    this.tree.close(span, 'unfinished', endMs);
  }
}
