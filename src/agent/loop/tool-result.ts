/**
 * What a tool returned, as the model reads it: its text, or its JSON, and never more of it than the session allows.
 */
import { head, type Json } from '../../base/index.ts';
import { describeThrown } from '../../engine/index.ts';

export interface ToolAnswer {
  readonly content: string;
  /** The decoded value hooks see beside the text. */
  readonly result: Json;
  readonly isError: boolean;
}

export function answerOf(returned: unknown, limit: number): ToolAnswer {
  if (typeof returned === 'string') return whole(returned, returned, limit);
  let content: string | undefined;
  try {
    content = JSON.stringify(returned ?? null);
  } catch (thrown) {
    return errorOf(`tool failed: what it returned is no JSON: ${describeThrown(thrown)}`, limit);
  }
  if (content === undefined)
    return errorOf(`tool failed: it returned a ${typeof returned}, which is no JSON`, limit);
  return whole(content, (returned ?? null) as Json, limit);
}

export function errorOf(message: string, limit: number): ToolAnswer {
  return { ...whole(message, message, limit), isError: true };
}

/** Cut with a note, so that the model knows that there was more. */
export function cut(content: string, limit: number): string {
  if (content.length <= limit) return content;
  const kept = head(content, limit);
  return `${kept}\n[cut: these are the first ${kept.length} of ${content.length} characters]`;
}

function whole(content: string, result: Json, limit: number): ToolAnswer {
  const kept = cut(content, limit);
  return { content: kept, result: kept === content ? result : kept, isError: false };
}
