/** `harness tape`: what can be done with tapes, one file an action. */
import type { Run } from '../terminal/index.ts';
import { type Actions, actionsRun } from './actions.ts';

const A_PATH = { least: 1, most: 1 };

const ACTIONS: Actions = {
  ls: { options: ['json', 'since', 'fresh'], load: () => import('./tape/ls.ts') },
  show: {
    options: ['json', 'event', 'hook', 'decision', 'tool', 'failures', 'seq'],
    load: () => import('./tape/show.ts'),
  },
  find: {
    options: ['json', 'since', 'event', 'hook', 'decision', 'tool', 'failures', 'limit', 'fresh'],
    takes: { least: 0, most: 2 },
    load: () => import('./tape/find.ts'),
  },
  verify: { options: ['json', 'key', 'checkpoint'], load: () => import('./tape/verify.ts') },
  stats: { options: ['json', 'prometheus'], load: () => import('./tape/stats.ts') },
  audit: {
    options: ['json', 'jsonl', 'csv', 'html', 'actor', 'tenant', 'tool', 'since'],
    load: () => import('./tape/audit.ts'),
  },
  export: { options: ['jsonl', 'otlp', 'content', 'json', 'since'], load: () => import('./tape/export.ts') },
  prune: {
    options: ['json', 'older', 'keep', 'max-size', 'yes'],
    load: () => import('./tape/prune.ts'),
  },
  repair: { options: ['json', 'key'], takes: A_PATH, load: () => import('./tape/repair.ts') },
  keygen: { options: ['json'], takes: A_PATH, load: () => import('./tape/keygen.ts') },
};

export const run: Run = actionsRun('tape', ACTIONS);
