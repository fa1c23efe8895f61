/**
 * The timeline of a session: each event becomes lines a person can follow, as it happens. What is shown depends on the
 * events alone. Tool calls that run at the same time are told one after the other.
 */

import type { Message } from '../../agent/message.ts';
import type { SessionEvent } from '../../agent/session-event.ts';
import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { whatHooksSaid } from './decision-rows.ts';
import { callText, cut, fillLines, harmless, thousands } from './fit.ts';
import { layOut, type Row, type View } from './row.ts';

const RESULT = { lines: 4, characters: 320 };
const REMINDER = { lines: 1, characters: 160 };
/** Rows of a speaker leave this for the text. */
const MARGIN = 7;

type HookEvent = Extract<SessionEvent, { type: 'hook' }>;

interface Call {
  readonly name: string;
  readonly args: JsonObject;
  /** Not shown yet, because another call is being told. */
  readonly waiting: Row[];
  told: boolean;
  vetoed: boolean;
  done: boolean;
}

const INDENT = '  | ';

export class Timeline {
  private readonly view: View;
  /** Text of the model that does not fill a line yet. */
  private pending = '';
  private speaking = false;
  /** All the text shown of the answer under way. */
  private streamed = '';
  private readonly calls = new Map<string, Call>();
  private readonly children = new Map<string, Timeline>();

  constructor(view: View) {
    this.view = view;
  }

  /** The lines this event adds. */
  lines(event: SessionEvent): string[] {
    if (event.type === 'text') return this.speak(event.text);
    if (event.type === 'agent') return [...this.flush(), ...this.childLines(event)];
    const rest = this.flush();
    return [...rest, ...this.rows(event).flatMap((row) => layOut(row, this.view))];
  }

  /** A sub-agent has a timeline of its own, set in from the one it works for. */
  private childLines({ id, event }: Extract<SessionEvent, { type: 'agent' }>): string[] {
    const view = { ...this.view, width: this.view.width - INDENT.length };
    const child = this.children.get(id) ?? new Timeline(view);
    this.children.set(id, child);
    return child.lines(event).map((line) => (INDENT + line).trimEnd());
  }

  private rows(event: Exclude<SessionEvent, { type: 'text' | 'agent' }>): Row[] {
    switch (event.type) {
      case 'hook':
        return this.hookRows(event);
      case 'message':
        return this.messageRows(event.message);
      case 'tool.start':
        return [];
      case 'tool.end':
        return this.resultRows(event);
      case 'retry':
        return [
          {
            kind: 'speaker',
            label: 'retry',
            style: 'yellow',
            text: `attempt ${event.attempt} failed: ${event.failure.message}; next in ${thousands(event.waitMs)} ms`,
          },
        ];
      case 'reminder':
        return [
          { kind: 'speaker', label: 'note', style: 'cyan', text: cut(reminderText(event.text), REMINDER) },
        ];
      case 'end':
        return this.endRows(event);
    }
  }

  private hookRows(event: HookEvent): Row[] {
    const said = whatHooksSaid(event.outcome, event.payload);
    if (event.callId !== undefined) return this.callRows(event.callId, event, said);
    switch (event.event) {
      case 'turn.start':
        return [...this.promptRows(String(event.payload)), ...said];
      case 'completion.pre':
        this.streamed = '';
        return said.length === 0 ? [] : [BLANK, speaker('ask', 'the next request to the model'), ...said];
      case 'completion.post':
        return said.length === 0 ? [] : [BLANK, speaker('model', describeAnswer(event.payload)), ...said];
      case 'agent.stop':
        return said.length === 0 ? [] : [speaker('stop', 'the model wants to stop here'), ...said];
      case 'turn.end':
        return said.length === 0 ? [] : [speaker('event', event.event), ...said, ...newText(event)];
      default:
        return said.length === 0 ? [] : [speaker('event', event.event), ...said];
    }
  }

  private promptRows(prompt: string): Row[] {
    return this.view.echo ? [BLANK, { kind: 'speaker', label: 'you', style: 'bold', text: prompt }] : [];
  }

  private messageRows(message: Message): Row[] {
    switch (message.role) {
      case 'assistant':
        for (const { id, name, args } of message.tool_calls) this.calls.set(id, newCall(name, args));
        return this.unshownText(message.content);
      // Prompts are shown when they arrive, results when they are there, and what sends the model back with its hook.
      case 'user':
      case 'tool':
        return [];
    }
  }

  /** Text that never came in pieces, or that hooks changed after it had. */
  private unshownText(content: string): Row[] {
    const { streamed } = this;
    this.streamed = '';
    if (content === '' || content === streamed) return [];
    return [BLANK, speaker('model', streamed === '' ? content : `(as it counts) ${content}`)];
  }

  private callRows(id: string, { payload, outcome, event }: HookEvent, said: Row[]): Row[] {
    const call = this.callOf(id, payload);
    if (event === 'tool.pre' && outcome.action === 'block') call.vetoed = true;
    return this.tell(id, event === 'permission.replied' ? [...said, ...approval(payload)] : said);
  }

  private resultRows({ callId, name, content, isError }: Extract<SessionEvent, { type: 'tool.end' }>): Row[] {
    const call = this.callOf(callId, { name });
    call.done = true;
    // What the model reads about a veto is the veto above.
    if (call.vetoed) return this.tell(callId, []);
    const [label, style] = isError ? (['!', 'red'] as const) : (['=', 'green'] as const);
    return this.tell(callId, [{ kind: 'remark', label, style, text: cut(content, RESULT) }]);
  }

  /** Rows of a call: at once if it is the call being told, else when its turn comes. */
  private tell(id: string, rows: readonly Row[]): Row[] {
    this.calls.get(id)!.waiting.push(...rows);
    const told: Row[] = [];
    for (const [first, call] of this.calls) {
      // Nothing is said of a call before something has happened to it.
      if (!call.done && call.waiting.length === 0) break;
      told.push(...openUp(call));
      if (!call.done) break;
      this.calls.delete(first);
    }
    return told;
  }

  private callOf(id: string, payload: unknown): Call {
    const known = this.calls.get(id);
    if (known !== undefined) return known;
    const { name, args } = payload as { name?: unknown; args?: unknown };
    const call = newCall(String(name), isJsonObject(args) ? args : {});
    this.calls.set(id, call);
    return call;
  }

  private endRows({ reason, message }: Extract<SessionEvent, { type: 'end' }>): Row[] {
    const left = [...this.calls.values()].flatMap(openUp);
    this.calls.clear();
    if (reason === 'end_turn' && message === null) return left;
    // Which hook blocked and why stands above.
    const text = message === null || reason.endsWith('_blocked') ? reason : `${reason}: ${message}`;
    return [
      ...left,
      BLANK,
      { kind: 'speaker', label: 'end', style: reason === 'end_turn' ? 'yellow' : 'red', text },
    ];
  }

  private speak(piece: string): string[] {
    this.streamed += piece;
    this.pending += piece;
    const { full, rest } = fillLines(harmless(this.pending), this.view.width - MARGIN);
    this.pending = rest;
    return this.spoken(full);
  }

  private flush(): string[] {
    const rest = this.pending.trimEnd();
    this.pending = '';
    const lines = rest === '' ? [] : this.spoken([rest]);
    this.speaking = false;
    return lines;
  }

  private spoken(lines: readonly string[]): string[] {
    return lines.flatMap((text) => {
      const first = !this.speaking;
      this.speaking = true;
      const row = { ...speaker('model', text), label: first ? 'model' : '' };
      return first ? ['', ...layOut(row, this.view)] : layOut(row, this.view);
    });
  }
}

const BLANK: Row = { kind: 'speaker', label: '', text: '' };

function speaker(label: string, text: string): Row {
  return { kind: 'speaker', label, style: 'cyan', text };
}

function newCall(name: string, args: JsonObject): Call {
  return { name, args, waiting: [], told: false, vetoed: false, done: false };
}

function openUp(call: Call): Row[] {
  const rows = call.waiting.splice(0);
  if (call.told) return rows;
  call.told = true;
  return [{ kind: 'speaker', label: 'tool', style: 'bold', text: callText(call.name, call.args) }, ...rows];
}

/** An answer that hooks spoke about before anybody saw it. */
function describeAnswer(payload: unknown): string {
  const usage =
    isJsonObject(payload) && isJsonObject(payload.usage) ? payload.usage.output_tokens : undefined;
  return typeof usage === 'number' ? `an answer of ${thousands(usage)} tokens` : 'an answer';
}

/** A no is the error the model reads, which follows. */
function approval(payload: unknown): Row[] {
  if (!isJsonObject(payload) || payload.decision !== 'allow') return [];
  const why = typeof payload.reason === 'string' ? payload.reason : '';
  return [{ kind: 'remark', label: '✓ approved', style: 'green', text: why }];
}

/** In one line: what a hook left was shown in full when it left it. */
function reminderText(fragment: string): string {
  return fragment
    .replace(/<\/?system-reminder>/g, '')
    .trim()
    .replace(/\s+/g, ' ');
}

/** The answer as `turn.end` left it. */
function newText({ outcome }: HookEvent): Row[] {
  if (outcome.action !== 'modify' || !isJsonObject(outcome.payload)) return [];
  return [{ kind: 'remark', label: '=', style: 'green', text: String(outcome.payload.text) }];
}
