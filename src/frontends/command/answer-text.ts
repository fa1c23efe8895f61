/**
 * What a command wrote to stdout, before anybody asks what it means: nothing, text, one JSON object, or something that
 * was meant to be JSON and is not.
 */
import { isJsonObject, type Json, type JsonObject, readJson } from '../../base/index.ts';

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
    // A list of texts and numbers is what it is; one of objects may hold a decision.
    if (!(reading.value as readonly Json[]).some(isJsonObject)) return { kind: 'text', text };
    return { kind: 'broken', text, message: 'stdout is a JSON list, not an object' };
  }
  if (text.startsWith('[')) return { kind: 'text', text };
  const where = `${reading.line}:${reading.col}`;
  return { kind: 'broken', text, message: `stdout is not one JSON object: ${reading.message} at ${where}` };
}

/**
 * The objects that stand in a text among other things: after a line of log, in a fence, in quotes, in another encoding.
 * None of them is the answer; a decision found in one was meant to be.
 */
export function objectsAmid(output: string): JsonObject[] {
  if (!output.includes('{')) return [];
  // Zero bytes are what UTF-16 leaves between the letters.
  const text = output.replaceAll('\0', '');
  const quoted = text.trim().startsWith('"') ? readJson(text) : null;
  const spoken = quoted?.ok === true && typeof quoted.value === 'string' ? quoted.value : text;
  const whole = spoken.slice(spoken.indexOf('{'), spoken.lastIndexOf('}') + 1);
  return [whole, ...spoken.split('\n').map((line) => line.slice(line.indexOf('{')))]
    .filter((part) => part.startsWith('{'))
    .flatMap((part) => {
      const reading = readJson(part);
      return reading.ok && isJsonObject(reading.value) ? [reading.value] : [];
    });
}
