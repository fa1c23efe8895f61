/**
 * A decision as a log record says it, in the same words whether it was made just now or stands on a tape.
 */
import type { Json, JsonObject } from '../../base/json.ts';
import { toolIn } from '../../tape/stories.ts';
import type { Hide } from '../record/transcript.ts';
import { type Attributes, named, withoutSecrets } from './span.ts';

/** As OpenTelemetry numbers them. */
export const SEVERITIES = { info: 9, warn: 13, error: 17 } as const;

export interface DecisionLog {
  readonly severity: keyof typeof SEVERITIES;
  readonly name: string;
  readonly body: string;
  readonly attributes: Attributes;
}

export interface Decided {
  readonly event: string;
  readonly payload: Json;
  readonly action: string;
  readonly hook: string | null | undefined;
  readonly reason: string | JsonObject | null | undefined;
  readonly callId: string | undefined;
  readonly conversation: string | null;
  /** The code of what went wrong in a hook, also where the chain went on. */
  readonly failure: string | null;
}

export function decisionLog(
  { payload, callId, failure, ...said }: Decided,
  content: Hide | null,
): DecisionLog {
  const { event, action, hook } = said;
  const toolName = toolIn(event, payload);
  const severity = action === 'block' || action === 'ask' ? 'warn' : 'info';
  return {
    severity: failure === null ? severity : 'error',
    name: 'harness.decision',
    body: withoutSecrets(`${event}${toolName ? ` ${toolName}` : ''}: ${action}${hook ? ` by ${hook}` : ''}`),
    attributes: named({ ...said, toolName, toolCallId: callId, errorType: failure }, content),
  };
}
