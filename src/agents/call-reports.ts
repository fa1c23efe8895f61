/** What an event of an outside agent says became of its calls, as the tape records it. */
import type { Outcome } from '../engine/index.ts';
import { callReport } from '../session/index.ts';
import type { CallReport } from '../tape/index.ts';
import type { Adapter, NativeCall, Verdict } from './adapter.ts';

/**
 * One report for each call that ended: stopped before it ran, or back with its result. An agent that does not say how its calls
 * end leaves them at `allowed`. Outcomes are in the order of the payloads.
 */
export function callReports(
  { events }: Adapter,
  { row: { event }, payloads }: NativeCall,
  verdict: Verdict,
  outcomes: readonly Outcome[],
): CallReport[] {
  if (event !== 'tool.pre' && event !== 'tool.post') return [];
  const refusal = verdict.action === 'block' ? verdict.reason : null;
  const isOver =
    event === 'tool.post' || refusal !== null || !events.some((row) => row.event === 'tool.post');
  if (!isOver) return [];
  return payloads.flatMap((payload, at) => callReport(payload, outcomes[at], event, refusal) ?? []);
}
