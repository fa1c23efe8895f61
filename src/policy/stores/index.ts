/**
 * Stores of run state: what one process of a session, or of a user, leaves for the next.
 */
export type { Steady } from '../../hooks/stores/area-clock.ts';
export { MemoryRunStore, type MemoryRunStoreOptions } from '../../hooks/stores/memory-run-store.ts';
export {
  type Change,
  type Reservation,
  type RunArea,
  type RunStore,
  STORE_LIMITS,
  type Stored,
} from '../../hooks/stores/run-store.ts';
export { FileRunStore, type FileRunStoreOptions } from './file-run-store.ts';
export { type LoadedRun, loadRunState, saveRunState } from './run-state-store.ts';
export { userRunStore } from './user-run-store.ts';
