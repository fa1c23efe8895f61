/**
 * What of an engine and its run shapes decisions beside the hooks, as the `run` entry of a tape has it.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { RecordedEngine } from '../hooks/recorder.ts';
import { RunState } from '../hooks/run-state.ts';

export function runData(number: number, { run, canAsk, canDelegate }: RecordedEngine): JsonObject {
  const { session, settings, services } = run;
  return {
    allowedDomains: [...settings.allowedDomains],
    approvals: services.approvals !== null,
    canAsk,
    canDelegate,
    run: number,
    session: { cwd: session.cwd, id: session.id, transcriptPath: session.transcriptPath },
  };
}

export interface RecordedRun {
  readonly number: number;
  readonly run: RunState;
  readonly canAsk: boolean;
  readonly canDelegate: boolean;
}

/** A run to replay in: it knows what the recorded one knew and holds nothing. */
export function runFrom(data: Json): RecordedRun {
  const given = isJsonObject(data) ? data : {};
  const session = isJsonObject(given.session) ? given.session : {};
  const domains = Array.isArray(given.allowedDomains) ? given.allowedDomains : [];
  const info = {
    id: textOf(session.id) ?? '',
    transcriptPath: textOf(session.transcriptPath),
    cwd: textOf(session.cwd),
  };
  // Never asked: the answers are on the tape. Whether there was somebody to ask is what hooks look at.
  const approvals = { request: () => Promise.reject(new Error('nobody is asked during a replay')) };
  const agent = { callTool: () => Promise.reject(new Error('no tool runs during a replay')) };
  return {
    number: typeof given.run === 'number' ? given.run : 1,
    run: new RunState({ allowedDomains: domains.map(String) }, info, {
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
