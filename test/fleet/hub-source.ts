/** A hub's store with recorded tapes in it, as a source of the views. */
import { generateKeyPairSync } from 'node:crypto';
import { Archive, type Database, HubQueries, Machines, migrate, openSchema } from '../../src/hub/index.ts';
import { machineHost } from '../../src/machine/index.ts';
import type { RecordedTape } from './query-cases.ts';
import { batchOf, PLACE } from './tapes.ts';

export async function hubSource(database: Database, tapes: readonly RecordedTape[]): Promise<HubQueries> {
  await migrate(database);
  const machines = new Machines(database, await openSchema(database), machineHost);
  const { publicKey } = generateKeyPairSync('ed25519');
  const { machine } = await machines.join({
    token: await machines.createJoinToken({}, 60_000),
    name: 'one',
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  const archive = new Archive(database, Date.now);
  for (const { session, lines } of tapes) {
    const key = { machine, place: PLACE, session, owner: 'me', folder: '/work/runs', branch: null };
    // In two batches, so that no question depends on one segment.
    for (const [from, to] of [
      [0, 4],
      [4, lines.length],
    ] as const)
      await archive.accept({ ...key, batch: batchOf(session, lines.slice(from, to), from) });
  }
  return new HubQueries(database, machines, machineHost);
}
