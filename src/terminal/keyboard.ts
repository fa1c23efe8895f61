/**
 * The keyboard, for prompts and for questions about single calls. Where keys arrive one by one they edit a text as in a shell;
 * what is pasted is one text however many lines it has. Elsewhere a line is a line, and one that ends with a backslash goes on.
 */
import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { machineHost, pause } from '../machine/index.ts';
import { breakExactly, harmless, wrapLaidOut } from './fit.ts';
import { cursorMove, type Style } from './output.ts';
import { layOut, MARGIN } from './row.ts';
import { Screen, streamTerminal } from './screen.ts';
import { showTyped, type TypedPrompt, TypedText } from './typed-text.ts';

export interface KeyboardOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether keys arrive one by one; the default is what input and output are. */
  readonly keys?: boolean;
  /** Where keys are shown; by default a screen of its own. */
  readonly screen?: Screen;
  readonly paint?: (style: Style, text: string) => string;
  /** What was typed before, oldest first. */
  readonly past?: readonly string[];
  /** What a text that begins so may become; null if nothing or several. */
  readonly complete?: (text: string) => string | null;
}

/** So long lines that were typed before a question may take to arrive. */
const SETTLE_MS = 120;

const PROMPT = 'you'.padEnd(MARGIN);
/** While an answer is under way: what is typed waits for its end. */
const NEXT = 'next'.padEnd(MARGIN);

export class Keyboard {
  private readonly hands: Lines | Keys;
  private waiting: ((line: string | null) => void) | null = null;
  private readonly typed: string[] = [];
  private closed = false;
  private onInterrupt: () => void = () => this.close();

  constructor(options: KeyboardOptions) {
    const hear: Hear = {
      line: (line) => this.take(line),
      interrupt: () => this.onInterrupt(),
      end: () => {
        this.closed = true;
        this.answer(null);
      },
    };
    this.hands = hasKeys(options) ? new Keys(options, hear) : new Lines(options, hear);
  }

  /** The next prompt, or null once there are no more. Those typed ahead count. */
  async ask(signal?: AbortSignal): Promise<string | null> {
    const early = this.typed.shift();
    this.hands.waiting(this.typed);
    if (early !== undefined) {
      this.hands.echo(early, true);
      return early;
    }
    const line = await this.question(() => this.hands.prompt(), signal);
    if (line !== null) this.hands.echo(line, false);
    return line;
  }

  /**
   * The next line typed after the question could be read. What was typed before it was meant for something else: lines wait
   * for `ask`, also those still on their way when the question is written, and so does a line begun.
   */
  async confirm(question: string, signal?: AbortSignal): Promise<string | null> {
    await pause(SETTLE_MS);
    const lines = question.split('\n');
    const last = lines.pop()!;
    const answer = await this.question(() => {
      if (lines.length > 0) this.hands.say(lines.join('\n'));
      this.hands.question(last);
    }, signal);
    this.hands.answered(last, answer);
    return answer;
  }

  /** Says something in between; what is being typed stands below it. */
  say(text: string): void {
    this.hands.say(text);
  }

  /** Prompts that wait are not sent: they stand where they were typed. */
  takeBack(): void {
    this.hands.takeBack(this.typed.splice(0));
    this.hands.waiting(this.typed);
  }

  /** A prompt that a person may want again. */
  remember(prompt: string): readonly string[] {
    return this.hands.remember(prompt);
  }

  /** What Ctrl-C does, where the terminal hands over keys instead of sending a signal. */
  set interruptedBy(listener: () => void) {
    this.onInterrupt = listener;
  }

  close(): void {
    this.hands.close();
  }

  private question(show: () => void, signal?: AbortSignal): Promise<string | null> {
    if (this.closed || signal?.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const give = () => this.answer(null);
      signal?.addEventListener('abort', give, { once: true });
      this.waiting = (line) => {
        signal?.removeEventListener('abort', give);
        resolve(line);
      };
      show();
    });
  }

  private take(line: string): void {
    if (this.waiting !== null) this.answer(line);
    else {
      this.typed.push(line);
      this.hands.waiting(this.typed);
    }
  }

  private answer(line: string | null): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.(line);
  }
}

function hasKeys({ keys, input, output }: KeyboardOptions): boolean {
  if (keys !== undefined) return keys;
  const both = (input as NodeJS.ReadStream).isTTY === true && (output as NodeJS.WriteStream).isTTY === true;
  return both && machineHost.env('TERM') !== 'dumb';
}

interface Hear {
  readonly line: (line: string) => void;
  readonly interrupt: () => void;
  readonly end: () => void;
}

/** Line by line: the terminal, or whatever stands in for it, does the editing. */
class Lines {
  private readonly lines: Interface;
  private readonly output: Writable;
  private readonly past: string[];
  private begun = '';
  private asks = false;

  constructor({ input, output, past = [] }: KeyboardOptions, hear: Hear) {
    this.output = output;
    this.past = [...past];
    this.lines = createInterface({ input, output, terminal: false });
    this.lines.on('line', (line) => {
      const more = !this.asks && line.endsWith('\\');
      const text = this.begun + (more ? `${line.slice(0, -1)}\n` : line);
      this.begun = more ? text : '';
      if (!more) hear.line(text);
    });
    this.lines.on('SIGINT', hear.interrupt);
    this.lines.on('close', hear.end);
  }

  say(text: string): void {
    this.output.write(`${text}\n`);
  }

  prompt(): void {
    this.output.write(`\n${PROMPT}`);
  }

  question(text: string): void {
    this.asks = true;
    this.output.write(text);
  }

  answered(): void {
    this.asks = false;
  }

  echo(line: string, early: boolean): void {
    if (early) this.say(`\n${PROMPT}${harmless(line)}`);
  }

  waiting(): void {}

  /** What a terminal has taken cannot be put back. */
  takeBack(lines: readonly string[]): void {
    if (lines.length > 0) this.say(`not sent: ${lines.map((line) => harmless(line)).join('; ')}`);
  }

  remember(prompt: string): readonly string[] {
    this.past.push(prompt);
    return this.past;
  }

  close(): void {
    this.lines.close();
  }
}

/** Key by key, at the bottom of a screen. */
class Keys {
  private readonly options: KeyboardOptions;
  private readonly hear: Hear;
  private readonly screen: Screen;
  private readonly removePart: () => void;
  private readonly ends: (() => void)[] = [];
  /** What is being typed for the next prompt. */
  private readonly typed: TypedText;
  private mode: 'silent' | 'prompt' | 'ahead' = 'silent';
  /** A question that stands in front of it. */
  private asked: { readonly text: string; readonly typed: TypedText } | null = null;
  private queued: readonly string[] = [];
  private pasted: string | null = null;
  private open = true;

  constructor(options: KeyboardOptions, hear: Hear) {
    this.options = options;
    this.hear = hear;
    this.typed = new TypedText(options.past ?? []);
    this.screen = options.screen ?? new Screen(streamTerminal(options.output));
    this.removePart = this.screen.add(({ columns, rows }) => {
      const prompt = this.promptNow();
      return prompt === null ? { lines: [] } : showTyped(this.current, prompt, { columns, rows });
    });
    this.listen();
  }

  say(text: string): void {
    const width = this.screen.size.columns - 1;
    // Arguments of a call, which are set in, are shown with every blank they have.
    const rows = text
      .split('\n')
      .flatMap((line) =>
        line.startsWith('  ') ? breakExactly(line, width, '  ↪ ') : [wrapLaidOut(line, width)],
      );
    this.screen.print(rows.join('\n'));
  }

  prompt(): void {
    this.mode = 'prompt';
    this.screen.draw();
  }

  question(text: string): void {
    this.asked = { text, typed: new TypedText(null) };
    this.screen.draw();
  }

  answered(text: string, answer: string | null): void {
    this.asked?.typed.close();
    this.asked = null;
    this.say(`${text}${answer === null ? '' : harmless(answer)}`);
  }

  echo(line: string): void {
    const { columns } = this.screen.size;
    this.mode = 'ahead';
    const view = { width: columns - 1, echo: true, paint: this.options.paint ?? ((_, text) => text) };
    const rows = layOut({ kind: 'speaker', label: 'you', style: 'bold', text: line }, view);
    this.screen.print(['', ...rows].join('\n'));
  }

  waiting(lines: readonly string[]): void {
    this.queued = [...lines];
    this.screen.draw();
  }

  takeBack(lines: readonly string[]): void {
    this.typed.replace([...lines, this.typed.text].filter((text) => text !== '').join('\n'));
  }

  /** Whatever was entered is remembered already. */
  remember(): readonly string[] {
    return this.typed.past;
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.mode = 'silent';
    this.asked = null;
    this.typed.close();
    this.removePart();
    for (const end of this.ends) end();
    this.hear.end();
  }

  private get current(): TypedText {
    return this.asked?.typed ?? this.typed;
  }

  private promptNow(): TypedPrompt | null {
    const paint = this.options.paint ?? ((_: Style, text: string) => text);
    if (this.asked !== null) return { text: this.asked.text, paint: (text) => text, above: [] };
    if (this.mode === 'silent') return null;
    const waits = this.mode === 'ahead';
    return {
      text: waits ? NEXT : PROMPT,
      paint: (text) => paint(waits ? 'dim' : 'bold', text),
      above: waits ? this.queued.map((line) => `queued ${line}`) : [''],
    };
  }

  private listen(): void {
    const input = this.options.input as NodeJS.ReadStream;
    const onKey = (text: string | undefined, key: Key | undefined) =>
      this.key(text, key ?? { sequence: text ?? '' });
    const onEnd = () => this.close();
    emitKeypressEvents(input);
    input.on('keypress', onKey);
    input.on('end', onEnd);
    input.resume();
    this.ends.push(() => {
      input.off('keypress', onKey);
      input.off('end', onEnd);
      input.pause();
    });
    if (input.isTTY !== true) return;
    const begin = () => {
      input.setRawMode(true);
      this.screen.put(cursorMove('pasteMarksOn'));
    };
    const restore = () => {
      this.screen.put(cursorMove('pasteMarksOff'));
      input.setRawMode(false);
    };
    const resume = () => {
      begin();
      this.screen.redraw();
    };
    begin();
    // Also where something else ends the process: a shell in raw mode cannot be used.
    process.once('exit', restore);
    process.on('SIGCONT', resume);
    this.ends.push(() => {
      process.off('exit', restore);
      process.off('SIGCONT', resume);
      restore();
    });
    this.suspend = () => {
      restore();
      process.kill(process.pid, 'SIGTSTP');
    };
  }

  private suspend: () => void = () => {};

  private key(text: string | undefined, key: Key): void {
    if (!this.open) return;
    if (key.name === 'paste-start') this.pasted = '';
    else if (key.name === 'paste-end') this.paste();
    else if (this.pasted !== null) this.pasted += key.sequence ?? '';
    else this.press(text, key);
  }

  private paste(): void {
    this.current.insert((this.pasted ?? '').replace(/[\r\n]+$/, ''));
    this.pasted = null;
    this.screen.draw();
  }

  private press(text: string | undefined, key: Key): void {
    const name = keyName(key);
    const { current } = this;
    if (name === 'ctrl+c') this.interrupt();
    else if (name === 'ctrl+d' && current.text === '') this.close();
    else if (name === 'ctrl+z') this.suspend();
    else if (name === 'ctrl+l') this.screen.clear();
    else if (name === 'return') this.enter();
    else if (NEW_LINE.has(name)) current.insert('\n');
    else if (name === 'tab') {
      const whole = this.asked === null ? (this.options.complete?.(current.text) ?? null) : null;
      if (whole !== null) current.replace(whole);
    } else current.press(text, key);
    if (this.open) this.screen.draw();
  }

  /** At a prompt it takes back what was typed; anywhere else it is a wish to stop. */
  private interrupt(): void {
    if (this.asked === null && this.mode === 'prompt' && this.typed.text !== '') this.typed.replace('');
    else this.hear.interrupt();
  }

  private enter(): void {
    const { current } = this;
    const { text, cursor } = current;
    if (this.asked === null) {
      if (cursor === text.length && text.endsWith('\\')) {
        current.replace(`${text.slice(0, -1)}\n`);
        return;
      }
      // Nothing waits for what is typed where no prompt was ever shown.
      if (this.mode === 'silent' || text.trim() === '') return;
    }
    this.hear.line(current.take());
  }
}

/** As terminals send Shift-Enter that tell it from Enter. */
const SHIFT_ENTER: ReadonlySet<string> = new Set(['\u001b[13;2u', '\u001b[27;2;13~', '\u001bOM']);
/** Ctrl-J is `enter`; Alt-Enter comes as one of two. */
const NEW_LINE: ReadonlySet<string> = new Set(['shift-enter', 'enter', 'meta+return', 'meta+enter']);

/** `ctrl+a`, `meta+left`, `up`. */
function keyName({ name = '', ctrl, meta, sequence = '' }: Key): string {
  if (SHIFT_ENTER.has(sequence)) return 'shift-enter';
  return `${ctrl === true ? 'ctrl+' : ''}${meta === true ? 'meta+' : ''}${name}`;
}
