/** `harness fleet`: the machine's side of a fleet, one file an action. */
import { type Actions, actionsRun } from './actions.ts';

const NOTHING = { least: 0, most: 0 };

const ACTIONS: Actions = {
  join: {
    options: ['token', 'name', 'root', 'user', 'json'],
    takes: { least: 1, most: 1, name: 'URL, the address that `harness hub serve` prints' },
    load: () => import('./fleet/join.ts'),
  },
  agent: { options: ['once', 'json'], takes: NOTHING, load: () => import('./fleet/agent.ts') },
  status: { options: ['json'], takes: NOTHING, load: () => import('./fleet/status.ts') },
  machines: { options: ['hub', 'token', 'json'], takes: NOTHING, load: () => import('./fleet/machines.ts') },
  find: {
    options: [...['hub', 'token', 'since', 'event', 'hook', 'tool', 'decision', 'failures', 'limit'], 'json'],
    takes: { least: 0, most: 1, name: 'TEXT' },
    load: () => import('./fleet/find.ts'),
  },
  leave: { options: ['json'], takes: NOTHING, load: () => import('./fleet/leave.ts') },
  root: {
    options: ['key', 'root-keys', 'authors', 'threshold', 'hub-key', 'previous', 'out', 'json'],
    takes: NOTHING,
    load: () => import('./fleet/root.ts'),
  },
  publish: {
    options: ['hub', 'key', 'when-stale', 'max-age', 'message', 'tapes', 'tries', 'out', 'json'],
    takes: { least: 1, most: 1, name: 'DIR, a folder with a policy, or the FILE another author signed' },
    load: () => import('./fleet/publish.ts'),
  },
  rollout: {
    options: ['hub', 'key', 'labels', 'percent', 'json'],
    takes: { least: 0, most: 1, name: 'VERSION' },
    load: () => import('./fleet/rollout.ts'),
  },
  verify: { options: ['all', 'json'], takes: NOTHING, load: () => import('./fleet/verify.ts') },
};

export const run = actionsRun('fleet', ACTIONS);
