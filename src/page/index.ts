/** The page: what it asks for, and server/. */
export { askForPage, DaemonPages } from './daemon-page.ts';
export { type MountOptions, mountPage, mountSource, type PageRequest } from './mount.ts';
export { Overviews } from './overview.ts';
export { decisionRow } from './rows.ts';
export { RunFacts } from './run-facts.ts';
export type { RunFilter, RunQueries, Window } from './run-queries.ts';
export type { RunSource } from './run-routes.ts';
export type {
  ApprovalsView,
  FleetMachine,
  FleetMachines,
  Guards,
  Row,
  Rows,
  RunRow,
  Runs,
  Warning,
  Week,
} from './server/api.ts';
export { PageError } from './server/app.ts';
export type { Listening } from './server/listen.ts';
export { QUARTER_MS, type StopCount } from './tape-pass.ts';
export type { ShownTape } from './tapes.ts';
export { isNarrowed, Timelines, wantedRowsOf } from './timelines.ts';
export { DAY_MS, WEEK_DAYS, weekOf } from './week.ts';
