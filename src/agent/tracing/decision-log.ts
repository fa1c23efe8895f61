/**
 * A decision as a log record says it, in the same words whether it was made just now or stands on a tape.
 */
import { toolIn } from '../../tape/index.ts';
import { deciderOf } from '../loop/outcome-reading.ts';
import type { Hide } from '../record/transcript.ts';
import { type Attributes, attributesFrom, withoutSecrets } from './span.ts';
import type { SpannedDecision } from './span-tree.ts';

/** As OpenTelemetry numbers them. */
export const SEVERITIES = { info: 9, warn: 13, error: 17 } as const;

export interface DecisionLog {
  readonly severity: keyof typeof SEVERITIES;
  readonly name: string;
  readonly body: string;
  readonly attributes: Attributes;
}

/** `conversation` is the session, where no span around the decision names it. */
export function decisionLog(
  { outcome, callId, common }: Pick<SpannedDecision, 'outcome' | 'callId' | 'common'>,
  conversation: string | null,
  content: Hide | null,
): DecisionLog {
  const { event, payload, action, reason, trace } = outcome;
  const hook = deciderOf(outcome);
  const failed = trace.find(({ failure, state }) => failure !== null || state === 'condition_failed');
  const errorType = failed === undefined ? null : (failed.failure?.code ?? failed.state);
  const toolName = toolIn(event, payload);
  const severity = action === 'block' || action === 'ask' ? 'warn' : 'info';
  const given = { event, action, hook, reason, conversation, toolName, toolCallId: callId, errorType };
  return {
    severity: errorType === null ? severity : 'error',
    name: 'harness.decision',
    body: withoutSecrets(`${event}${toolName ? ` ${toolName}` : ''}: ${action}${hook ? ` by ${hook}` : ''}`),
    attributes: { ...common, ...attributesFrom(given, content) },
  };
}
