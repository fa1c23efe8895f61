/**
 * What a model thought on the way to its answers. The service wants it back unchanged with the conversation, and refuses
 * it once anything before it has changed: the system prompt, a tool, an earlier message. Hooks change such things all the
 * time, so thoughts go back only where everything before them is what it was; elsewhere they are left out, which the
 * service allows.
 */

import type Anthropic from '@anthropic-ai/sdk';
import { sameJson } from '../../base/index.ts';
import type { Message } from '../message.ts';

type Block = Anthropic.ContentBlockParam;
type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** One message of the request, and for an answer of the model what it was made from. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
  readonly said?: AssistantMessage;
}

/** More than any conversation has; beyond it the thoughts of the oldest would only fill memory. */
const MOST_CHARS = 100_000_000;

export class ThinkingMemory {
  /** A number for each beginning of a conversation: the number of what is before it, and its last message. */
  private places = new Map<string, number>();
  private answers = new Map<string, readonly Block[]>();
  private chars = 0;
  /** Never begins again, so that a request under way cannot mean another place. */
  private last = 0;

  /** The messages with the thoughts that may go back, and the place of the answer that will follow them. */
  recall(frame: string, turns: readonly Turn[]): { messages: Anthropic.MessageParam[]; place: number } {
    if (this.chars > MOST_CHARS) this.forget();
    const messages: Anthropic.MessageParam[] = [];
    let place = this.after(0, frame);
    for (const { role, content, said } of turns) {
      const known = said && this.answers.get(answerKey(place, said.content, said.tool_calls));
      const message = { role, content: (known && restored(known, said)) ?? content };
      messages.push(message);
      place = this.after(place, JSON.stringify(message));
    }
    return { messages, place };
  }

  keep(place: number, blocks: readonly Block[]): void {
    if (!blocks.some(isThought)) return;
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const calls = blocks.filter((block) => block.type === 'tool_use');
    this.answers.set(answerKey(place, text, calls), blocks);
  }

  private after(place: number, message: string): number {
    const key = `${place} ${message}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    this.chars += key.length;
    this.last++;
    this.places.set(key, this.last);
    return this.last;
  }

  private forget(): void {
    this.places = new Map();
    this.answers = new Map();
    this.chars = 0;
  }
}

function answerKey(place: number, text: string, calls: readonly { readonly id: string }[]): string {
  return JSON.stringify([place, text, calls.map(({ id }) => id)]);
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/**
 * The answer as it came, with the calls as the conversation holds them. Null if something was taken out of a call: what
 * a hook removed there may stand in the thoughts as well.
 */
function restored(blocks: readonly Block[], { tool_calls }: AssistantMessage): Block[] | null {
  const kept: Block[] = [];
  let isAltered = false;
  for (const block of blocks) {
    if (block.type !== 'tool_use') {
      // A thought depends on what is before it in its own answer too.
      if (!isAltered || !isThought(block)) kept.push(block);
      continue;
    }
    const call = tool_calls.find(({ id }) => id === block.id);
    const input = Object.entries(block.input as object);
    if (call === undefined || call.name !== block.name) return null;
    if (!input.every(([key, value]) => sameJson(call.args[key], value))) return null;
    isAltered ||= Object.keys(call.args).length > input.length;
    kept.push({ ...block, input: call.args });
  }
  return kept;
}
