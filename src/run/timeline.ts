/**
 * The timeline of a session: each event becomes lines a person can follow, as it happens. What is shown depends on the
 * events alone. Tool calls that run at the same time are told one after the other.
 */

import type { Message, SessionEvent } from '../agent/index.ts';
import { isJsonObject, type JsonObject } from '../base/index.ts';
import {
  callText,
  cut,
  Flow,
  harmless,
  hookRows,
  layOut,
  MARGIN,
  type Row,
  thousands,
  type View,
} from '../terminal/index.ts';

const RESULT = { lines: 4, characters: 320 };
const REMINDER = { lines: 1, characters: 160 };

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
  /** Text of the model on its way into lines. */
  private readonly flow: Flow;
  /** The end of a piece that only means something together with what follows it. */
  private half = '';
  private speaking = false;
  /** All the text shown of the answer under way. */
  private streamed = '';
  private readonly calls = new Map<string, Call>();
  private readonly children = new Map<string, Timeline>();

  constructor(view: View) {
    this.view = view;
    this.flow = new Flow(() => view.width - MARGIN);
  }

  /** The lines of the model's text that more words may still go on with, the last of each agent that speaks. */
  get underWay(): string[] {
    const children = [...this.children.values()].flatMap((child) => child.underWay);
    const { rest } = this.flow;
    const own = rest === '' ? [] : layOut(this.spokenRow(rest), this.view);
    return [
      ...(own.length > 0 && !this.speaking ? [''] : []),
      ...own,
      ...children.map((line) => INDENT + line),
    ];
  }

  /** The lines this event adds. */
  lines(event: SessionEvent): string[] {
    if (event.type === 'text') return this.speak(event.text);
    if (event.type === 'held') return [];
    if (event.type === 'agent') return [...this.flush(), ...this.childLines(event)];
    const rest = this.flush();
    return [...rest, ...this.rows(event).flatMap((row) => layOut(row, this.view))];
  }

  /** A sub-agent has a timeline of its own, set in from the one it works for. */
  private childLines({ id, event }: Extract<SessionEvent, { type: 'agent' }>): string[] {
    const child = this.children.get(id) ?? new Timeline(setIn(this.view));
    this.children.set(id, child);
    return child.lines(event).map((line) => (INDENT + line).trimEnd());
  }

  private rows(event: Exclude<SessionEvent, { type: 'text' | 'held' | 'agent' }>): Row[] {
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
    const said = hookRows(event.outcome, event.payload);
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
    const text = this.half + piece;
    this.half = HALF.exec(text)?.[0] ?? '';
    return this.spoken(this.flow.take(harmless(text.slice(0, text.length - this.half.length))));
  }

  private flush(): string[] {
    const last = harmless(this.half);
    this.half = '';
    const lines = this.spoken([...this.flow.take(last), ...this.flow.end()]);
    this.speaking = false;
    return lines;
  }

  private spoken(texts: readonly string[]): string[] {
    return texts.flatMap((text) => {
      const lines = layOut(this.spokenRow(text), this.view);
      const first = !this.speaking;
      this.speaking = true;
      return first ? ['', ...lines] : lines;
    });
  }

  private spokenRow(text: string): Row {
    return { ...speaker('model', text), label: this.speaking ? '' : 'model' };
  }
}

/** Half of a character, of a picture or of a line end. */
const HALF = /(?:[\ud800-\udbff\u200d]|\r)$/;

function setIn(view: View): View {
  return {
    ...view,
    get width() {
      return view.width - INDENT.length;
    },
  };
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
