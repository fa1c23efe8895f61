/**
 * A process of its own with a policy over a shared store: fires so many calls at once and says how many were allowed.
 */
import { writeSync } from 'node:fs';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';

const [project, store, times] = process.argv.slice(2) as [string, string, string];
const policy = await openPolicy(project, {
  places: { managed: null, user: null },
  store: new FileRunStore(store, { waitMs: 20_000 }),
});
const outcomes = await Promise.all(
  Array.from({ length: Number(times) }, async (_, at) =>
    policy.decide('tool.pre', { id: `c${at}`, name: 'deploy', args: {} }),
  ),
);
writeSync(1, `${outcomes.filter(({ action }) => action === 'allow').length}\n`);
