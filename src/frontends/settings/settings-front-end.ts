/**
 * The settings.json front end as the pipeline knows it: what its commands read on stdin, and that they may observe,
 * block and ask but never rewrite. The two forms of an entry differ only in what they see.
 */
import { devNull } from 'node:os';
import { HarnessError, isJsonObject, type Json } from '../../base/index.ts';
import { type Failure, type FrontEnd, isOfSubAgent, type RunState, type Who } from '../../engine/index.ts';
import { CommandAnswer } from '../command/body.ts';
import { type SettingsEvent, settingsEvent } from './events.ts';

/** A sub-agent's task is no message of the user, and its end is told by SubagentStop. */
const OWN_SESSION_ONLY = new Set(['session.start', 'session.end', 'turn.start', 'agent.stop']);

/** Entries with a `path`: exactly the fields the specification lists. */
export const settingsFrontEnd: FrontEnd = frontEnd((row, payload, run, who) => ({
  ...base(row, payload, run, who),
  ...fields(row.sees, payload),
}));

/** Entries with a list of commands: also what scripts written for coding agents expect. */
export const nestedFrontEnd: FrontEnd = frontEnd((row, payload, run, who) => ({
  ...base(row, payload, run, who),
  ...(run.session.cwd !== null && { cwd: run.session.cwd }),
  ...subAgent(run, who),
  ...fields(row.sees, payload),
  ...fields(row.also, payload),
}));

type View = (row: SettingsEvent, payload: Json, run: RunState, who: Who) => Record<string, Json>;

function frontEnd(view: View): FrontEnd {
  return {
    name: 'settings',
    powers: { modify: false },
    view: (event, payload, run, who) => {
      const row = settingsEvent(event);
      return row === undefined ? {} : view(row, payload, run, who);
    },
    interpret: (returned, hook, event) => {
      if (returned instanceof CommandAnswer) return returned.reply(hook, event);
      const message = 'a settings hook answers through a process';
      return { failure: { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message } };
    },
    explain,
    ownSessionOnly: OWN_SESSION_ONLY,
  };
}

function base(row: SettingsEvent, payload: Json, run: RunState, who: Who): Record<string, Json> {
  const { session, services } = run;
  const given = isJsonObject(payload) ? payload.session_id : undefined;
  services.makeTranscript?.();
  return {
    session_id: session.id || (typeof given === 'string' ? given : ''),
    // Scripts read it without looking: it is always a file that exists, an empty one where nothing has been said.
    transcript_path: session.transcriptPath ?? devNull,
    hook_event_name: row.name,
    ...(who.actor !== null && { actor: who.actor as Json }),
    ...(isOfSubAgent(who) && { caller: { ...who.caller } as unknown as Json }),
  };
}

/** Under the names that scripts for coding agents look for. */
function subAgent({ session }: RunState, who: Who): Record<string, Json> {
  return isOfSubAgent(who) ? { agent_id: session.id, agent_type: who.caller.name } : {};
}

function fields(readers: SettingsEvent['sees'], payload: Json): Record<string, Json> {
  const found: Record<string, Json> = {};
  for (const [name, read] of Object.entries(readers)) {
    const value = read(payload);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function explain(thrown: unknown): Failure {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: 'error', code: thrown instanceof HarnessError ? thrown.code : 'HOOK_THREW', message };
}
