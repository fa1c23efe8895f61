/**
 * The desk between a session and the person who approves: every question goes over it, bound to the digest of the exact
 * call, and every answer that is not a clear yes in time is a no.
 */
import { digestOf, type JsonObject } from '../../base/index.ts';
import {
  type Approval,
  type ApprovalRequest,
  type Approvals,
  describeThrown,
  withTimeout,
} from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';

/** A question as channels and `approval.requested` see it. */
export type Question = ApprovalRequest & { readonly id: string; readonly digest: string };

export interface DeskOptions {
  readonly channel: Approvals;
  readonly host: Host;
  /** Told before the person is asked; what it throws denies. */
  readonly announce?: (question: Question, signal: AbortSignal) => Promise<unknown>;
  /** Told of answers that come when nobody waits for them. */
  readonly note?: (message: string) => void;
}

/** Two calls with the same digest are the same call; with a folder, in the same folder. */
export function callDigest(name: string, args: JsonObject, cwd?: string): string {
  return digestOf({ args, name, ...(cwd !== undefined && { cwd }) });
}

export class ApprovalDesk implements Approvals {
  private readonly options: DeskOptions;
  private readonly remembered = new Map<string, Approval>();

  constructor(options: DeskOptions) {
    this.options = options;
  }

  /** Never rejects. Questions are independent of one another: each has its own time and its own answer. */
  async request(asked: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
    const digest = callDigest(asked.toolName, asked.toolInput, asked.cwd);
    const known = this.remembered.get(callKey(asked, digest)) ?? this.remembered.get(toolKey(asked));
    if (known !== undefined) return known;
    // A copy: what a channel does to it does not reach the call it is about.
    const toolInput = structuredClone(asked.toolInput);
    const question = { ...asked, toolInput, id: this.options.host.uuid(), digest };
    const answer = await this.ask(question, signal);
    if (answer.remember === 'call') this.remembered.set(callKey(asked, digest), answer);
    if (answer.remember === 'tool') this.remembered.set(toolKey(asked), answer);
    return answer;
  }

  private async ask(question: Question, signal: AbortSignal): Promise<Approval> {
    const { channel, announce } = this.options;
    let open = true;
    const settled = await withTimeout(signal, question.windowMs, async (waiting) => {
      await announce?.(question, waiting);
      if (waiting.aborted) return null;
      const answer = await channel.request(question, waiting);
      // A no that comes late has been said already.
      if (!open && answer?.approved === true) this.late(question);
      return answer;
    });
    open = false;
    if (settled.kind === 'value') return readAnswer(settled.value);
    if (settled.kind === 'thrown')
      return no(`the approval channel failed: ${describeThrown(settled.thrown)}`);
    if (settled.failure.kind === 'timeout') return no(`nobody answered within ${question.windowMs} ms`);
    return no('it was aborted before somebody answered');
  }

  private late({ toolName, id }: Question): void {
    this.options.note?.(`the yes to ${toolName} (${id}) came after the time for it and changes nothing`);
  }
}

/** A yes to some hooks is none to others: they ask about different things, and may be of a higher layer. */
function callKey({ hook }: ApprovalRequest, digest: string): string {
  return JSON.stringify([digest, hook]);
}

function toolKey({ toolName, hook }: ApprovalRequest): string {
  return JSON.stringify([toolName, hook]);
}

function no(reason: string): Approval {
  return { approved: false, reason };
}

/** A channel is somebody else's program: only `true` is a yes. */
function readAnswer(answer: unknown): Approval {
  const { approved, reason, remember } = (answer ?? {}) as Partial<Record<keyof Approval, unknown>>;
  if (typeof approved !== 'boolean') return no('the approval channel answered neither yes nor no');
  return {
    approved,
    ...(typeof reason === 'string' && reason.trim() !== '' && { reason }),
    ...((remember === 'call' || remember === 'tool') && { remember }),
  };
}
