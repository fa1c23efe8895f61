/** The page: what it asks for, and server/. */
export { askForPage, DaemonPages } from './daemon-page.ts';
export { type MountOptions, mountPage, type PageWish } from './mount.ts';
export type { RunFilter, RunQueries, Window } from './run-queries.ts';
