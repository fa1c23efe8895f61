/**
 * What a policy says about the calls of somebody else's loop, for as long as that loop lives: a proxy, or a framework. The engine and
 * its tape are opened with the first question, so that one who only looks leaves no session behind.
 */
import { canonicalJson } from '../base/canonical-json.ts';
import { digestOf } from '../base/digest.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Outcome } from '../events/decision.ts';
import type { Approvals } from '../hooks/approvals.ts';
import type { Engine } from '../hooks/engine.ts';
import { denialText, type ShownDenials } from '../hooks/repeated-denial.ts';
import { giveBack } from '../hooks/reservations.ts';
import type { SessionInfo } from '../hooks/run-state.ts';
import { permit } from '../policy/permit.ts';
import type { Policy } from '../policy/policy.ts';
import type { OpenTape } from '../tape/open-tape.ts';
import { NO_WALLS, wantsSandbox } from './verdict.ts';

export interface JudgedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** As the host has it. */
  readonly native: JsonObject;
}

export type Verdict =
  | {
      readonly allowed: true;
      readonly args: JsonObject;
      readonly rewritten: boolean;
      /** What hooks want the model to read beside it. */
      readonly context: readonly string[];
    }
  | { readonly allowed: false; readonly reason: string };

export type CallVerdict = 'ran' | 'blocked' | 'denied' | 'hidden' | 'failed';

export interface Judge {
  /** Any other event of the catalog. */
  decide(event: string, payload: Json): Promise<Outcome>;
  /** `objection` is what the host itself has against a call that hooks let pass. */
  pre(call: JudgedCall, signal: AbortSignal, objection?: () => Promise<Objection | null>): Promise<Verdict>;
  /** `payload` is what there is of `content` and `result`; null as answer: nothing is to be changed. */
  post(call: JudgedCall, payload: JsonObject, isError: boolean): Promise<Judged>;
  /** A tool that a server offers, as `meta.register_tool` has it; null if nobody objects. */
  offer(tool: JsonObject): Promise<Objection | null>;
  /** What became of a call where the policy was not asked, or not by `pre` and `post`: it stands on the tape all the same. */
  record(call: JudgedCall, verdict: CallVerdict, reason: string | null, by: string | null): void;
  close(): Promise<void>;
}

/** Why a tool is not the one it should be: it is not shown, or each call of it is asked about. */
export interface Objection {
  readonly reason: string;
  readonly by: string;
  readonly hides: boolean;
}

export type Judged =
  | { readonly kind: 'same'; readonly context: readonly string[] }
  | { readonly kind: 'rewritten'; readonly payload: JsonObject; readonly context: readonly string[] }
  | { readonly kind: 'hidden'; readonly reason: string };

export interface JudgeOptions {
  readonly policy: Policy;
  /** Null: what is decided is on no tape. */
  readonly openTape: (() => OpenTape) | null;
  /** How a person is asked; null: nobody can be. */
  readonly approvals: Approvals | null;
  readonly windowMs: number;
  /** Which session it is, and whom it works for: what guards keep is kept for that. */
  readonly session?: Pick<SessionInfo, 'id' | 'actor'>;
}

const OFFER = 'meta.register_tool';
const MOST_OFFERS = 10_000;

export function openJudge({ policy, openTape, approvals, windowMs, session }: JudgeOptions): Judge {
  const shown: ShownDenials = new Map();
  const offers = new Map<string, Promise<Objection | null>>();
  let asked = 0;
  let opened: { readonly engine: Engine; readonly tape: OpenTape | null } | null = null;
  const open = () => {
    if (opened !== null) return opened;
    const tape = openTape?.() ?? null;
    const engine = policy.engine({
      run: policy.newRun(session),
      canAsk: true,
      ...(tape !== null && { recorder: tape.recorder }),
    });
    opened = { engine, tape };
    return opened;
  };
  const fire = async (event: string, payload: Json): Promise<Outcome> =>
    open().engine.decide(event, payload) as Outcome;

  const report = (
    { id, name, args }: JudgedCall,
    verdict: CallVerdict,
    reason: string | null,
    by: string | null,
  ) => {
    const ran = verdict === 'ran' || verdict === 'hidden' || verdict === 'failed';
    void open().tape?.call({
      callId: id,
      tool: name,
      verdict,
      by,
      reason,
      digest: ran ? digestOf({ args, name }) : null,
    });
  };

  return {
    decide: fire,

    async pre(call, signal, objection) {
      const { id, name, args, native } = call;
      const outcome = await fire('tool.pre', { id, name, args, native });
      const stop = (reason: string, verdict: 'blocked' | 'denied' = 'blocked'): Verdict => {
        report(call, verdict, reason, outcome.hook);
        // A person may say yes the next time.
        return { allowed: false, reason: verdict === 'denied' ? reason : denialText(shown, reason, asked++) };
      };
      if (outcome.failure !== undefined)
        return stop(`hook "${outcome.failure.hook}" failed: ${outcome.failure.message}`);
      if (outcome.action === 'block') return stop(blockText(outcome));
      if (wantsSandbox(outcome.payload)) return stop(NO_WALLS);
      const objected = (await objection?.()) ?? null;
      if (objected !== null) {
        giveBack(outcome);
        report(call, 'blocked', objected.reason, objected.by);
        return { allowed: false, reason: objected.reason };
      }
      const after = outcome.payload as unknown as { readonly args: JsonObject };
      if (outcome.action === 'ask') {
        const asked = {
          call: { id, name, args: after.args },
          asks: outcome.asks ?? [],
          fire,
          approvals,
          windowMs,
          signal,
        };
        const { allowed, reason } = await permit(asked);
        if (!allowed) {
          giveBack(outcome);
          return stop(reason ?? 'nobody approved it', 'denied');
        }
      }
      const rewritten = after.args !== args && canonicalJson(after.args) !== canonicalJson(args);
      return { allowed: true, args: after.args, rewritten, context: contextOf(outcome) };
    },

    async post(call, payload, isError) {
      const { id, name, args } = call;
      const outcome = await fire('tool.post', { call_id: id, name, args, is_error: isError, ...payload });
      const hide = (reason: string): Judged => {
        report(call, 'hidden', reason, outcome.hook);
        return { kind: 'hidden', reason };
      };
      if (outcome.failure !== undefined)
        return hide(`hook "${outcome.failure.hook}" failed: ${outcome.failure.message}`);
      if (outcome.action === 'block' || outcome.action === 'ask') return hide(blockText(outcome));
      report(call, isError ? 'failed' : 'ran', null, null);
      const context = contextOf(outcome);
      return outcome.action === 'modify'
        ? { kind: 'rewritten', payload: outcome.payload as unknown as JsonObject, context }
        : { kind: 'same', context };
    },

    async offer(tool) {
      if (!policy.registry.has(OFFER)) return null;
      // The same definition by the same policy is one decision, however often it is listed.
      const key = digestOf([policy.digest.digest, tool]);
      const before = offers.get(key);
      if (before !== undefined) return before;
      if (offers.size >= MOST_OFFERS) offers.clear();
      const judged = fire(OFFER, tool).then(objectionOf, undecided);
      offers.set(key, judged);
      return judged;
    },

    record: report,

    close: async () => {
      await opened?.tape?.close();
    },
  };
}

function objectionOf(outcome: Outcome): Objection | null {
  const by = outcome.failure?.hook ?? outcome.hook ?? 'policy';
  if (outcome.failure !== undefined)
    return { reason: `hook "${by}" failed: ${outcome.failure.message}`, by, hides: true };
  if (outcome.action !== 'block' && outcome.action !== 'ask') return null;
  return { reason: blockText(outcome), by, hides: outcome.action === 'block' };
}

function undecided(error: Error): Objection {
  return { reason: `the policy could not decide: ${error.message}`, by: 'policy', hides: true };
}

/** What hooks leave for the model. */
export function contextOf({ effects }: Outcome): string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'context') return [effect.text];
    return effect.kind === 'reminder' ? [effect.reminder.body] : [];
  });
}

export function blockText({ hook, reason }: Outcome): string {
  const by = hook === null ? 'blocked by policy' : `blocked by policy (${hook})`;
  return `${by}: ${reason ?? 'no reason given'}`;
}
