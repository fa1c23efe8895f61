/** What the tapes of a live run say: each decision, and what became of the ordinary call. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../../base/index.ts';
import { type DecisionRecord, readTape } from '../../../tape/index.ts';
import { CANARY_HOOK } from './scratch.ts';

type Fired = Extract<DecisionRecord['in'], { readonly event: string }>;
type RecordedOutcome = DecisionRecord['out'];

export interface LiveDecision {
  readonly event: string;
  readonly action: string;
  /** The canary decided. */
  readonly canary: boolean;
  /** It is about the ordinary call, and this stopped it or failed at it. */
  readonly stop: OrdinaryStop | null;
}

export interface OrdinaryStop {
  readonly hook: string;
  readonly source: string;
  readonly action: string;
  readonly reason: string;
  readonly failed: boolean;
  /** The hook speaks to an address, which nothing in the run can reach. */
  readonly speaks: boolean;
}

/** `mark` stands in the ordinary call and nowhere else. */
export function decisionsIn(runs: string, mark: string): LiveDecision[] {
  let names: string[];
  try {
    names = readdirSync(runs).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      // What waits for a program stands on the tape before its decision does.
      const fired = new Map<number, Fired>();
      return [...readTape(join(runs, name)).entries].flatMap(({ record }) => {
        if (record.type === 'dispatch') fired.set(record.dispatch, record);
        if (record.type !== 'decision') return [];
        const { in: given, out } = record;
        const whole = 'event' in given ? given : fired.get(given.dispatch);
        return whole === undefined ? [] : [decisionOf(whole, out, mark)];
      });
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      return [];
    }
  });
}

function decisionOf({ event, payload }: Fired, out: RecordedOutcome, mark: string): LiveDecision {
  const isOrdinary = event === 'tool.pre' && JSON.stringify(payload).includes(mark);
  return {
    event,
    action: out.action,
    canary: (out.hook ?? '').includes(CANARY_HOOK),
    stop: isOrdinary ? stopIn(out) : null,
  };
}

/** A hook that failed and let the call pass is a guard that is off. */
function stopIn({ hook, action, reason, failure, hooks = [] }: RecordedOutcome): OrdinaryStop | null {
  const failed = hooks.find((each) => each.failure !== undefined);
  if (action === 'allow' && failed === undefined) return null;
  const name = failure?.hook ?? hook;
  const part =
    hooks.find((each) => each.hook === name) ?? hooks.find(({ result }) => result === action) ?? failed;
  const broken = failure ?? part?.failure;
  return {
    hook: part?.hook ?? name ?? 'the policy',
    source: part?.source ?? '',
    action,
    reason: broken?.message ?? reason ?? part?.reason ?? 'no reason given',
    failed: broken !== undefined,
    speaks: part?.readings?.some(({ kind }) => kind === 'http') ?? false,
  };
}
