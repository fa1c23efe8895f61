/**
 * `harness tape`: what can be done with tapes, one file an action. An option or an argument that an action does not know is a
 * mistake, never ignored.
 */
import { didYouMean } from '../base/spelling.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { quote } from './options.ts';

interface Action {
  readonly options: readonly string[];
  /** How many arguments it takes; by default a PATH that may be left out. */
  readonly takes?: { readonly least: number; readonly most: number };
  readonly load: () => Promise<{ run: Run }>;
}

const A_PATH = { least: 1, most: 1 };

const ACTIONS: Readonly<Record<string, Action>> = {
  ls: { options: ['json', 'since'], load: () => import('./tape/ls.ts') },
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

const OPTIONS = [...new Set(Object.values(ACTIONS).flatMap((action) => action.options))];

export const run: Run = async (args, output) => {
  const [name, ...rest] = args.positionals;
  const action = ACTIONS[name!];
  if (action === undefined || !Object.hasOwn(ACTIONS, name!)) {
    const known = Object.keys(ACTIONS);
    throw new UsageError(
      `tape has no ${quote(name!)}${didYouMean(name!, known)}; it has ${known.join(', ')}`,
    );
  }
  for (const option of OPTIONS) {
    if (args.has(option) && !action.options.includes(option)) {
      throw new UsageError(`tape ${name} does not take --${option}`);
    }
  }
  const { least, most } = action.takes ?? { least: 0, most: 1 };
  if (rest.length < least) throw new UsageError(`tape ${name} needs PATH`);
  if (rest.length > most)
    throw new UsageError(`tape ${name} does not take ${quote(rest[most]!)} as an argument`);
  const { run: act } = await action.load();
  const inner: Arguments = {
    positionals: rest,
    has: (key) => args.has(key),
    value: (key) => args.value(key),
  };
  return act(inner, output);
};
