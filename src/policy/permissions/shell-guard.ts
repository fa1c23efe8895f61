/**
 * A guard over command lines: patterns that are never run, then beginnings that may run by themselves. The line is taken
 * apart first, so that an allowed command does not carry another one with it.
 */
import { compileRegex, HarnessError } from '../../base/index.ts';
import { toolGlob } from '../../engine/index.ts';
import {
  type CommandReading,
  type CommandRedirect,
  type CommandWord,
  readCached,
} from '../../shell/index.ts';
import { inZone, type Layer, valueAt, type Zone } from './layer.ts';

export interface ShellGuard {
  /** Globs over the names of tools it reads. */
  readonly tools: readonly string[];
  /** The argument that holds the command line; `command` by default. */
  readonly argument?: string;
  /** Regular expressions (RE2). A line in which one is found never runs. */
  readonly denyPatterns?: readonly string[];
  /** Words a command may begin with: `git status`. Where there are any, every command of a line must begin with one. */
  readonly allowPrefixes?: readonly string[];
  /** Where one does not; `ask` by default. */
  readonly otherwise?: Zone;
}

export function shellGuard(guard: ShellGuard): Layer {
  const { argument = 'command', otherwise = 'ask' } = guard;
  const tools = guard.tools.map(toolGlob);
  const denied = (guard.denyPatterns ?? []).map((pattern) => ({ pattern, test: regex(pattern) }));
  const prefixes = (guard.allowPrefixes ?? []).map((prefix) => prefix.trim().split(/\s+/));
  return (tool, args) => {
    if (!tools.some((glob) => glob(tool))) return { decision: 'auto' };
    const value = valueAt(args, argument);
    if (value === undefined) return { decision: 'auto' };
    const given = Array.isArray(value) ? value.map(String) : String(value);
    const reading = readCached(given);
    // As written, and each command by itself: quotes do not hide a word.
    const lines = [
      typeof given === 'string' ? given : given.join(' '),
      ...reading.commands.map(({ path, args: words }) => [path, ...words].join(' ')),
    ];
    const found = denied.find(({ test }) => lines.some(test));
    if (found !== undefined) return inZone('never', `the command matches ${found.pattern}`);
    if (prefixes.length === 0) return { decision: 'auto' };
    if (commandsOf(reading)?.every((words) => prefixes.some((prefix) => begins(words, prefix)))) {
      return { decision: 'auto' };
    }
    return inZone(otherwise, 'the command is not one that runs by itself');
  };
}

/**
 * The words of every command that can be started, or null for a command that is not read completely, substitutes the
 * output of another, sets a variable, or writes to a file: no prefix speaks for those.
 */
function commandsOf({ commands, complete }: CommandReading): (readonly string[])[] | null {
  if (!complete || commands.length === 0) return null;
  const more = commands.some(
    ({ words, redirects, assigns }) =>
      assigns.length > 0 || words.some(substitutes) || redirects.some(writesFile),
  );
  if (more) return null;
  return commands.map(({ words }) => words.map(({ text, known }) => (known ? text : '')));
}

function substitutes({ text, known }: CommandWord): boolean {
  return !known && /\$\(|<\(|`/.test(text);
}

/** `2>&1` and `/dev/null` write nothing that stays. */
function writesFile({ op, target }: CommandRedirect): boolean {
  return op.includes('>') && target !== '/dev/null' && !/^\d$/.test(target);
}

function begins(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((word, i) => words[i] === word);
}

function regex(pattern: string): (text: string) => boolean {
  const compiled = compileRegex(pattern);
  if (!compiled.ok)
    throw new HarnessError('PATTERN_INVALID', `deny_patterns: ${pattern}: ${compiled.message}`);
  return compiled.test;
}
