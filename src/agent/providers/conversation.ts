/**
 * The conversation as services want it: every tool call with its result. A session that goes on from a transcript that was
 * cut off has calls without one, and a service would refuse all of it.
 */
import type { Message } from '../message.ts';

const UNANSWERED = 'tool failed: the call was not finished';

type ToolResult = Extract<Message, { role: 'tool' }>;

/** Missing results are errors, and stand after those that came. */
export function withEveryCallAnswered(messages: readonly Message[]): readonly Message[] {
  const whole: Message[] = [];
  let open = new Map<string, ToolResult>();
  const close = () => {
    whole.push(...open.values());
    open = new Map();
  };
  for (const message of messages) {
    if (message.role === 'tool') open.delete(message.call_id);
    else close();
    whole.push(message);
    if (message.role !== 'assistant') continue;
    for (const { id, name } of message.tool_calls) {
      open.set(id, { role: 'tool', call_id: id, name, content: UNANSWERED, is_error: true });
    }
  }
  close();
  return whole;
}
