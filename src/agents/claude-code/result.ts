/**
 * The result of a tool as the text that hooks read, and a text in the place of a result: in the shape the tool gave it, since
 * Claude Code takes no other.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';

export function resultText(response: Json): string {
  if (typeof response === 'string') return response;
  if (Array.isArray(response) && response.every(isTextBlock)) return texts(response).join('\n');
  if (isJsonObject(response) && typeof response.stdout === 'string') {
    const { stdout, stderr } = response;
    return typeof stderr === 'string' && stderr !== '' ? `${stdout}\n${stderr}` : stdout;
  }
  return JSON.stringify(response);
}

/** `text` came out of `resultText(response)` and was changed. */
export function withText(response: Json, text: string): Json {
  if (typeof response === 'string') return text;
  if (Array.isArray(response)) return [{ type: 'text', text }];
  if (!isJsonObject(response)) return text;
  if (typeof response.stdout === 'string') return { ...response, stdout: text, stderr: '' };
  const whole = parsed(text);
  if (isJsonObject(whole)) return whole;
  const place = { left: true };
  const put = replaced(response, text, place) as JsonObject;
  return place.left ? { ...put, result: text } : put;
}

/** The text once, in the first text that may be long; every other text of the result is empty. */
function replaced(value: Json, text: string, place: { left: boolean }, key = ''): Json {
  if (typeof value === 'string') {
    // Words the agent goes by, and what the model knows already.
    if (UNREDACTED_FIELDS.has(key)) return value;
    if (!place.left) return '';
    place.left = false;
    return text;
  }
  if (Array.isArray(value)) return value.map((each) => replaced(each, text, place));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, replaced(each, text, place, name)]);
  return Object.fromEntries(entries) as JsonObject;
}

const UNREDACTED_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'filePath',
  'mode',
  'status',
  'agentId',
  'agentType',
]);

function isTextBlock(value: Json): boolean {
  return isJsonObject(value) && value.type === 'text' && typeof value.text === 'string';
}

function texts(blocks: readonly Json[]): string[] {
  return blocks.map((block) => String((block as JsonObject).text));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
