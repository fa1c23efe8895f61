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

/**
 * A copy of the list in which the message at `place` ends with the text: as a block of its own where the message has
 * blocks, after an empty line where it is one text. The type of the content stays what its provider expects.
 */
export function withBlock<M extends RequestMessage>(
  messages: readonly M[],
  place: number,
  text: string,
): M[] {
  const carrier = messages[place]!;
  const copy = [...messages];
  copy[place] = { ...carrier, content: extended(carrier.content, text) };
  return copy;
}

function extended(content: unknown, text: string): unknown {
  if (Array.isArray(content)) return [...content, { type: 'text', text }];
  return typeof content === 'string' && content !== '' ? `${content}\n\n${text}` : text;
}
