/**
 * What a session does beside its hooks, for its tape: messages, reminders, retries, the end, and one `call` for each attempt
 * to call a tool. Events and decisions are there already, since the engine records them itself.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { callDigest } from '../../policy/index.ts';
import type { CallReport, OpenTape } from '../../tape/index.ts';
import type { Message } from '../message.ts';
import type { SessionEvent } from '../session-event.ts';

/** The part of a tape that a session writes to. */
export type SessionTape = Pick<OpenTape, 'note' | 'call' | 'hide'>;

/** For the `onEvent` of a session. */
export function recordSession(tape: SessionTape): (event: SessionEvent) => void {
  const calls = new Calls(tape);
  return (event) => note(event, tape, calls, NO_AGENT);
}

/** Of a sub-agent: whose doing it is. */
interface Agent {
  readonly session: string | null;
  readonly data: Readonly<Record<string, Json>>;
}

const NO_AGENT: Agent = { session: null, data: {} };

/** Pieces of text are left out, since the message they make up follows; what a sub-agent does says whose it is. */
function note(event: SessionEvent, tape: SessionTape, calls: Calls, agent: Agent): void {
  switch (event.type) {
    case 'text':
    case 'held':
      return;
    case 'hook':
      calls.judged(event, agent);
      return;
    case 'agent': {
      const data = { agent: event.agent, agent_id: event.id, depth: event.depth };
      note(event.event, tape, calls, { session: event.id, data });
      return;
    }
    case 'message':
      void tape.note(event.type, { message: brief(event.message, tape), ...agent.data });
      return;
    case 'tool.start':
      calls.began(event, agent);
      return;
    case 'tool.end':
      calls.ended(event, agent);
      return;
    default: {
      const { type, ...data } = event;
      void tape.note(type, { ...(data as unknown as Record<string, Json>), ...agent.data });
    }
  }
}

/** Longer texts, and the arguments of calls, are in the decisions around the message. */
const MESSAGE_CHARACTERS = 100;

function brief(message: Message, { hide }: SessionTape): Json {
  const { content } = message;
  const long = content.length > MESSAGE_CHARACTERS;
  return {
    ...(message as unknown as JsonObject),
    ...(long && { content: beginning(hide(content), MESSAGE_CHARACTERS), characters: content.length }),
    ...(message.role === 'assistant' && {
      tool_calls: message.tool_calls.map(({ id, name }) => ({ id, name })),
    }),
  };
}

/** Of a text that has been cleaned: half a secret would not be known as one. */
function beginning(text: Json, characters: number): Json {
  return typeof text === 'string' && text.length > characters ? `${text.slice(0, characters)}…` : text;
}

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

/** A call on its way: what `tool.pre` left of it, and what ran. */
interface Attempt {
  judged: string | null;
  ran: { readonly digest: string; readonly args: JsonObject; readonly sandbox: JsonObject | null } | null;
}

/** Longer reasons are in the message that follows. */
const REASON_CHARACTERS = 300;

class Calls {
  private readonly tape: SessionTape;
  private readonly open = new Map<string, Attempt>();

  constructor(tape: SessionTape) {
    this.tape = tape;
  }

  judged({ event, outcome, callId }: Of<'hook'>, agent: Agent): void {
    if (event !== 'tool.pre' || callId === undefined) return;
    const { payload } = outcome;
    if (!isJsonObject(payload) || typeof payload.name !== 'string' || !isJsonObject(payload.args)) return;
    this.attempt(callId, agent).judged = callDigest(payload.name, payload.args);
  }

  began({ callId, name, args, sandbox }: Of<'tool.start'>, agent: Agent): void {
    this.attempt(callId, agent).ran = { digest: callDigest(name, args), args, sandbox: sandbox ?? null };
  }

  ended({ callId, name, content, isError, ms, by, verdict }: Of<'tool.end'>, agent: Agent): void {
    const { judged, ran } = this.attempt(callId, agent);
    this.open.delete(keyOf(callId, agent));
    const report: CallReport = {
      callId,
      tool: name,
      verdict: verdict === 'aborted' ? 'failed' : verdict,
      by,
      reason: isError ? this.reason(content) : null,
      digest: ran?.digest ?? null,
      ...(ran !== null && ran.digest !== judged && { args: ran.args }),
      ...(ran !== null && ran.sandbox !== null && { sandbox: ran.sandbox }),
      ...(agent.session !== null && { session: agent.session }),
    };
    void this.tape.call(report, ran === null ? undefined : ms);
  }

  /** As a text, also if it is one that a secret was taken out of. */
  private reason(content: string): string {
    return beginning(this.tape.hide(content), REASON_CHARACTERS) as string;
  }

  private attempt(callId: string, agent: Agent): Attempt {
    const key = keyOf(callId, agent);
    let attempt = this.open.get(key);
    if (attempt === undefined) this.open.set(key, (attempt = { judged: null, ran: null }));
    return attempt;
  }
}

function keyOf(callId: string, { session }: Agent): string {
  return `${session ?? ''}\n${callId}`;
}
