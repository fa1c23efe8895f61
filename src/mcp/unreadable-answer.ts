/**
 * The ids of an answer that cannot be read: not UTF-8, a key twice, nested too deep. Nothing of it is passed on, and the call it was
 * meant for has to fail instead of waiting.
 */
import { isMessageId, type MessageId } from './message.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|-?\d[\d.eE+-]*/gs;
const COLON = /\s*:/y;

/** Empty for what is no answer, or has no id that can be found. */
export function answerIdsIn(line: Buffer): MessageId[] {
  const text = line.toString('utf8');
  const ids: MessageId[] = [];
  let depth = 0;
  let key: unknown = null;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1) {
      const value = parsed(token);
      COLON.lastIndex = index + token.length;
      if (COLON.test(text)) key = value;
      else if (key === 'id' && isMessageId(value)) ids.push(value);
      if (key === 'method') return [];
    }
  }
  return text.trimStart().startsWith('{') ? ids : [];
}

function parsed(token: string): MessageId | undefined {
  try {
    return JSON.parse(token) as MessageId;
  } catch {
    return undefined;
  }
}
