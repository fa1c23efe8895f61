/**
 * What of an engine and its run shapes decisions beside the hooks, as the `run` entry of a tape has it, and for whom it decides.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import { type Actor, type RecordedEngine, RunState, type SessionInfo } from '../engine/index.ts';
import { sandboxIn } from '../machine/index.ts';
import type { RunRecord } from './entry.ts';

export function runRecord(number: number, { run, canAsk, canDelegate }: RecordedEngine): RunRecord {
  const { session, settings, services } = run;
  return {
    actor: (session.actor ?? null) as Json,
    caller: session.caller ?? null,
    run: number,
    settings: {
      allowedDomains: [...settings.allowedDomains],
      approvals: services.approvals !== null,
      canAsk,
      canDelegate,
      ...(settings.sandbox && { sandbox: settings.sandbox }),
      session: {
        cwd: session.cwd,
        id: session.id,
        transcriptPath: session.transcriptPath,
        ...(session.workspace !== undefined && { workspace: session.workspace }),
        ...(session.workspaces !== undefined && { workspaces: [...session.workspaces] }),
      },
    },
    type: 'run',
  };
}

export interface RecordedRun {
  readonly number: number;
  readonly run: RunState;
  readonly canAsk: boolean;
  readonly canDelegate: boolean;
}

/** The run of an entry. */
export function runFrom(record: RunRecord): RecordedRun {
  const { run, actor, caller, settings } = record;
  return replayRun({ ...settings, run }, { actor: actor as Actor | null, caller });
}

/** A run to replay in: it knows what the recorded one knew and holds nothing. */
export function replayRun(data: Json, who: Pick<SessionInfo, 'actor' | 'caller'> = {}): RecordedRun {
  const given = isJsonObject(data) ? data : {};
  const session = isJsonObject(given.session) ? given.session : {};
  const sandbox = sandboxIn(given.sandbox);
  const domains = Array.isArray(given.allowedDomains) ? given.allowedDomains : [];
  const info = {
    id: textOf(session.id) ?? '',
    transcriptPath: textOf(session.transcriptPath),
    cwd: textOf(session.cwd),
    // A tape from before payloads said where a call happens has none, and its payloads stay as they were.
    ...(typeof session.workspace === 'string' && { workspace: session.workspace }),
    ...(Array.isArray(session.workspaces) && { workspaces: session.workspaces.map(String) }),
    ...who,
  };
  // Never asked: the answers are on the tape. Whether there was somebody to ask is what hooks look at.
  const approvals = { request: () => Promise.reject(new Error('no person is asked during a replay')) };
  const agent = { callTool: () => Promise.reject(new Error('no tool runs during a replay')) };
  return {
    number: typeof given.run === 'number' ? given.run : 1,
    run: new RunState({ allowedDomains: domains.map(String), ...(sandbox !== null && { sandbox }) }, info, {
      agent,
      ...(given.approvals === true && { approvals }),
    }),
    canAsk: given.canAsk === true,
    canDelegate: given.canDelegate === true,
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
