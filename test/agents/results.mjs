// What the last runs of `npm run test:agents -- --write` saw, agent by agent: test/agents/results.json, from which docs/agents.md
// is made. A result tells which versions it is of and which adapter it was seen with, so that a stale one can be told.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const RESULTS = 'test/agents/results.json';

/**
 * Puts the results of a run in the place of older ones of the same agents and scenarios. Older ones stay only if they are of the
 * same version and adapter. Gives the file.
 */
export function keepResults(root, agents, results) {
  const known = readResults(root);
  const day = new Date().toISOString().slice(0, 10);
  for (const { name, packages, adapter } of agents) {
    const own = results.filter(({ agent }) => agent === name);
    // One that could not be installed keeps what it had.
    if (own.length === 0) continue;
    const run = { packages, day, node: process.versions.node, adapter: adapterDigest(root, adapter) };
    const { scenarios: older = {}, ...before } = known[name] ?? {};
    const scenarios = {
      ...(JSON.stringify(before) === JSON.stringify(run) && older),
      ...Object.fromEntries(own.map(({ scenario, verdict }) => [scenario, verdict])),
    };
    known[name] = {
      ...run,
      scenarios: Object.fromEntries(Object.entries(scenarios).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
  const sorted = Object.fromEntries(Object.entries(known).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(join(root, RESULTS), `${JSON.stringify(sorted, null, 2)}\n`);
  return RESULTS;
}

export function readResults(root) {
  try {
    return JSON.parse(readFileSync(join(root, RESULTS), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Of the adapter's own files, without its tests. */
export function adapterDigest(root, agent) {
  const folder = join(root, 'src/agents', agent);
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
