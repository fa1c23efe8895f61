/**
 * Asks the permission layer about one tool call, and where it cannot decide, the hooks of `permission.asked` and then a
 * person. No answer is a no.
 */

import { bounded } from '../../hooks/bounded.ts';
import { describeThrown } from '../../hooks/failure.ts';
import type { Settled } from '../../hooks/race.ts';
import type { Permission, PermissionCall } from '../../policy/permissions/permission.ts';
import type { ToolCall } from '../message.ts';
import { fire, here, vetoOf } from './fire.ts';
import type { Scope } from './state.ts';

interface Reply {
  readonly allowed: boolean;
  readonly reason: string | null;
}

/** A hook that wants somebody to be asked, and why. */
export interface AskingHook {
  readonly hook: string | null;
  readonly reason: string;
}

/** Why the call is denied, or null. */
export async function checkPermission(
  scope: Scope,
  { id, name, args }: ToolCall,
  asked: AskingHook | null,
): Promise<string | null> {
  const call = { id, name, args };
  const { permissions } = scope.state;
  const settled = await bounded(scope.signal, 0, (signal) => permissions.decide(call, signal));
  if (settled.kind !== 'value') return `the permission policy failed: ${why(settled)}`;
  const permission = settled.value as Permission;
  if (permission.decision === 'never') return permission.reason;
  if (permission.decision === 'ask') return ask(scope, call, bothAsk(permission.reason, asked));
  if (permission.decision !== 'auto') return 'the permission policy gave no decision it knows';
  return asked === null ? null : ask(scope, call, asked);
}

/** One question for both. It is the hook's: a yes to the policy that is remembered is none to the hook. */
function bothAsk(reason: string, asked: AskingHook | null): AskingHook {
  return asked === null ? { hook: null, reason } : { hook: asked.hook, reason: `${reason}; ${asked.reason}` };
}

async function ask(scope: Scope, call: PermissionCall, asking: AskingHook): Promise<string | null> {
  const payload = { ...call, reason: asking.reason, ...here(scope.state) };
  const outcome = await fire(scope, 'permission.asked', payload, { callId: call.id });
  let reply: Reply;
  if (outcome.failure !== undefined) {
    reply = { allowed: false, reason: `hook "${outcome.failure.hook}" failed: ${outcome.failure.message}` };
  } else if (outcome.action === 'block') reply = { allowed: false, reason: vetoOf(outcome) };
  else if (outcome.action === 'permit') reply = { allowed: true, reason: outcome.reason };
  else reply = await askSomebody(scope, call, asking, outcome.reason ?? asking.reason);
  const decision = reply.allowed ? 'allow' : 'deny';
  await fire(
    scope,
    'permission.replied',
    { ...payload, decision, reason: reply.reason },
    { callId: call.id },
  );
  return reply.allowed ? null : (reply.reason ?? 'no reason given');
}

async function askSomebody(
  { state, signal }: Scope,
  { id, name, args }: PermissionCall,
  { hook }: AskingHook,
  reason: string,
): Promise<Reply> {
  if (state.approvals === null) {
    return { allowed: false, reason: `${reason} (needs approval, and there is nobody to ask)` };
  }
  const question = {
    hook,
    event: hook === null ? 'permission.asked' : 'tool.pre',
    toolName: name,
    toolInput: args,
    windowMs: state.config.limits.approvalMs,
    reason,
    callId: id,
  };
  const { approved, reason: said = null } = await state.approvals.request(question, signal);
  return { allowed: approved, reason: approved ? said : (said ?? 'it was not approved') };
}

function why(settled: Exclude<Settled, { kind: 'value' }>): string {
  return settled.kind === 'thrown' ? describeThrown(settled.thrown) : settled.failure.message;
}
