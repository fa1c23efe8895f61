/**
 * A session as a stream of JSON objects, one a line: every event that fired, and every outcome that was not a plain allow
 * right behind its event.
 */
import type { SessionEvent } from '../../agent/session-event.ts';
import { isPlainAllow } from '../../hooks/describe-outcome.ts';
import { outcomeData } from '../outcome.ts';

export function jsonLines(event: SessionEvent): string[] {
  return linesOf(event);
}

function linesOf(event: SessionEvent, agent?: string): string[] {
  if (event.type === 'agent') return linesOf(event.event, event.agent);
  if (event.type !== 'hook') return [];
  const { event: name, payload, callId, outcome } = event;
  const fired = JSON.stringify({
    event: name,
    payload,
    ...(callId !== undefined && { call_id: callId }),
    // Of a sub-agent; its session is in the payload.
    ...(agent !== undefined && { agent }),
  });
  if (isPlainAllow(outcome)) return [fired];
  return [fired, JSON.stringify({ outcome: outcomeData(outcome) })];
}
