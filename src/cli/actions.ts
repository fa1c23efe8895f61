/**
 * Commands that are a table of actions, one file each, such as `harness tape`. An option or an argument that an action does not
 * know is a mistake, never ignored.
 */
import { didYouMean } from '../base/index.ts';
import { type Arguments, quote, type Run, UsageError } from '../terminal/index.ts';

export interface Action {
  readonly options: readonly string[];
  /** How many arguments it takes; by default a PATH that may be left out. */
  readonly takes?: { readonly least: number; readonly most: number; readonly name?: string };
  readonly load: () => Promise<{ run: Run }>;
}

export type Actions = Readonly<Record<string, Action>>;

export function actionsRun(command: string, actions: Actions): Run {
  const options = [...new Set(Object.values(actions).flatMap((action) => action.options))];
  return async (args, output) => {
    const [name = '', ...rest] = args.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      const known = Object.keys(actions);
      throw new UsageError(
        `${command} has no ${quote(name)}${didYouMean(name, known)}; it has ${known.join(', ')}`,
      );
    }
    for (const option of options) {
      if (args.has(option) && !action.options.includes(option)) {
        throw new UsageError(`${command} ${name} does not take --${option}`);
      }
    }
    const { least, most, name: wanted = 'PATH' } = action.takes ?? { least: 0, most: 1 };
    if (rest.length < least) throw new UsageError(`${command} ${name} needs ${wanted}`);
    if (rest.length > most)
      throw new UsageError(`${command} ${name} does not take ${quote(rest[most]!)} as an argument`);
    const { run } = await action.load();
    const inner: Arguments = {
      positionals: rest,
      has: (key) => args.has(key),
      value: (key) => args.value(key),
    };
    return run(inner, output);
  };
}
