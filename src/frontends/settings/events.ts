/**
 * The events settings.json can name and what a hook of each sees: one table for reading the file, for showing payloads
 * and for checking matchers.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import { viewedToolInput, viewedToolName } from './tool-names.ts';

/** Undefined where the payload does not have it: the field is then left out. */
type Field = (payload: Json) => Json | undefined;

export interface SettingsEvent {
  /** As the file writes it, and the `hook_event_name` of the payload. */
  readonly name: string;
  /** Canonical. */
  readonly event: string;
  /** What the payload has beyond the base fields. */
  readonly sees: Readonly<Record<string, Field>>;
  /** What commands of the nested form see beside that: the scripts they name were written to expect it. */
  readonly also: Readonly<Record<string, Field>>;
  /** The field a matcher of the nested form is compared with; null if such a matcher says nothing. */
  readonly matched: string | null;
}

/** The fields every payload has, in the order the specification shows them. */
export const BASE_FIELDS = ['session_id', 'transcript_path', 'hook_event_name'] as const;

const key =
  (name: string): Field =>
  (payload) =>
    isJsonObject(payload) ? payload[name] : undefined;

/** The message itself. Whatever else came is shown rather than dropped: a guard must see what it judges. */
const prompt: Field = (payload) => {
  if (typeof payload === 'string') return payload;
  const given = isJsonObject(payload) ? payload.prompt : undefined;
  return typeof given === 'string' ? given : JSON.stringify(payload ?? null);
};

const call = { tool_name: viewedToolName, tool_input: viewedToolInput };
/** A result that is one text is `content` to some hosts. */
const response: Field = (payload) =>
  isJsonObject(payload) ? (payload.result ?? payload.content) : undefined;
const agent = { agent_id: key('id'), agent_type: key('agent') };

/** Scripts ask it whether a stop was already refused once; a host that does not say has not refused. */
const stopActive: Field = (payload) => isJsonObject(payload) && payload.stop_hook_active === true;

export const SETTINGS_EVENTS: readonly SettingsEvent[] = [
  {
    name: 'SessionStart',
    event: 'session.start',
    sees: {},
    also: { source: key('source'), model: key('model') },
    matched: 'source',
  },
  { name: 'UserPromptSubmit', event: 'turn.start', sees: { prompt }, also: {}, matched: null },
  {
    name: 'PreToolUse',
    event: 'tool.pre',
    sees: call,
    also: { tool_use_id: key('id') },
    matched: 'tool_name',
  },
  {
    name: 'PostToolUse',
    event: 'tool.post',
    sees: { ...call, tool_response: response },
    also: { tool_use_id: key('call_id') },
    matched: 'tool_name',
  },
  { name: 'SubagentStart', event: 'delegation.pre', sees: {}, also: agent, matched: 'agent_type' },
  {
    name: 'SubagentStop',
    event: 'delegation.post',
    sees: {},
    also: { ...agent, stop_hook_active: stopActive, last_assistant_message: key('result') },
    matched: 'agent_type',
  },
  {
    name: 'Stop',
    event: 'agent.stop',
    sees: {},
    also: { stop_hook_active: stopActive, last_assistant_message: key('response') },
    matched: null,
  },
  {
    name: 'PreCompact',
    event: 'compact.pre',
    sees: {},
    also: { trigger: key('trigger') },
    matched: 'trigger',
  },
  {
    name: 'PostCompact',
    event: 'compact.post',
    sees: {},
    also: { trigger: key('trigger') },
    matched: 'trigger',
  },
  { name: 'SessionEnd', event: 'session.end', sees: {}, also: { reason: key('reason') }, matched: 'reason' },
];

/** Events of coding agents that nothing here fires. A file may hold hooks for them; they are not in force. */
export const FOREIGN_EVENTS: readonly string[] = [
  'Notification',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptExpansion',
  'Setup',
  'StopFailure',
  'PreModelSwitch',
  'PostModelSwitch',
  'MessageDisplay',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'WorktreeCreate',
  'WorktreeRemove',
];

const BY_EVENT: ReadonlyMap<string, SettingsEvent> = new Map(SETTINGS_EVENTS.map((row) => [row.event, row]));

/** The row of a canonical event, if settings.json can name it. */
export function settingsEvent(event: string): SettingsEvent | undefined {
  return BY_EVENT.get(event);
}
