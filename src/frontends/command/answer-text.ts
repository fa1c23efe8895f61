/**
 * What a command wrote to stdout, before anybody asks what it means: nothing, text, one JSON object, or something that
 * was meant to be JSON and is not.
 */
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { readJson } from '../../base/json-text.ts';

export type Answer =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly object: JsonObject }
  /** `message` says where it stops being JSON. */
  | { readonly kind: 'broken'; readonly text: string; readonly message: string };

/** Only the whole of stdout counts: an object somewhere in a text is text. */
export function readAnswer(stdout: string): Answer {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  // A line of text may well begin with a bracket; only a list that parses was meant as JSON.
  if (!text.startsWith('{') && !text.startsWith('[')) return { kind: 'text', text };
  const reading = readJson(text);
  if (reading.ok) {
    if (isJsonObject(reading.value)) return { kind: 'object', object: reading.value };
    return { kind: 'broken', text, message: 'stdout is a JSON list, not an object' };
  }
  if (text.startsWith('[')) return { kind: 'text', text };
  const where = `${reading.line}:${reading.col}`;
  return { kind: 'broken', text, message: `stdout is not one JSON object: ${reading.message} at ${where}` };
}
