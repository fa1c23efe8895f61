/**
 * What a tool call touches, for the rules of patterns.yaml: the commands it would run, as text, and the paths it would read,
 * write or delete. How commands and calls are read is not decided here; see match/tool-call.ts.
 */
import type { JsonObject } from '../../base/index.ts';
import {
  type AccessedPath,
  accessOfTool,
  asCommand,
  commandReadings,
  hasPipedInput,
  pathArguments,
  pathsOfCommand,
} from '../../engine/index.ts';
import type { Command, CommandReading } from '../../shell/index.ts';

export interface TouchedPaths {
  /** As written, and each command in them by itself without quotes. */
  readonly commands: readonly string[];
  readonly paths: readonly AccessedPath[];
  /** Commands that delete something which is only known when they run, or that are not read to their end and may delete. */
  readonly unknownDeletes: readonly string[];
}

/** `cwd` is where the call runs; without it, paths of commands are relative. */
export function touchedPaths({ name, args: all }: JsonObject, cwd?: string): TouchedPaths {
  const tool = typeof name === 'string' ? name : '';
  const args = asCommand(tool, all);
  const use = accessOfTool(tool);
  const commands = new Set<string>();
  const paths = pathArguments(args).map((path): AccessedPath => ({ path, use }));
  const unknownDeletes: string[] = [];
  for (const { given, reading } of commandReadings(args, cwd === undefined ? {} : { cwd })) {
    commands.add(typeof given === 'string' ? given : given.join(' '));
    for (const command of reading.commands) {
      commands.add([command.path, ...command.args].join(' '));
      // What a shell is given is a command line of its own: pipes in it are not in the words of its commands.
      if (command.code?.language === 'sh') commands.add(command.code.text);
      paths.push(...pathsOfCommand(command));
      if (deletesUnknown(command)) unknownDeletes.push(command.text);
    }
    if (mayDelete(reading)) unknownDeletes.push(typeof given === 'string' ? given : given.join(' '));
  }
  return { commands: [...commands], paths, unknownDeletes };
}

/** All that is known of the path is that somebody knows it later. */
function deletesUnknown({ deletes, cwd }: Command): boolean {
  return deletes.some((path) => {
    if (/^\$[({]|^<\(/.test(path) || hasPipedInput(path)) return true;
    // In a folder nobody knows, any relative path may be any.
    return cwd === null && !/^[/~]/.test(path);
  });
}

const DELETERS = /\b(?:rm|unlink|rmdir|shred|srm|mv|trash|del|clean)\b|-delete\b/;

/** Not read to its end, with the name of a program that deletes in it. */
function mayDelete({ complete, errors, commands }: CommandReading): boolean {
  if (complete) return false;
  const broken = errors.some(({ kind }) => kind === 'syntax' || kind === 'limit' || kind === 'reader');
  const shown = commands.map(({ text }) => text).join('\n');
  return broken && DELETERS.test(shown);
}
