// `npm run test:power -- --states 5000 --rounds 10000 --seed 7`: the suites of power loss and of killed processes, for longer than CI
// runs them. Without a number a suite runs as in CI.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    states: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    faults: { type: 'string' },
  },
});
const env = {
  ...process.env,
  // Of the model, and copies of the image.
  ...(values.states && { POWER_STATES: values.states, POWER_COPIES: values.states }),
  ...(values.seed && { POWER_SEED: values.seed }),
  ...(values.rounds && { POWER_KILLS: values.rounds }),
  // `all`: every system call of the launcher.
  ...(values.faults && { LAUNCHER_FAULTS: values.faults }),
};
const only = [
  values.states || values.seed
    ? ['test/faults/power-loss.slow.test.ts', 'test/faults/power-image.slow.test.ts']
    : [],
  values.rounds ? ['test/faults/tape-faults.slow.test.ts'] : [],
  values.faults ? ['test/faults/launcher-faults.slow.test.ts'] : [],
].flat();
const files = only.length > 0 ? only : ['test/faults/'];
// Minutes for each thousand: the limit of a single test does not count here.
const { status } = spawnSync('npx', ['vitest', 'run', ...files, '--testTimeout', '0'], {
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
