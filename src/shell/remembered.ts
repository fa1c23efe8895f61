/**
 * Readings that are asked for more than once: several guards look at the command of one call. A reading is a function of its
 * text and options alone, so one may serve all.
 */
import { BoundedMap } from '../base/index.ts';
import { readArgv, readCommand } from './read.ts';
import type { CommandReading, ReadOptions } from './reading.ts';

const MOST_BYTES = 4_000_000;
const LARGEST_BYTES = 400_000;

const readings = new BoundedMap<string, CommandReading>(MOST_BYTES, {
  weigh: (reading, key) => weightOf(reading, key.length),
});

/** What a reading holds on to, in bytes: measured, and never less than half of it. */
export function weightOf({ commands, errors }: CommandReading, length: number): number {
  let words = 0;
  for (const command of commands) words += command.words.length;
  return 512 + length + 1024 * commands.length + 128 * words + 256 * errors.length;
}

/** Like `readCommand` for a text and `readArgv` for words. */
export function readCached(given: string | readonly string[], options: ReadOptions = {}): CommandReading {
  const { shell = '', cwd = '', home = '' } = options;
  const written = typeof given === 'string' ? `s${given}` : `a${given.join('\0')}`;
  const key = `${shell}\0${cwd}\0${home}\0${written}`;
  const known = readings.get(key);
  if (known !== undefined) return known;
  const reading = typeof given === 'string' ? readCommand(given, options) : readArgv(given, options);
  if (weightOf(reading, key.length) <= LARGEST_BYTES) readings.set(key, reading);
  return reading;
}
