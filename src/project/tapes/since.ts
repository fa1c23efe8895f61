/** `--since` of the actions on tapes. */
import { type Arguments, quote, timeOf, UsageError } from '../../terminal/index.ts';

/** Milliseconds since the epoch; 0, the beginning of time, if it is not given. */
export function sinceOf(args: Arguments, option = 'since'): number {
  const text = args.value(option);
  if (text === undefined) return 0;
  const time = timeOf(text);
  if (Number.isNaN(time))
    throw new UsageError(`--${option} wants a date or a span such as 7d or 12h, got ${quote(text)}`);
  return time;
}
