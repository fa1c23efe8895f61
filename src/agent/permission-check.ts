/**
 * Asks the permission layer about one tool call, and where it cannot decide, the hooks of `permission.asked` and then a
 * person. No answer is a no.
 */
import { describeThrown } from '../hooks/failure.ts';
import type { Settled } from '../hooks/race.ts';
import { bounded } from './bounded.ts';
import { fire, here, vetoOf } from './fire.ts';
import type { ToolCall } from './message.ts';
import type { Approval, Permission } from './permissions.ts';
import type { Scope } from './state.ts';

interface Reply {
  readonly allowed: boolean;
  readonly reason: string | null;
}

/** Why the call is denied, or null. `asked` is the reason of a hook that wants somebody to be asked. */
export async function checkPermission(
  scope: Scope,
  { id, name, args }: ToolCall,
  asked: string | null,
): Promise<string | null> {
  const call = { id, name, args };
  const { permissions } = scope.state;
  const settled = await bounded(scope.signal, 0, (signal) => permissions.decide(call, signal));
  if (settled.kind !== 'value') return `the permission policy failed: ${why(settled)}`;
  const permission = settled.value as Permission;
  if (permission.decision === 'never') return permission.reason;
  const reason = permission.decision === 'ask' ? permission.reason : asked;
  if (permission.decision === 'auto' && reason === null) return null;
  if (permission.decision !== 'auto' && permission.decision !== 'ask') {
    return 'the permission policy gave no decision it knows';
  }
  return ask(scope, call, reason ?? 'the permission policy asks');
}

async function ask(
  scope: Scope,
  call: { readonly id: string; readonly name: string; readonly args: ToolCall['args'] },
  reason: string,
): Promise<string | null> {
  const payload = { ...call, reason, ...here(scope.state) };
  const outcome = await fire(scope, 'permission.asked', payload, { callId: call.id });
  let reply: Reply;
  if (outcome.failure !== undefined) {
    reply = { allowed: false, reason: `hook "${outcome.failure.hook}" failed: ${outcome.failure.message}` };
  } else if (outcome.action === 'block') reply = { allowed: false, reason: vetoOf(outcome) };
  else if (outcome.action === 'permit') reply = { allowed: true, reason: outcome.reason };
  else reply = await askSomebody(scope, call, outcome.reason ?? reason);
  const decision = reply.allowed ? 'allow' : 'deny';
  await fire(
    scope,
    'permission.replied',
    { ...payload, decision, reason: reply.reason },
    { callId: call.id },
  );
  return reply.allowed ? null : (reply.reason ?? 'no reason given');
}

async function askSomebody(scope: Scope, call: Parameters<typeof ask>[1], reason: string): Promise<Reply> {
  const { permissions } = scope.state;
  if (permissions.ask === undefined) {
    return { allowed: false, reason: `${reason} (needs approval, and there is nobody to ask)` };
  }
  const settled = await bounded(scope.signal, 0, (signal) => permissions.ask?.(call, reason, signal));
  if (settled.kind !== 'value') return { allowed: false, reason: `the question failed: ${why(settled)}` };
  const { approved, reason: said = null } = (settled.value ?? { approved: false }) as Approval;
  return approved === true
    ? { allowed: true, reason: said }
    : { allowed: false, reason: said ?? 'it was not approved' };
}

function why(settled: Exclude<Settled, { kind: 'value' }>): string {
  return settled.kind === 'thrown' ? describeThrown(settled.thrown) : settled.failure.message;
}
