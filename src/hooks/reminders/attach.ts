/**
 * Reminders on a request: one extra block on its last user message. What is stored as history is never touched.
 */

/** The least a message must be; providers' messages have more. */
export interface RequestMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** The place of the message that can carry reminders, or -1. */
export function carrierOf(messages: readonly RequestMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user');
}

/** A copy of the list in which the message at `place` has one more text block. */
export function withBlock<M extends RequestMessage>(
  messages: readonly M[],
  place: number,
  text: string,
): M[] {
  const copy = [...messages];
  const carrier = messages[place]!;
  copy[place] = { ...carrier, content: [...blocksOf(carrier.content), { type: 'text', text }] };
  return copy;
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}
