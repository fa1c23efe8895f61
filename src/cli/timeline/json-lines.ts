/**
 * A session as a stream of JSON objects, one a line: every event that fired, and every outcome that was not a plain allow
 * right behind its event.
 */
import type { SessionEvent } from '../../agent/session-event.ts';
import { outcomeData } from '../outcome.ts';
import { isPlainAllow } from './said.ts';

export function jsonLines(event: SessionEvent): string[] {
  if (event.type !== 'hook') return [];
  const { event: name, payload, callId, outcome } = event;
  const fired = JSON.stringify({ event: name, payload, ...(callId !== undefined && { call_id: callId }) });
  if (isPlainAllow(outcome)) return [fired];
  return [fired, JSON.stringify({ outcome: outcomeData(outcome) })];
}
