/**
 * Reads a command's arguments against its row of the table. Every mistake is a UsageError that names what was wanted;
 * nothing is ever guessed or dropped.
 */
import { didYouMean } from '../base/index.ts';
import { type Arguments, type CommandSpec, type OptionSpec, UsageError } from './command.ts';

export const HELP: OptionSpec = { name: 'help', short: 'h', about: 'Show this help' };

export function parseArguments(command: CommandSpec, argv: readonly string[]): Arguments {
  const positionals: string[] = [];
  const given = new Map<string, string | true>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word);
      continue;
    }
    const { name, inline } = splitWord(word);
    const option = findOption(command, name, word);
    if (given.has(option.name)) throw new UsageError(`--${option.name} is given twice`);
    if (option.value === undefined) {
      if (inline !== undefined) throw new UsageError(`--${option.name} takes no value, got ${quote(inline)}`);
      given.set(option.name, true);
    } else if (inline !== undefined) {
      given.set(option.name, inline);
    } else {
      const next = argv[i + 1];
      if (next === undefined || (next.startsWith('-') && next !== '-')) {
        const hint =
          next === undefined ? '' : `; for a value that begins with a dash write --${option.name}=${next}`;
        throw new UsageError(`--${option.name} needs a value (${option.value})${hint}`);
      }
      given.set(option.name, next);
      i++;
    }
  }
  if (!given.has(HELP.name)) checkCount(command, positionals);
  return {
    positionals,
    has: (option) => given.has(option),
    value: (option) => {
      const value = given.get(option);
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/** A whole number of at least `least`, or a UsageError that names the option. */
export function wholeNumber(args: Arguments, option: string, least: number): number | undefined {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least) {
    throw new UsageError(`--${option}: expected a whole number of at least ${least}, got ${quote(text)}`);
  }
  return number;
}

export function quote(text: string): string {
  return JSON.stringify(text);
}

/** `--name`, `--name=value`, `-n` and `-nvalue`. */
function splitWord(word: string): { name: string; inline: string | undefined } {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    return equals === -1
      ? { name: word, inline: undefined }
      : { name: word.slice(0, equals), inline: word.slice(equals + 1) };
  }
  return { name: word.slice(0, 2), inline: word.length > 2 ? word.slice(2) : undefined };
}

function findOption(command: CommandSpec, name: string, word: string): OptionSpec {
  const options = [...command.options, HELP];
  const found = options.find((option) => name === `--${option.name}` || name === `-${option.short}`);
  if (found !== undefined) return found;
  const hint = didYouMean(
    name,
    options.map((option) => `--${option.name}`),
  );
  throw new UsageError(`unknown option ${word.startsWith('--') ? name : word}${hint}`);
}

function checkCount(command: CommandSpec, positionals: readonly string[]): void {
  const words = command.args.split(' ').filter((word) => word !== '');
  const required = words.filter((word) => !word.startsWith('['));
  const most = command.args.includes('...') ? Infinity : words.length;
  const missing = required[positionals.length];
  if (missing !== undefined) throw new UsageError(`${command.name} needs ${missing.replace('...', '')}`);
  if (positionals.length > most) {
    throw new UsageError(`${command.name} does not take ${quote(positionals[most]!)} as an argument`);
  }
}
