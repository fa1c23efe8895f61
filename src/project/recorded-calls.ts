/**
 * What was fired on tapes, each kind once: payloads to try on other policies. One that is not on the tape as it was is left out.
 */
import { HarnessError, isJsonObject, type Json } from '../base/index.ts';
import { Backtest } from '../tape/index.ts';

export interface RecordedCall {
  readonly event: string;
  readonly payload: Json;
}

export interface ReadCalls {
  readonly calls: readonly RecordedCall[];
  /** Files that are no tapes, with the reason. */
  readonly broken: readonly string[];
}

export async function recordedCalls(files: readonly string[], most: number): Promise<ReadCalls> {
  const calls = new Map<string, RecordedCall>();
  const broken: string[] = [];
  // Without hooks: it is only read, whole as a backtest needs it.
  const reader = new Backtest([], {
    observe: ({ event, payload }) => {
      const call = { event, payload: withoutIds(payload) };
      if (calls.size < most) calls.set(JSON.stringify(call), call);
    },
  });
  for (const file of files) {
    if (calls.size >= most) break;
    try {
      await reader.run(file);
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
