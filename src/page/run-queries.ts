/**
 * What the views ask about recorded runs. A machine answers from its tapes, the hub of a fleet from its store: the same views show both.
 * What a source does not record is null in its answer.
 */
import type { ApprovalsView, Guards, Rows, RunRow, Runs, Week } from './server/api.ts';

export const FILTERS = [
  'q',
  'event',
  'hook',
  'tool',
  'decision',
  'failures',
  'agent',
  'since',
  'until',
] as const;

/** As the address of a search has it; what is not narrowed is absent. */
export type RunFilter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** A part of a list. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export interface RunQueries {
  /** `zone`: minutes the reader's clock is behind UTC. */
  runs(filter: RunFilter, zone: number): Promise<Runs>;
  /** Null if there is no such run. */
  run(id: string): Promise<RunRow | null>;
  /** Decisions, the newest first. */
  decisions(filter: RunFilter, window: Window): Promise<Rows>;
  week(zone: number): Promise<Week>;
  guards(): Promise<Guards>;
  /** Questions to a person: of this project, or of all. Null if they are not asked here. */
  waiting(everywhere: boolean): Promise<ApprovalsView | null>;
}
