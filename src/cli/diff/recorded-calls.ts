/**
 * What was fired on tapes, each kind once: payloads to try on other policies. A payload that is not on the tape as it was, or
 * that a hook emitted, is left out.
 */
import { HarnessError } from '../../base/errors.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { readTape } from '../../tape/tape-reader.ts';

export interface RecordedCall {
  readonly event: string;
  readonly payload: Json;
}

export interface ReadCalls {
  readonly calls: readonly RecordedCall[];
  /** Files that are no tapes, with the reason. */
  readonly broken: readonly string[];
}

export function recordedCalls(files: readonly string[], most: number): ReadCalls {
  const calls = new Map<string, RecordedCall>();
  const broken: string[] = [];
  for (const file of files) {
    if (calls.size >= most) break;
    try {
      for (const { record } of readTape(file).entries) {
        const fired =
          record.type === 'decision'
            ? (record.in as Partial<RecordedCall>)
            : record.type === 'dispatch'
              ? record
              : null;
        if (fired?.event === undefined || fired.payload === undefined || calls.size >= most) continue;
        const call = { event: fired.event, payload: withoutIds(fired.payload) };
        calls.set(JSON.stringify(call), call);
      }
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      broken.push(error.message);
    }
  }
  return { calls: [...calls.values()], broken };
}

/** Ids make calls different that are the same to every hook. */
function withoutIds(payload: Json): Json {
  if (!isJsonObject(payload)) return payload;
  const { id: _id, call_id: _call, session_id: _session, arguments: _text, ...rest } = payload;
  return rest;
}
