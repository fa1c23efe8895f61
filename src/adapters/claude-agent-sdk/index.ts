/**
 * The policy in a program that uses the Claude Agent SDK: the events of Claude Code, answered in the process instead of by a command.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * for await (const message of query({ prompt, options: guardOptions(guard, { allowedTools: ['Bash'] }) })) …
 * await guard.close();
 * ```
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { permit } from '../../policy/permit.ts';
import type { EventRow, NativeCall, Verdict } from '../adapter.ts';
import { adapter } from '../claude-code/index.ts';
import { carriable, type Decided, decideNative } from '../decide-native.ts';
import { degrade } from '../degrade.ts';
import { denyAnswer } from '../deny.ts';
import { type Guard, openGuardIn } from '../frameworks/guard.ts';
import { blockOf, verdictOf } from '../verdict.ts';

export { Guard, type GuardOptions } from '../frameworks/guard.ts';

export const openGuard = openGuardIn(
  'Claude Agent SDK',
  ...adapter.events.flatMap(({ event }) => event ?? []),
);

/** What a hook of the SDK gives back. */
export interface HookAnswer {
  continue?: boolean;
  stopReason?: string;
  systemMessage?: string;
  decision?: 'approve' | 'block';
  reason?: string;
  // biome-ignore lint/suspicious/noExplicitAny: one of the SDK's own types for each event.
  hookSpecificOutput?: any;
}

export type HookCallback = (
  // biome-ignore lint/suspicious/noExplicitAny: one of the SDK's own types for each event.
  input: any,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookAnswer>;

export interface HookMatcher {
  matcher?: string;
  hooks: HookCallback[];
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

export type PermissionAnswer =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own options of a question.
export type CanUseTool = (tool: string, input: Record<string, unknown>, options: any) => Promise<any>;

/** The options of `query` that the guard stands in. */
export interface GuardableOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a record by the SDK's own names of events.
  hooks?: any;
  canUseTool?: CanUseTool;
}

/** So often in a row an agent is sent back when it wants to stop. */
const MOST_STOPS = 6;
/** In seconds. A person may be asked in between. */
const TIMEOUT_S = 600;

/** The same options, with the policy before every hook and every permission that stand in them. */
export function guardOptions<T extends object = object>(
  guard: Guard,
  options?: T & GuardableOptions,
): T & GuardableOptions {
  const watch = new AgentGuard(guard, options?.canUseTool);
  const given = (options?.hooks ?? {}) as Record<string, HookMatcher[]>;
  const hooks = Object.fromEntries(
    adapter.events.map(({ native }): [string, HookMatcher[]] => {
      const own: HookMatcher = {
        hooks: [(input) => watch.hook(native, input as JsonObject)],
        timeout: TIMEOUT_S,
        // What throws would be passed over.
        onFailure: 'block',
      };
      return [native, [own, ...(given[native] ?? [])]];
    }),
  );
  return {
    ...(options as T),
    hooks: { ...given, ...hooks },
    canUseTool: (tool, input, more) => watch.canUse(tool, input, more),
  };
}

class AgentGuard {
  private readonly guard: Guard;
  private readonly own: CanUseTool | undefined;
  /** Calls that a hook asks about, by their id: the outcome that a person answers. */
  private readonly asked = new Map<string, Decided>();
  private stops = 0;
  private heldBack: string | null = null;

  constructor(guard: Guard, own: CanUseTool | undefined) {
    this.guard = guard;
    this.own = own;
  }

  /** Never throws: a hook that throws is passed over. */
  async hook(event: string, input: JsonObject): Promise<HookAnswer> {
    const row = adapter.events.find(({ native }) => native === event)!;
    try {
      const call = adapter.read(JSON.parse(JSON.stringify(input)) as JsonObject, event);
      if ('problem' in call) return written(denyAnswer(adapter, row, `Blocked: ${call.problem}`));
      return written(adapter.answer(row, call, await this.verdict(row, call)));
    } catch (error) {
      return written(
        denyAnswer(adapter, row, `Blocked: the policy could not decide: ${(error as Error).message}`),
      );
    }
  }

  private async verdict(row: EventRow, call: NativeCall): Promise<Verdict> {
    const held = adapter.events.some(({ madeGoodAt }) => madeGoodAt === row.native) ? this.heldBack : null;
    if (held !== null) {
      this.heldBack = null;
      return blockOf(held);
    }
    const decided = await decideNative((event, payload) => this.guard.judge.decide(event, payload), call);
    const said = carriable(
      call,
      decided.outcomes,
      verdictOf(decided.outcomes, call.payloads as readonly Json[], decided.also),
    );
    const { verdict, later } = degrade(this.capped(row, said), row, call);
    if (later !== undefined) this.heldBack = later;
    if (row.event === 'turn.start') this.stops = 0;
    if (verdict.action === 'ask' && call.callId !== null) this.asked.set(call.callId, decided);
    this.record(row, call, verdict, decided);
    return verdict;
  }

  /** A gate that sends an agent back for ever is a loop. */
  private capped(row: EventRow, verdict: Verdict): Verdict {
    const sendsBack = row.event === 'agent.stop' || row.event === 'delegation.post_verify';
    if (!sendsBack || verdict.action !== 'block' || ++this.stops <= MOST_STOPS) return verdict;
    const message = `sent back ${MOST_STOPS} times in a row; it may stop now. Last reason: ${verdict.reason}`;
    return { action: 'allow', context: null, message };
  }

  private record(
    { event }: EventRow,
    { payloads }: NativeCall,
    verdict: Verdict,
    { outcomes }: Decided,
  ): void {
    if (event !== 'tool.pre' && event !== 'tool.post') return;
    const blocked = verdict.action === 'block';
    for (const [at, payload] of payloads.entries()) {
      if (!isJsonObject(payload) || (event === 'tool.pre' && !blocked)) continue;
      const { id, call_id: callId, name, args, is_error: failed } = payload;
      const call = {
        id: String(id ?? callId ?? ''),
        name: String(name),
        args: isJsonObject(args) ? args : {},
        native: {},
      };
      const ended =
        event === 'tool.pre' ? 'blocked' : blocked ? 'hidden' : failed === true ? 'failed' : 'ran';
      this.guard.judge.record(call, ended, blocked ? verdict.reason : null, outcomes[at]?.hook ?? null);
    }
  }

  /** The SDK asks: since a hook of the policy does, or since no rule of its own allows the call. */
  async canUse(
    tool: string,
    input: Record<string, unknown>,
    options: { toolUseID?: string; signal?: AbortSignal },
  ): Promise<unknown> {
    const id = options?.toolUseID ?? '';
    const decided = this.asked.get(id);
    this.asked.delete(id);
    try {
      const reason = decided === undefined ? null : await this.refusal(id, decided, options.signal);
      if (reason !== null) return { behavior: 'deny', message: reason };
    } catch (error) {
      return { behavior: 'deny', message: `the policy could not decide: ${(error as Error).message}` };
    }
    if (this.own !== undefined) return this.own(tool, input, options);
    return decided === undefined
      ? { behavior: 'deny', message: 'no rule allows it, and the program asks nobody (canUseTool)' }
      : { behavior: 'allow', updatedInput: input };
  }

  /** Why a person did not approve what hooks ask about; null if they did, or if the program's own question is the one to ask. */
  private async refusal(
    id: string,
    { outcomes, also }: Decided,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const { judge, approvals, windowMs } = this.guard;
    if (approvals === null && this.own !== undefined) return null;
    const asking = [...outcomes, ...also].filter(({ action }) => action === 'ask');
    for (const outcome of asking) {
      const { name = '', args = {} } = outcome.payload as JsonObject;
      const call = { id, name: String(name), args: isJsonObject(args) ? args : {} };
      const { allowed, reason } = await permit({
        call,
        asks: outcome.asks ?? [],
        fire: (event, payload) => judge.decide(event, payload),
        approvals,
        windowMs,
        signal: signal ?? new AbortController().signal,
      });
      if (allowed) continue;
      judge.record({ ...call, native: {} }, 'denied', reason, outcome.hook);
      return reason ?? 'nobody approved it';
    }
    return null;
  }
}

/** What a command would print. */
function written({
  stdout,
  stderr,
  exitCode,
}: {
  stdout: string;
  stderr: string;
  exitCode: number;
}): HookAnswer {
  if (exitCode !== 0) return { decision: 'block', reason: stderr };
  return stdout === '' ? {} : (JSON.parse(stdout) as HookAnswer);
}
