/**
 * Readings that are asked for more than once: several guards look at the command of one call. A reading is a function of its
 * text and options alone, so one may serve all; what is kept is bounded by what readings weigh, and the oldest go first.
 */
import { readArgv, readCommand } from './read.ts';
import type { CommandReading, ReadOptions } from './reading.ts';

/** Bytes. */
const MOST_KEPT = 4_000_000;
const LARGEST_KEPT = 400_000;

const kept = new Map<string, CommandReading>();
let weight = 0;

/** What a reading holds on to, in bytes: measured, and never less than half of it. */
export function weightOf({ commands, errors }: CommandReading, length: number): number {
  let words = 0;
  for (const command of commands) words += command.words.length;
  return 512 + length + 1024 * commands.length + 128 * words + 256 * errors.length;
}

/** Like `readCommand` for a text and `readArgv` for words. */
export function readRemembered(given: string | readonly string[], options: ReadOptions = {}): CommandReading {
  const { shell = '', cwd = '', home = '' } = options;
  const written = typeof given === 'string' ? `s${given}` : `a${given.join('\0')}`;
  const key = `${shell}\0${cwd}\0${home}\0${written}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const reading = typeof given === 'string' ? readCommand(given, options) : readArgv(given, options);
  const size = weightOf(reading, key.length);
  if (size > LARGEST_KEPT) return reading;
  weight += size;
  for (const [oldest, held] of kept) {
    if (weight <= MOST_KEPT) break;
    kept.delete(oldest);
    weight -= weightOf(held, oldest.length);
  }
  kept.set(key, reading);
  return reading;
}
