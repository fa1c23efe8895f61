// Runs the fleet against a real PostgreSQL: the cases of the hub's store, many machines, and rounds of random kills of hubs, database
// and agent.     npm run test:fleet [-- --rounds N] [--seed N]
// Where PostgreSQL is missing and cannot be installed, a loud line says that nothing was tested.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { testNativeSqlite } from './native-sqlite.mjs';
import { startPostgres } from './postgres.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { rounds, seed } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
}).values;
/** More rounds take as long as they take. */
const TEST_MS = Number(rounds) > 15 ? undefined : 300_000;

process.exitCode = testNativeSqlite();
const server = await startPostgres();
if (server === null) {
  console.error(
    'SKIPPED: PostgreSQL is missing and cannot be installed here, so the fleet was NOT TESTED on a database',
  );
  process.exit();
}
try {
  const { bin, data, folder, port, user } = server;
  console.error(`PostgreSQL of ${bin} on port ${port}; ${rounds} rounds, seed ${seed}`);
  const run = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: root,
    env: {
      ...process.env,
      HARNESS_TEST: 'fleet',
      HARNESS_FLEET_POSTGRES: JSON.stringify({ bin, data, folder, port, user }),
      HARNESS_FLEET_ROUNDS: rounds,
      HARNESS_FLEET_SEED: seed,
    },
    stdio: 'inherit',
    timeout: TEST_MS,
  });
  process.exitCode ||= run.status ?? 1;
  if (run.status !== 0)
    console.error(`failed; the same kills again: npm run test:fleet -- --seed ${seed} --rounds ${rounds}`);
} finally {
  server.stop();
}
