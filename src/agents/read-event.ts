/**
 * The frame that reading a payload has in every adapter: which event it is, where it comes from, then the adapter's own
 * reader of that event. A payload that lacks what is needed is a sentence, never an exception.
 */
import type { Json, JsonObject } from '../base/index.ts';
import type { EventRow, NativeCall, Unreadable } from './adapter.ts';
import { eventRow, isUnreadable, NativeReader } from './read-native.ts';
import type { EventParts } from './tool-events.ts';
import { isNotACall, type NotACall } from './tool-forms.ts';

/** Where a payload comes from. */
export type Source = Pick<NativeCall, 'session' | 'cwd' | 'roots' | 'transcript' | 'subAgent'>;

/** Reads one event: the payload, its fields with complaints, and the session. */
export type EventReader = (
  native: JsonObject,
  fields: NativeReader,
  session: string,
  row: EventRow,
) => EventParts | NotACall;

export interface ReadOptions {
  readonly rows: readonly EventRow[];
  /** The name in the payload, null if it has none. */
  readonly named: (native: JsonObject) => string | null;
  readonly source: (native: JsonObject, fields: NativeReader) => Source;
  /** By native event name. */
  readonly readers: Readonly<Record<string, EventReader>>;
}

export function eventReaderOf({ rows, named, source, readers }: ReadOptions) {
  return (native: JsonObject, event: string | null): NativeCall | Unreadable => {
    const row = eventRow(rows, event, named(native));
    if (isUnreadable(row)) return row;
    const fields = new NativeReader(native);
    const from = source(native, fields);
    const reader = isNative(row) ? nativeEvent : readers[row.native]!;
    const parts = reader(native, fields, from.session, row);
    const problem = isNotACall(parts) ? parts.problem : (fields.problems[0] ?? null);
    if (problem !== null || isNotACall(parts)) return { problem: problem ?? 'not readable', row };
    return { row, callId: null, ...parts, ...from, native };
  };
}

/** The frame of the agents that follow Claude Code's names of fields. */
export const SNAKE_CASE: Pick<ReadOptions, 'named' | 'source'> = {
  named: (native) => optionalText(native, 'hook_event_name'),
  source: (native, fields) => ({
    session: fields.text('session_id'),
    cwd: optionalText(native, 'cwd'),
    transcript: optionalText(native, 'transcript_path'),
    subAgent: subAgentIn(native, 'agent_id', 'agent_type'),
  }),
};

/** Of an agent's own event: an event that the catalog has no name for. */
export function isNative({ event }: EventRow): boolean {
  return event.startsWith('native.');
}

/** What every payload of an agent has, whatever the event. */
const FRAME: ReadonlySet<string> = new Set([
  ...['hook_event_name', 'hookName', 'hookEventName', 'event', 'timestamp', 'cwd', 'working_dir'],
  ...['transcript_path', 'transcriptPath', 'permission_mode', 'effort', 'prompt_id', 'turn_id'],
  ...['session_id', 'sessionId'],
]);

/** The agent's own fields, under their own names. */
export const nativeEvent: EventReader = (native, _fields, session) => ({
  payloads: [
    {
      session_id: session,
      ...Object.fromEntries(Object.entries(native).filter(([key]) => !FRAME.has(key))),
    },
  ],
});

/** An event that is told with its session and these texts. */
export const withSession =
  (names: Readonly<Record<string, string>>): EventReader =>
  (native, _fields, session) => ({ payloads: [{ session_id: session, ...texts(native, names) }] });

/** The end of a sub-agent, in the names of fields that follow Claude Code. */
export const subAgentStop: EventReader = (native, _fields, session) => ({
  payloads: [
    {
      session_id: session,
      agent: 'agent',
      result: '',
      ...texts(native, { agent_id: 'id', agent_type: 'agent', last_assistant_message: 'result' }),
    },
  ],
});

/** The sub-agent that an event comes from, if the payload names one. */
export function subAgentIn(native: JsonObject, id: string, name: string): Source['subAgent'] {
  const agent = optionalText(native, id);
  return agent === null ? null : { id: agent, name: optionalText(native, name) ?? 'agent' };
}

export function optionalText(native: JsonObject, key: string): string | null {
  const value = native[key];
  return typeof value === 'string' ? value : null;
}

/** The folders of a list, without what is none. */
export function foldersIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The fields that are texts, under the names of the catalog. */
export function texts(native: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => {
      const value = optionalText(native, from);
      return value === null ? [] : [[to, value]];
    }),
  );
}
