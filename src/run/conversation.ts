/**
 * A conversation at the terminal. Ctrl-C stops the answer under way, or takes back what is being typed; pressed twice, or Ctrl-D,
 * it ends the conversation.
 */
import type { MaybePromise } from '../engine/index.ts';
import type { Keyboard } from '../terminal/index.ts';
import type { Interrupts } from './interrupt.ts';

export interface Talk {
  /** Sends a prompt to the model, and ends when the answer has. */
  readonly ask: (prompt: string, signal: AbortSignal) => Promise<unknown>;
  readonly keyboard: Keyboard;
  readonly interrupts: Interrupts;
  /** Before a line goes to the model: what becomes of it. */
  readonly hear: (line: string) => MaybePromise<'sent' | 'heard' | 'over'>;
  /** Whether no more can be asked, because the record is broken. */
  readonly over?: () => boolean;
}

export async function converse({ ask, keyboard, interrupts, hear, over }: Talk): Promise<void> {
  let answering = false;
  let warned = false;
  keyboard.interruptedBy = () => {
    if (answering) {
      // A person who stops an answer does not want the next one to begin.
      keyboard.takeBack();
      interrupts.interrupt();
    } else if (warned) keyboard.close();
    else {
      warned = true;
      keyboard.say('Ctrl-C once more, or Ctrl-D, ends the conversation.');
    }
  };
  for (;;) {
    const line = await keyboard.ask();
    if (line === null) return;
    if (line.trim() === '') continue;
    warned = false;
    const heard = await hear(line);
    if (heard === 'over') return;
    if (heard === 'heard') continue;
    answering = true;
    await ask(line.trim(), interrupts.next());
    answering = false;
    if (over?.() === true) return;
  }
}
