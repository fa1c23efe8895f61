/**
 * Whom a command works for, as `--as` and `--actor` say it: an id, or an actor as JSON. Half of one is wrong usage.
 */
import { readJson } from '../base/index.ts';
import { type Actor, readActor } from '../engine/index.ts';
import { type Arguments, UsageError } from './command.ts';

/** Undefined if nobody was named. */
export function actorOption(args: Arguments, option: 'as' | 'actor'): Actor | null | undefined {
  const given = args.value(option);
  if (given === undefined) return undefined;
  const isJson = /^\s*[[{"]/.test(given);
  const reading = isJson ? readJson(given) : ({ ok: true, value: { id: given } } as const);
  if (!reading.ok) throw new UsageError(`--${option} is not usable JSON: ${reading.message}`);
  const read = readActor(reading.value);
  if (!read.ok) throw new UsageError(`--${option}: ${read.message}`);
  return read.actor;
}
