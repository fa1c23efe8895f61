/** `harness hub migrate`: brings a PostgreSQL database to the schema of this version. */
import { migrateDatabase } from '../../hub/index.ts';
import { type Run, UsageError } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  const place = hubPlace(args);
  if (!('db' in place)) throw new UsageError('want --db postgres://…: the embedded store migrates itself');
  const { from, to } = await migrateDatabase(place.db);
  if (args.has('json')) output.line(JSON.stringify({ from, to }));
  else output.line(from === to ? `The schema is ${to} already.` : `Schema ${from} is now ${to}.`);
  return 0;
};
