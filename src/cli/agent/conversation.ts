/**
 * A conversation at the terminal: one prompt a line. Ctrl-C stops the answer under way; pressed twice, or Ctrl-D, it
 * ends the conversation.
 */
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Session } from '../../agent/session.ts';
import type { Interrupts } from './interrupt.ts';

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether keys arrive one by one; the default is what the input is. */
  readonly keys?: boolean;
}

/** So long lines that were typed before a question may take to arrive. */
const SETTLE_MS = 120;

const PROMPT = '\nyou    ';
const GOODBYE: ReadonlySet<string> = new Set(['/exit', '/quit', 'exit', 'quit']);

/** The keyboard, for prompts and for questions about single calls. */
export class Keyboard {
  private readonly lines: Interface;
  private readonly output: Writable;
  private waiting: ((line: string | null) => void) | null = null;
  private readonly typed: string[] = [];
  private closed = false;
  private onInterrupt: () => void = () => this.close();

  constructor({ input, output, keys }: Terminal) {
    this.output = output;
    this.lines = createInterface({ input, output, ...(keys !== undefined && { terminal: keys }) });
    this.lines.on('line', (line) => this.take(line));
    this.lines.on('SIGINT', () => this.onInterrupt());
    this.lines.on('close', () => {
      this.closed = true;
      this.answer(null);
    });
  }

  /** The next line, or null once there are no more. Lines typed ahead count. */
  ask(question: string, signal?: AbortSignal): Promise<string | null> {
    const early = this.typed.shift();
    return early === undefined ? this.question(question, signal) : Promise.resolve(early);
  }

  /**
   * The next line typed after the question could be read. What was typed before it was meant for something else: lines wait
   * for `ask`, also those still on their way when the question is written, and a line begun is taken back.
   */
  async confirm(question: string, signal?: AbortSignal): Promise<string | null> {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if (this.lines.line !== '') this.lines.write(null, { ctrl: true, name: 'u' });
    return this.question(question, signal);
  }

  private question(question: string, signal?: AbortSignal): Promise<string | null> {
    if (this.closed || signal?.aborted) return Promise.resolve(null);
    this.lines.setPrompt(question.slice(question.lastIndexOf('\n') + 1));
    this.output.write(question.slice(0, question.lastIndexOf('\n') + 1));
    this.lines.prompt();
    return new Promise((resolve) => {
      const give = () => this.answer(null);
      signal?.addEventListener('abort', give, { once: true });
      this.waiting = (line) => {
        signal?.removeEventListener('abort', give);
        resolve(line);
      };
    });
  }

  /** Says something in between; the question stands below it again. */
  say(text: string): void {
    this.output.write(`\n${text}\n`);
    this.lines.prompt(true);
  }

  /** What Ctrl-C does, where the terminal hands over keys instead of sending a signal. */
  set interruptedBy(listener: () => void) {
    this.onInterrupt = listener;
  }

  close(): void {
    this.lines.close();
  }

  private take(line: string): void {
    if (this.waiting === null) this.typed.push(line);
    else this.answer(line);
  }

  private answer(line: string | null): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.(line);
  }
}

export async function converse(session: Session, keyboard: Keyboard, interrupts: Interrupts): Promise<void> {
  let answering = false;
  let warned = false;
  keyboard.interruptedBy = () => {
    if (answering) interrupts.interrupt();
    else if (warned) keyboard.close();
    else {
      warned = true;
      keyboard.say('Ctrl-C once more, or Ctrl-D, ends the conversation.');
    }
  };
  for (;;) {
    const line = await keyboard.ask(PROMPT);
    if (line === null) return;
    const prompt = line.trim();
    if (GOODBYE.has(prompt)) return;
    if (prompt === '') continue;
    warned = false;
    answering = true;
    await session.run(prompt, { signal: interrupts.next() }).result;
    answering = false;
  }
}
