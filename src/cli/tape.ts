/**
 * `harness tape`: what can be done with tapes, one file an action. An option that an action does not know is a mistake,
 * never ignored.
 */
import { didYouMean } from '../base/spelling.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { quote } from './options.ts';

interface Action {
  readonly options: readonly string[];
  readonly load: () => Promise<{ run: Run }>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  ls: { options: ['json'], load: () => import('./tape/ls.ts') },
  show: {
    options: ['json', 'event', 'hook', 'decision', 'tool', 'failures', 'seq'],
    load: () => import('./tape/show.ts'),
  },
  verify: { options: ['json', 'key', 'checkpoint'], load: () => import('./tape/verify.ts') },
  stats: { options: ['json', 'prometheus'], load: () => import('./tape/stats.ts') },
  audit: {
    options: ['json', 'jsonl', 'csv', 'html', 'actor', 'tenant', 'tool', 'since'],
    load: () => import('./tape/audit.ts'),
  },
  repair: { options: ['json', 'key'], load: () => import('./tape/repair.ts') },
  keygen: { options: ['json'], load: () => import('./tape/keygen.ts') },
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
  const { run: act } = await action.load();
  const inner: Arguments = {
    positionals: rest,
    has: (key) => args.has(key),
    value: (key) => args.value(key),
  };
  return act(inner, output);
};
