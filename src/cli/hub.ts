/** `harness hub`: the server side of a fleet, one file an action. */
import { type Actions, actionsRun } from './actions.ts';

const NOTHING = { least: 0, most: 0 };
const STORE = ['dir', 'db'];

const ACTIONS: Actions = {
  serve: {
    options: [...STORE, 'port', 'host', 'page-port', 'no-page', 'otlp', 'json'],
    takes: NOTHING,
    load: () => import('./hub/serve.ts'),
  },
  token: {
    options: [...STORE, 'join', 'viewer', 'labels', 'for', 'json'],
    takes: NOTHING,
    load: () => import('./hub/token.ts'),
  },
  machines: {
    options: [...STORE, 'activate', 'revoke', 'json'],
    takes: NOTHING,
    load: () => import('./hub/machines.ts'),
  },
  page: { options: [...STORE, 'json'], takes: NOTHING, load: () => import('./hub/page.ts') },
  key: { options: [...STORE, 'json'], takes: NOTHING, load: () => import('./hub/key.ts') },
  root: {
    options: [...STORE, 'json'],
    takes: { least: 1, most: 1, name: 'FILE, as `harness fleet root` wrote it' },
    load: () => import('./hub/root.ts'),
  },
  check: { options: [...STORE, 'json'], takes: NOTHING, load: () => import('./hub/check.ts') },
  prune: {
    options: [...STORE, 'older', 'yes', 'json'],
    takes: NOTHING,
    load: () => import('./hub/prune.ts'),
  },
  migrate: { options: [...STORE, 'json'], takes: NOTHING, load: () => import('./hub/migrate.ts') },
};

export const run = actionsRun('hub', ACTIONS);
