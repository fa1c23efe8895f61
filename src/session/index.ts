/** The door of the governed session. */
export {
  blockText,
  type CallAnswer,
  contextOf,
  GovernedSession,
  type JudgedCall,
  NO_WALLS,
  wantsSandbox,
} from './governed-session.ts';
export { IMPORTS, RUNS, recordsFolder, TRANSCRIPTS } from './records-folder.ts';
export type { Objection, SessionJudge, Stop } from './session-judge.ts';
export { openSessionTape, type SessionTapeOptions, storeOptions } from './session-tape.ts';
export { decideStored } from './stored-session.ts';
export { callReport } from './verdicts.ts';
