/** The hub: the record of many machines in one database, and the server in front of it. */
export { type HubAdmin, openAdmin } from './admin.ts';
export { type HubOptions, hubApp } from './app.ts';
export { type Accepted, Archive, type Delivery } from './archive.ts';
export { type Batch, readBatch } from './batch.ts';
export { checkHub, type HubCheck, type Removal } from './check.ts';
export { type CollectorOptions, sendToCollector } from './collector.ts';
export { DAY_MS, type Database, DatabaseUnavailable, dayOf } from './database.ts';
export { type Machine, Machines, Refused } from './machines.ts';
export { HubQueries } from './page/hub-queries.ts';
export { openPostgres } from './postgres.ts';
export { removeBefore } from './retention.ts';
export { type Migrated, migrate, openSchema } from './schema.ts';
export {
  adminAddress,
  type HubPlace,
  migrateDatabase,
  openStore,
  type RunningHub,
  type ServeOptions,
  serveHub,
} from './serve.ts';
export { MEMORY, openSqlite } from './sqlite.ts';
